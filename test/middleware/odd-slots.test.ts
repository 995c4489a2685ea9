import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import fc from 'fast-check';
import { bareRequest, letsPass } from './support/bare-request';
import { giveCode, givePassword, sessionIdOf, statusOf } from './support/steps';
import { casesOf } from '../support/complete-run';
import { useSharedApp } from '../support/use-app';

const members = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('alice', 'sms', 0, -1, 1e300, ' alice', ['alice']),
);

/** Slots that are almost right. */
const slots = fc.oneof(
  fc.jsonValue(),
  fc.record({
    version: fc.constantFrom(0, 1, 2, '1', true, null),
    verified: members,
    pending: members,
  }),
  fc.record(
    {
      version: fc.constant(1),
      verified: fc.record({ userId: members, method: members, at: members }, { requiredKeys: [] }),
      pending: fc.record(
        { otpId: members, pendingId: members, pendingUntil: members },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['version', 'verified'] },
  ),
);

interface Mark {
  userId?: unknown;
  at?: unknown;
}

/**
 * The only slots whose mark counts: of this version, for this user, with a time, and nothing odd
 * beside it.
 */
function isMarkOf(slot: unknown, userId: string): boolean {
  const { version, verified, pending } = (slot ?? {}) as {
    version?: unknown;
    verified?: Mark;
    pending?: unknown;
  };
  const isSound = version === 1 && typeof verified === 'object' && pending === undefined;
  return isSound && verified.userId === userId && Number.isFinite(verified.at);
}

describe('an odd slot in a session', () => {
  // A mark alone lets pass where no login has a record.
  const test = useSharedApp({ people: 40, options: { logins: false } });

  it('lets nobody pass, and hasSecondFactor says what the guard does', () => {
    const { hasSecondFactor, requireSecondFactor } = test.smsOtp;
    const guards = [undefined, { maxAgeSeconds: 300 }].map((options) => ({
      has: (req: Request) => hasSecondFactor(req, options),
      guard: requireSecondFactor(options),
    }));
    fc.assert(
      fc.property(slots, fc.constantFrom('alice', 'bob'), (slot, id) => {
        const req = bareRequest({ id }, slot);
        for (const { has, guard } of guards) {
          const isPassed = letsPass(guard, req);
          expect(isPassed).toBe(has(req));
          expect(isPassed && !isMarkOf(slot, id)).toBe(false);
        }
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it('of a mark that is sound lets its user pass', () => {
    const slot = { version: 1, verified: { userId: 'alice', method: 'sms', at: test.clock.now() } };
    const ask = (id: string): boolean => test.smsOtp.hasSecondFactor(bareRequest({ id }, slot));
    expect([ask('alice'), ask('bob'), isMarkOf(slot, 'alice')]).toEqual([true, false, true]);
  });

  it('is neither shown nor an error, whatever is asked for', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const sid = String(sessionIdOf(await giveCode(test, agent, user)));
    const session = { ...test.sessions.rest(sid) };
    const { verified } = session.smsOtp as { verified: object };
    await fc.assert(
      fc.asyncProperty(slots, async (smsOtp) => {
        test.sessions.put(sid, { ...session, smsOtp });
        expect((await agent.get('/account')).status).toBe(isMarkOf(smsOtp, user.id) ? 200 : 403);
        const status = await statusOf(agent);
        expect(status.pending).toBe(null);
        expect(status.verified !== null).toBe(isMarkOf(smsOtp, user.id));
        const { status: code } = await agent.post('/login/pin').send({ pin: '123456' });
        expect(code).toBe(401);
      }),
      { numRuns: 40 },
    );
    test.sessions.put(sid, { ...session, smsOtp: { version: 1, verified } });
    expect((await agent.get('/account')).status).toBe(200);
  });

  it.each([
    ['of null', { userId: null }],
    ['of a list with the id', { userId: ['user-1'] }],
    ['of another user', { userId: 'user-999' }],
    ['with a time as a text', { at: String(Date.now()) }],
    ['without a time', { at: undefined }],
    ['of no time at all', { at: null }],
  ])('with a mark %s counts as none', async (_title, change) => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const sid = String(sessionIdOf(await giveCode(test, agent, user)));
    const session = { ...test.sessions.rest(sid) };
    const { verified } = session.smsOtp as { verified: object };
    test.sessions.put(sid, {
      ...session,
      smsOtp: { version: 1, verified: { ...verified, ...change } },
    });
    expect((await agent.get('/account')).body).toEqual({ error: 'second-factor-required' });
    expect(await statusOf(agent)).toMatchObject({ hasSecondFactor: false, verified: null });
  });

  it('is replaced by the next login', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const sid = String(sessionIdOf(await givePassword(agent, test.nextUser())));
    test.sessions.put(sid, { ...test.sessions.rest(sid), smsOtp: { version: 2, verified: 'all' } });
    await givePassword(agent, user);
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });
});
