import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { asUser, type TestUser } from '../support/test-app';
import { addSite } from './support/site';
import {
  giveCode,
  givePassword,
  giveWrongCode,
  logIn,
  sessionIdOf,
  statusOf,
  type Agent,
} from './support/steps';
import { useSharedApp } from '../support/use-app';

const THIRTY_DAYS_MS = 30 * 86_400_000;

describe('a step-up', () => {
  const loaded: unknown[] = [];
  const test = useSharedApp(() => {
    const loadUser = (id: unknown): Express.User | false => {
      loaded.push(id);
      return asUser(test.users.get(String(id)));
    };
    const options = { loadUser };
    return { people: 60, options, routes: addRoutes };
  });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: Parameters<typeof addSite>[2]): void {
    addSite(app, smsOtp, passport);
    app.post('/cart', (req, res) => {
      Object.assign(req.session, { cart: ['book'] });
      req.session.cookie.maxAge = THIRTY_DAYS_MS;
      res.json({});
    });
  }

  /** A browser whose user passed both factors some minutes ago and waits for a code again. */
  async function steppingUp(): Promise<{ user: TestUser; agent: Agent; sid: string }> {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const sid = String(sessionIdOf(await giveCode(test, agent, user)));
    test.clock.advanceSeconds(301);
    expect((await agent.post('/step-up')).body).toMatchObject({ sent: true, purpose: 'step-up' });
    return { user, agent, sid };
  }

  it('needs a logged-in user', async () => {
    const { generate } = test.sim.stats().calls;
    const answer = await test.agent().post('/step-up');
    expect([answer.status, answer.body]).toEqual([403, { error: 'second-factor-required' }]);
    expect(test.sim.stats().calls.generate).toBe(generate);
  });

  it('leaves session, id, user and mark as they are while the code is out: pending sits beside verified', async () => {
    const { user, agent, sid } = await steppingUp();
    const status = await statusOf(agent);
    expect(test.sessions.ids()).toContain(sid);
    expect(status).toMatchObject({ isAuthenticated: true, pending: { purpose: 'step-up' } });
    expect(status.verified).toMatchObject({ at: test.clock.now() - 301_000, method: 'sms' });
    expect((await agent.get('/account')).body).toEqual({ id: user.id });
    expect((await agent.get('/fresh')).status).toBe(403);
  });

  it('with the right code renews the id, replaces the mark and keeps everything the app has in the session', async () => {
    const { user, agent, sid } = await steppingUp();
    await agent.post('/cart');
    const verified = await giveCode(test, agent, user);
    expect(verified.body).toMatchObject({ verified: true, authInfo: { amr: ['pwd', 'sms'] } });
    const renewed = String(sessionIdOf(verified));
    expect(renewed).not.toBe(sid);
    expect(test.sessions.ids()).not.toContain(sid);
    expect(test.sessions.rest(renewed)).toMatchObject({
      cart: ['book'],
      passport: { user: user.id },
      smsOtp: { version: 1, verified: { userId: user.id, at: test.clock.now() } },
      // express-session computes it anew from the time of expiry.
      cookie: { originalMaxAge: expect.closeTo(THIRTY_DAYS_MS, -3) },
    });
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: true, pending: null });
    expect((await agent.get('/fresh')).status).toBe(200);
  });

  it('calls neither loadUser nor logIn', async () => {
    const { user, agent } = await steppingUp();
    loaded.length = 0;
    const logins = test.logins.length;
    expect((await giveCode(test, agent, user)).status).toBe(200);
    expect([loaded, test.logins.length]).toEqual([[], logins]);
  });

  it('is what maxAgeSeconds with a redirect asks for, and leads back to the page', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    test.clock.advanceSeconds(301);
    const page = '/site/fresh?to=bob';
    const steps = [
      await agent.get(page),
      await agent.post('/site/step-up'),
      await agent.post('/site/pin').send({ pin: test.code(user) }),
    ];
    expect(steps.map(({ headers }) => headers.location as unknown)).toEqual([
      '/site/why',
      '/site/pin',
      page,
    ]);
    expect((await agent.get(page)).body).toEqual({ id: user.id });
  });

  it('tells the page why it is asked for', async () => {
    const agent = await logIn(test, test.nextUser());
    test.clock.advanceSeconds(301);
    await agent.get('/site/fresh');
    expect((await statusOf(agent)).notice).toBe('second-factor-too-old');
  });

  it('twice within the gap sends one code, and the second is answered like the first', async () => {
    const { user, agent } = await steppingUp();
    const { generate } = test.sim.stats().calls;
    const again = await agent.post('/step-up');
    expect(again.body).toMatchObject({ sent: true, purpose: 'step-up' });
    expect(test.sim.stats().calls.generate).toBe(generate);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('may have its code sent again', async () => {
    const { user, agent } = await steppingUp();
    test.clock.advanceSeconds(60);
    loaded.length = 0;
    expect((await agent.post('/login/resend')).body).toMatchObject({
      sent: true,
      purpose: 'step-up',
    });
    expect((await giveCode(test, agent, user)).status).toBe(200);
    expect(loaded).toEqual([]);
  });

  it.each([
    ['a wrong code', (agent: Agent, user: TestUser) => giveWrongCode(test, agent, user), 401],
    [
      'a malformed code',
      async (agent: Agent) => agent.post('/login/pin').send({ pin: 'no code' }),
      400,
    ],
    ['a cancel', async (agent: Agent) => agent.post('/login/cancel'), 200],
    ['a resend too soon', async (agent: Agent) => agent.post('/login/resend'), 429],
  ])('leaves the user logged in, with the old mark, after %s', async (_title, act, status) => {
    const { user, agent } = await steppingUp();
    expect((await act(agent, user)).status).toBe(status);
    expect((await agent.get('/account')).body).toEqual({ id: user.id });
    expect((await agent.get('/fresh')).status).toBe(403);
  });

  it('leaves the user logged in when its code expires, and when it has ended', async () => {
    const { user, agent } = await steppingUp();
    test.clock.advanceSeconds(300);
    expect((await giveCode(test, agent, user)).body).toEqual({ error: 'expired' });
    test.clock.advanceSeconds(300);
    expect((await statusOf(agent)).pending).toBe(null);
    expect((await giveCode(test, agent, user)).body).toEqual({ error: 'expired' });
    expect((await giveCode(test, agent, user)).body).toEqual({ error: 'no-pending-login' });
    expect((await agent.get('/account')).body).toEqual({ id: user.id });
  });

  it('of a user without a usable number is refused, and the user stays logged in', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    test.users.set(user.id, { ...user, phone: null });
    const answer = await agent.post('/step-up');
    expect([answer.status, answer.body]).toEqual([403, { error: 'no-phone' }]);
    expect((await agent.get('/account')).status).toBe(200);
  });

  it('ends when the number has changed since the code went out', async () => {
    const { user, agent } = await steppingUp();
    const code = test.code(user);
    test.users.set(user.id, { ...user, phone: test.nextUser().phone });
    const answer = await agent.post('/login/pin').send({ pin: code });
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: true, pending: null });
  });
});
