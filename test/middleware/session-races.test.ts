import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser } from '../support/test-app';
import { createGate } from './support/gate';
import {
  giveCode,
  givePassword,
  giveWrongCode,
  logIn,
  passwordOf,
  statusOf,
} from './support/steps';
import { useSharedApp } from '../support/use-app';

/** More than the gap before the first resend. */
const GAP_SECONDS = 40;

describe('a slow request', () => {
  const phones = createGate();
  const pages = createGate();
  const decisions = createGate();
  const test = useSharedApp(() => {
    const getPhone = async (user: Express.User): Promise<string | null> => {
      await phones.pass();
      return asTestUser(user).phone;
    };
    const isRequiredFor = async (): Promise<boolean> => {
      await decisions.pass();
      return true;
    };
    const options = { getPhone, isRequiredFor };
    return { people: 40, options, routes: addRoutes };
  });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
    const redirects = { successRedirect: '/home', failureRedirect: '/again' };
    app.post('/redirecting/pin', smsOtp.verify(redirects));
    app.post('/redirecting/step-up', smsOtp.stepUp(redirects));
    app.get(
      '/optional',
      smsOtp.requireSecondFactor({ redirect: '/login', allowNotRequired: true }),
    );
    app.get('/slow-page', (req, res) => {
      void pages.pass().then(() => {
        Object.assign(req.session, { visited: true });
        res.json({});
      });
    });
    // Passport types its middleware as any.
    const passwordAlone = passport.authenticate('local', {
      keepSessionInfo: true,
    }) as RequestHandler;
    app.post('/password-alone', passwordAlone, (_req, res) => void res.json({}));
  }

  it('with a wrong code beside a resend does not bring the old id back', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    test.clock.advanceSeconds(GAP_SECONDS);
    const slow = phones.holdNext();
    const wrong = giveWrongCode(test, agent, user, '/redirecting/pin');
    await slow.arrived;
    expect((await agent.post('/login/resend')).body).toMatchObject({ sent: true });
    slow.release();
    expect((await wrong).status).toBe(303);
    expect(await statusOf(agent)).toMatchObject({ notice: null });
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('with a wrong code beside the right one does not bring the pending session back', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const slow = phones.holdNext();
    const wrong = giveWrongCode(test, agent, user, '/redirecting/pin');
    await slow.arrived;
    const before = test.sessions.ids();
    await giveCode(test, agent, user);
    const after = test.sessions.ids();
    slow.release();
    await wrong;
    expect(before.filter((id) => !after.includes(id))).toHaveLength(1);
    expect(test.sessions.ids()).toEqual(after);
  });

  it('that resends beside a cancel leaves nothing that a code could be given to', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    test.clock.advanceSeconds(GAP_SECONDS);
    const slow = phones.holdNext();
    const resent = agent.post('/login/resend').then((answer) => answer);
    await slow.arrived;
    await agent.post('/login/cancel');
    slow.release();
    expect((await resent).body).toEqual({ error: 'no-pending-login' });
    expect((await giveCode(test, agent, user)).body).toEqual({ error: 'no-pending-login' });
  });

  it('with the right code of a step-up does not log a user in again who has logged out meanwhile', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await agent.post('/step-up');
    const slow = phones.holdNext();
    const right = giveCode(test, agent, user);
    await slow.arrived;
    await agent.post('/logout');
    slow.release();
    expect((await right).body).toEqual({ error: 'no-pending-login' });
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, hasSecondFactor: false });
  });

  it('with the right code of a step-up keeps what other requests have put into the session meanwhile', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await agent.post('/step-up');
    const slow = phones.holdNext();
    const right = giveCode(test, agent, user);
    await slow.arrived;
    await agent.get('/slow-page');
    slow.release();
    expect((await right).status).toBe(200);
    expect((await statusOf(agent)).sessionKeys).toContain('visited');
  });

  it.each([
    ['asks for a step-up', 'post', '/redirecting/step-up', phones],
    ['is turned away by a guard', 'get', '/optional', decisions],
  ] as const)(
    'that %s does not bring a logged-out session back',
    async (_title, method, path, gate) => {
      const user = test.nextUser();
      const agent = await logIn(test, user);
      if (method === 'get') await agent.post('/password-alone').send(passwordOf(test.nextUser()));
      const slow = gate.holdNext();
      const answer = agent[method](path).then(({ status }) => status);
      await slow.arrived;
      await agent.post('/logout');
      const ids = test.sessions.ids();
      slow.release();
      expect(await answer).toBe(303);
      expect(test.sessions.ids()).toEqual(ids);
    },
  );

  it('finds a session that has ended however its cookie is spelt', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const sent = await givePassword(agent, user);
    const [name, value] = String(sent.headers['set-cookie']).split(';', 1)[0]?.split('=') ?? [];
    const spelt = (value ?? '').replace(/^s%3A./, (start) => {
      return `s%3A%${start.charCodeAt(4).toString(16)}`;
    });
    const slow = phones.holdNext();
    const wrong = test
      .agent()
      .post('/redirecting/pin')
      .set('Cookie', `${String(name)}=${spelt}`)
      .send({ pin: '0000000000' })
      .then(({ status }) => status);
    await slow.arrived;
    await giveCode(test, agent, user);
    const ids = test.sessions.ids();
    slow.release();
    expect(await wrong).toBe(303);
    expect(test.sessions.ids()).toEqual(ids);
  });

  it('that writes a logged-out session back to life (express-session does) brings no second factor for another user', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const [agent, old] = [test.agent(), test.agent()];
    await givePassword(agent, alice);
    const verified = await giveCode(test, agent, alice);
    old.jar.setCookies(verified.headers['set-cookie'] ?? '');
    const slow = pages.holdNext();
    const page = agent.get('/slow-page').then((answer) => answer);
    await slow.arrived;
    await agent.post('/logout');
    expect((await old.get('/account')).status).toBe(403);
    slow.release();
    await page;
    // The fault is express-session's own: the old id is alive, with its user and the mark.
    expect(await statusOf(old)).toMatchObject({ isAuthenticated: true, hasSecondFactor: true });
    test.clock.advanceSeconds(301);
    expect((await old.get('/fresh')).body).toEqual({ error: 'second-factor-too-old' });
    test.users.delete(alice.id);
    expect((await old.get('/account')).body).toEqual({ error: 'second-factor-required' });
    await old.post('/password-alone').send(passwordOf(bob));
    expect((await old.get('/account')).body).toEqual({ error: 'second-factor-required' });
  });
});
