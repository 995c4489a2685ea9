import { describe, expect, it } from '@jest/globals';
import type { TestUser } from '../support/test-app';
import { giveCode, givePassword, sessionIdOf, statusOf, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

type Slot = Record<string, unknown> & { pending?: object };

describe('a code', () => {
  const test = useSharedApp({ people: 40 });

  async function loggedIn(user: TestUser): Promise<{ agent: Agent; sid: string }> {
    const agent = test.agent();
    await givePassword(agent, user);
    return { agent, sid: String(sessionIdOf(await giveCode(test, agent, user))) };
  }

  async function pending(user: TestUser): Promise<{ agent: Agent; sid: string }> {
    const agent = test.agent();
    return { agent, sid: String(sessionIdOf(await givePassword(agent, user))) };
  }

  /**
   * As if one session's pending code had got into another, which only a fault of the session store
   * could do.
   */
  function move(from: string, to: string, change: object = {}): void {
    const { smsOtp } = test.sessions.rest(from) as { smsOtp: Slot };
    const target = test.sessions.rest(to) as { smsOtp: Slot };
    const moved = { ...smsOtp.pending, ...change };
    test.sessions.put(to, { ...target, smsOtp: { ...target.smsOtp, pending: moved } });
  }

  it("of one user's step-up is not good in the session of another", async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const [ofAlice, ofBob] = [await loggedIn(alice), await loggedIn(bob)];
    await ofAlice.agent.post('/step-up');
    move(ofAlice.sid, ofBob.sid);
    const answer = await giveCode(test, ofBob.agent, alice);
    expect([answer.status, answer.body]).toEqual([401, { error: 'no-pending-login' }]);
    expect(await statusOf(ofBob.agent)).toMatchObject({ isAuthenticated: true, pending: null });
    expect((await ofBob.agent.get('/account')).body).toEqual({ id: bob.id });
  });

  it('of a step-up is worth nothing to somebody who is not logged in', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const [ofAlice, ofBob] = [await loggedIn(alice), await pending(bob)];
    await ofAlice.agent.post('/step-up');
    move(ofAlice.sid, ofBob.sid);
    expect((await giveCode(test, ofBob.agent, alice)).status).toBe(401);
    expect(await statusOf(ofBob.agent)).toMatchObject({ isAuthenticated: false });
  });

  it('of a login is not good for a step-up', async () => {
    const user = test.nextUser();
    const { agent, sid } = await loggedIn(user);
    move((await pending(user)).sid, sid, { purpose: 'step-up' });
    const { verified } = await statusOf(agent);
    const answer = await giveCode(test, agent, user);
    expect([answer.status, answer.body]).toEqual([401, { error: 'invalid-code' }]);
    expect((await statusOf(agent)).verified).toEqual(verified);
  });

  it('of a step-up is not good for a login', async () => {
    const user = test.nextUser();
    const { agent, sid } = await loggedIn(user);
    await agent.post('/step-up');
    const stranger = await pending(test.nextUser());
    move(sid, stranger.sid, { purpose: 'login' });
    const logins = test.logins.length;
    const answer = await giveCode(test, stranger.agent, user);
    expect([answer.status, answer.body]).toEqual([401, { error: 'invalid-code' }]);
    expect(test.logins.length).toBe(logins);
  });

  it('of another pending login is not good here, though the gateway gave both the same id', async () => {
    const [alice, bob] = [test.nextUser(), test.nextUser()];
    const [ofAlice, ofBob] = [await pending(alice), await pending(bob)];
    const { smsOtp } = test.sessions.rest(ofBob.sid) as {
      smsOtp: { pending: { pendingId: string } };
    };
    move(ofAlice.sid, ofBob.sid, { pendingId: smsOtp.pending.pendingId });
    expect((await giveCode(test, ofBob.agent, alice)).body).toEqual({ error: 'invalid-code' });
    expect(await statusOf(ofBob.agent)).toMatchObject({ isAuthenticated: false });
  });

  it('whose login was replaced by a step-up elsewhere stays good: one code lives for each purpose', async () => {
    const user = test.nextUser();
    const { agent } = await loggedIn(user);
    const other = await pending(user);
    const code = test.code(user);
    test.clock.advanceSeconds(60);
    expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
    expect((await other.agent.post('/login/pin').send({ pin: code })).status).toBe(200);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });
});
