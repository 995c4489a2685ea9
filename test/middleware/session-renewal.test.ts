import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { giveCode, givePassword, logIn, passwordOf, sessionIdOf, statusOf } from './support/steps';
import { useSharedApp } from '../support/use-app';

/** A session whose id the visitor has before the login. */
function addVisit(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
  app.get('/visit', (req, res) => {
    Object.assign(req.session, { visited: true });
    res.json({});
  });
  // Passport types its middleware as any.
  const passwordAlone = passport.authenticate('local', { keepSessionInfo: true }) as RequestHandler;
  app.post('/password-alone', passwordAlone, (_req, res) => void res.json({}));
  app.post('/pin/once', smsOtp.verify({ session: false, authInfo: false }), (req, res) => {
    res.json({ isAuthenticated: req.isAuthenticated(), authInfo: req.authInfo });
  });
  app.post(
    '/pin/keeping',
    smsOtp.verify({ keepSessionInfo: true }),
    (_req, res) => void res.json({}),
  );
}

describe('the session of a login', () => {
  const test = useSharedApp({ people: 40, routes: addVisit });

  it('carries the mark through the renewal of req.logIn, and no session that was there before ever holds it', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const before = sessionIdOf(await givePassword(agent, user));
    const after = sessionIdOf(await giveCode(test, agent, user));
    expect(test.sessions.rest(String(after))).toMatchObject({
      smsOtp: { version: 1, verified: { userId: user.id, method: 'sms', at: test.clock.now() } },
    });
    const written = test.sessions.writes.filter(({ sid }) => sid === before);
    expect(written).toHaveLength(1);
    expect(written[0]?.text).not.toContain('verified');
  });

  it('has another id after the password and another one after the code (a flag set after the code would keep the id)', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const ids = [
      sessionIdOf(await agent.get('/visit')),
      sessionIdOf(await givePassword(agent, user)),
      sessionIdOf(await giveCode(test, agent, user)),
    ];
    expect(ids.every((id) => typeof id === 'string')).toBe(true);
    expect(new Set(ids).size).toBe(3);
    expect(test.sessions.ids().filter((id) => ids.includes(id))).toEqual([ids[2]]);
  });

  it('keeps, at the password, the id that was made for a request without any Cookie header', async () => {
    const { destroy } = test.sessions.calls;
    const sent = await givePassword(test.agent(), test.nextUser());
    expect(test.sessions.ids()).toContain(sessionIdOf(sent));
    expect(test.sessions.calls.destroy).toBe(destroy);
  });

  it.each([
    ['another', 'theme=dark'],
    ['ours and another', '__Host-sms-otp-browser=x; theme=dark'],
    ['one without a value', 'theme'],
    ['one with a longer name', '__Host-sms-otp-browser2=x'],
  ])('is renewed at the password when the request brought a cookie: %s', async (_name, cookie) => {
    const { destroy } = test.sessions.calls;
    await test.agent().post('/login').set('Cookie', cookie).send(passwordOf(test.nextUser()));
    expect(test.sessions.calls.destroy).toBe(destroy + 1);
  });

  it('keeps its id at the password when the request brought our own cookie alone', async () => {
    const { destroy } = test.sessions.calls;
    const own = '__Host-sms-otp-browser=x;  __Host-sms-otp-browser=y';
    const sent = await test
      .agent()
      .post('/login')
      .set('Cookie', own)
      .send(passwordOf(test.nextUser()));
    expect(sent.body).toMatchObject({ sent: true });
    expect(test.sessions.calls.destroy).toBe(destroy);
  });

  it('cannot be fixed before the login: the id from before cannot submit the code', async () => {
    const user = test.nextUser();
    const [victim, attacker] = [test.agent(), test.agent()];
    const visit = await attacker.get('/visit');
    victim.jar.setCookies(visit.headers['set-cookie'] ?? '');
    expect((await givePassword(victim, user)).body).toMatchObject({ sent: true });
    const stolen = await giveCode(test, attacker, user);
    expect([stolen.status, stolen.body]).toEqual([401, { error: 'no-pending-login' }]);
    expect((await giveCode(test, victim, user)).status).toBe(200);
    expect((await attacker.get('/account')).status).toBe(403);
  });

  it('has no user between the factors (req.logIn after the password would make isAuthenticated() true)', async () => {
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, hasSecondFactor: false });
    expect(await statusOf(agent)).toMatchObject({ sessionKeys: ['cookie', 'smsOtp'] });
  });

  it('logs an earlier user out when the password of another is right', async () => {
    const agent = await logIn(test, test.nextUser());
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: true });
    await givePassword(agent, test.nextUser());
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, verified: null });
    expect((await agent.get('/account')).status).toBe(403);
  });

  it("holds a mark that keepSessionInfo: true brings into another user's session, where it counts for nothing", async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const agent = await logIn(test, alice);
    expect((await agent.post('/password-alone').send(passwordOf(bob))).status).toBe(200);
    const status = await statusOf(agent);
    expect(status.session).toMatchObject({ verified: { userId: alice.id } });
    expect(status).toMatchObject({ isAuthenticated: true, hasSecondFactor: false, verified: null });
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('holds the mark of its own user when verify is told keepSessionInfo: true, and no pending code', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const agent = await logIn(test, alice);
    await givePassword(agent, bob);
    expect((await agent.post('/pin/keeping').send({ pin: test.code(bob) })).status).toBe(200);
    const status = await statusOf(agent);
    expect(status).toMatchObject({ hasSecondFactor: true, pending: null });
    expect(status.session).toMatchObject({ verified: { userId: bob.id } });
  });

  it('has no mark and no user when verify is told session: false: the user is that of one request', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const answer = await agent.post('/pin/once').send({ pin: test.code(user) });
    expect(answer.body).toEqual({ isAuthenticated: true });
    const status = await statusOf(agent);
    expect(status).toMatchObject({
      isAuthenticated: false,
      session: { version: 1 },
      pending: null,
    });
    expect(status.session).not.toHaveProperty('verified');
  });

  it('keeps user and mark when a step-up is verified with session: false', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const { verified } = await statusOf(agent);
    test.clock.advanceSeconds(60);
    await agent.post('/step-up');
    expect((await agent.post('/pin/once').send({ pin: test.code(user) })).status).toBe(200);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: true, verified, pending: null });
  });

  it('has the id of nobody once its code is spent: the replayed code finds no pending login', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const sent = await givePassword(agent, user);
    await giveCode(test, agent, user);
    const replay = test.agent();
    replay.jar.setCookies(sent.headers['set-cookie'] ?? '');
    const answer = await giveCode(test, replay, user);
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
  });
});
