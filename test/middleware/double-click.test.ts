import { describe, expect, it } from '@jest/globals';
import { addSite } from './support/site';
import { giveCode, givePassword, logIn, passwordOf, sessionIdOf, statusOf } from './support/steps';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const GAP_SECONDS = 30;
const TOO_SOON = { error: 'resend-too-soon' };

describe('a second right password', () => {
  const test = useSharedApp({ people: 40, routes: addSite });

  it('in the same session, while its code is live, sends nothing and is answered like the first', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const first = await givePassword(agent, user);
    const code = test.code(user);
    test.clock.advanceSeconds(GAP_SECONDS - 1);
    const { generate } = test.sim.stats().calls;
    const second = await givePassword(agent, user);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(sessionIdOf(second)).toBeUndefined();
    expect(test.sim.stats().calls.generate).toBe(generate);
    expect((await agent.post('/login/pin').send({ pin: code })).status).toBe(200);
  });

  it('in the same session is redirected like the first', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const answers = [
      await agent.post('/site/login').send(passwordOf(user)),
      await agent.post('/site/login').send(passwordOf(user)),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.location as unknown])).toEqual([
      [303, '/site/pin'],
      [303, '/site/pin'],
    ]);
  });

  it('leaves no user in the request either', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    await givePassword(agent, user);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, hasSecondFactor: false });
  });

  it('at the same moment sends one text', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await agent.get('/status');
    const { generate } = test.sim.stats().calls;
    const answers = await Promise.all([givePassword(agent, user), givePassword(agent, user)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(test.sim.stats().calls.generate).toBe(generate + 1);
  });

  it('in another session sends nothing and is pending with a countdown, with Retry-After', async () => {
    const user = test.nextUser();
    await givePassword(test.agent(), user);
    test.clock.advanceSeconds(10);
    const { generate } = test.sim.stats().calls;
    // Of another browser: otherwise it would join the first login.
    const agent = test.agent().set('User-Agent', 'another browser');
    const answer = await givePassword(agent, user);
    const retryAfterSeconds = GAP_SECONDS - 10;
    expect([answer.status, answer.body]).toEqual([
      429,
      { ...TOO_SOON, pending: true, retryAfterSeconds },
    ]);
    expect(answer.headers['retry-after']).toBe(String(retryAfterSeconds));
    expect(test.sim.stats().calls.generate).toBe(generate);
  });

  it('after the gap sends a new code in a new session, and the old code is worth nothing', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const first = await givePassword(agent, user);
    const old = test.code(user);
    test.clock.advanceSeconds(GAP_SECONDS);
    const second = await givePassword(agent, user);
    expect(sessionIdOf(second)).not.toBe(sessionIdOf(first));
    expect(old).not.toBe(test.code(user));
    expect((await agent.post('/login/pin').send({ pin: old })).body).toEqual({
      error: 'invalid-code',
    });
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });

  it('inside the gap, but with a code that has ended, sends nothing and is pending with a countdown', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    await agent.post('/login/cancel');
    expect((await givePassword(agent, user)).body).toMatchObject({ ...TOO_SOON, pending: true });
  });

  it('of another user in the same session sends a code to that user', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const agent = test.agent();
    await givePassword(agent, alice);
    const { generate } = test.sim.stats().calls;
    expect((await givePassword(agent, bob)).body).toMatchObject({ sent: true });
    expect(test.sim.stats().calls.generate).toBe(generate + 1);
    expect((await giveCode(test, agent, alice)).body).toEqual({ error: 'invalid-code' });
    await giveCode(test, agent, bob);
    expect((await agent.get('/account')).body).toEqual({ id: bob.id });
  });

  it('of a user whose step-up is out does not take its code for a login', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await agent.post('/step-up');
    const answer = await givePassword(agent, user);
    expect([answer.status, answer.body]).toMatchObject([429, { ...TOO_SOON, pending: true }]);
  });
});

describe('a resend', () => {
  it('inside the gap is refused with Retry-After, and the code that is out stays good', async () => {
    const test = await apps.start();
    const agent = test.agent();
    await givePassword(agent);
    const answer = await agent.post('/login/resend');
    expect([answer.status, answer.body]).toEqual([
      429,
      { ...TOO_SOON, retryAfterSeconds: GAP_SECONDS },
    ]);
    expect(answer.headers['retry-after']).toBe(String(GAP_SECONDS));
    expect((await giveCode(test, agent)).status).toBe(200);
  });

  it('without a pending login is 401', async () => {
    const test = await apps.start();
    const answer = await test.agent().post('/login/resend');
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
  });
});
