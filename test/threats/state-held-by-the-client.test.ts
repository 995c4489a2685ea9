import { describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import session from 'express-session';
import { testClock } from '../support/clock';
import { answering, tamperedStore } from '../support/tampered-store';
import { ALICE, type TestApp } from '../support/test-app';
import { enterWrongly, seen, visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const test = useOwnApps();

describe('attempts', () => {
  it('stay counted when the session is put back to what it was (Punk-TOTP CVE-2026-78655)', async () => {
    await test.start();
    const visitor = visit(test);
    await visitor.login();
    const saved = test.sessions.dump();
    for (let time = 0; time < 6; time += 1) {
      await enterWrongly(visitor, 3);
      restore(test.sessions, saved);
    }
    expect(test.sim.stats().calls.validate).toBe(5);
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'invalid-code' }]);
  });

  it('are told by the session and counted elsewhere: nothing but what a page shows changes', async () => {
    await test.start();
    const visitor = visit(test);
    await visitor.login();
    const saved = test.sessions.dump();
    await enterWrongly(visitor, 3);
    expect(saved).toMatch(/attemptsLeft\W+5/);
    expect(test.sessions.dump()).toBe(
      saved.replace(/(attemptsLeft\W+)5/, (_found, before: string) => `${before}2`),
    );
    expect(saved).not.toMatch(/failure|lock|userId|2025550123/i);
  });

  it('are not lost with a session that lives in a cookie, because none is accepted (Punk-TOTP CVE-2026-78655)', async () => {
    // What cookie-session with the widely copied shim looks like.
    const cookieSession: RequestHandler = (req, _res, next) => {
      const shim = { regenerate: (done: () => void) => done(), save: (done: () => void) => done() };
      Object.assign(req, { session: Object.assign(Object.create(shim) as object, { cookie: {} }) });
      next();
    };
    await test.start({ sessionMiddleware: [cookieSession] });
    const visitor = visit(test);
    expect(seen(await visitor.login())).toEqual([500, { code: 'ERR_SESSION_NOT_RENEWED' }]);
    expect(test.sim.stats().sent).toBe(0);
  });

  it('at a challenge are not undone when the work of the request fails before a code is judged (Vikunja CVE-2026-35597, GHSA-fgfv-pv97-6cmj)', async () => {
    let isBroken = true;
    const loadUser = (): Express.User => {
      if (isBroken) throw new Error('the transaction was rolled back');
      // The test app's users are its own.
      return test.users.get('alice') as unknown as Express.User;
    };
    await test.start({ options: { loadUser } });
    const visitor = visit(test);
    await visitor.login();
    for (let time = 0; time < 5; time += 1) expect((await visitor.enterRight()).status).toBe(500);
    isBroken = false;
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'invalid-code' }]);
    test.clock.advanceSeconds(31);
    await visitor.resend();
    await enterWrongly(visitor, 5);
    // Only the codes that were judged are failures of the user.
    expect(test.sim.stats().calls.validate).toBe(5);
    const counts = test.events.filter(({ type }) => type === 'failure-count-changed');
    expect(counts.at(-1)).toMatchObject({ failures: 5 });
  });

  it.each([
    [
      'as text',
      { refusedBy: null, counts: [{ count: '50', resetSeconds: null, lockedSeconds: '1800' }] },
    ],
    ['not at all', { refusedBy: null, counts: [] }],
    [
      'as a refusal in text',
      { refusedBy: '0', counts: [{ count: '50', resetSeconds: null, lockedSeconds: '0' }] },
    ],
  ])(
    'that the store gives %s let nobody past the limit (Vikunja CVE-2026-35597)',
    async (_what, charge) => {
      const clock = testClock();
      const tampered = tamperedStore(clock);
      await test.start({ clock, options: { store: tampered.store } });
      const visitor = visit(test);
      await visitor.login();
      tampered.tamper('charge', answering(charge));
      await enterWrongly(visitor, 8);
      expect(test.sim.stats().calls.validate).toBeLessThanOrEqual(5);
      expect((await visitor.enterRight()).status).toBeGreaterThanOrEqual(400);
      expect(test.logins).toEqual([]);
    },
  );
});

describe('an end', () => {
  /** What ends a challenge, each in its own way. */
  const ENDS: [string, (visitor: Visit) => Promise<unknown>][] = [
    [
      'an answer that was lost',
      (visitor) => (test.sim.failNext('validate', 'reset'), visitor.enterRight()),
    ],
    ['a cancel', (visitor) => visitor.cancel()],
    ['a number that has changed', (visitor) => withPhone('+12025550199', visitor.enterRight)],
    [
      'a number that had changed before another code',
      (visitor) => withPhone('+12025550199', visitor.resend),
    ],
  ];

  it.each(ENDS)(
    'by %s is the end in the store, however often the session is put back',
    async (_what, end) => {
      await test.start();
      const visitor = visit(test);
      await visitor.login();
      const saved = test.sessions.dump();
      test.clock.advanceSeconds(30);
      await end(visitor);
      const before = test.sim.stats().calls.validate;
      restore(test.sessions, saved);
      expect((await visitor.status()).body.session.pending).toBeDefined();
      expect(seen(await visitor.enterRight())).toEqual([401, { error: 'invalid-code' }]);
      restore(test.sessions, saved);
      expect(seen(await visitor.resend())).toEqual([401, { error: 'no-pending-login' }]);
      expect([test.sim.stats().calls.validate, test.sim.stats().sent]).toEqual([before, 1]);
    },
  );

  async function withPhone(phone: string, act: () => Promise<unknown>): Promise<void> {
    test.users.set('alice', { ...ALICE, phone });
    await act();
    test.users.set('alice', ALICE);
  }
});

/** Puts every session back to what it was. */
function restore(sessions: TestApp['sessions'], dump: string): void {
  const saved = JSON.parse(dump) as Record<string, string>;
  for (const [sid, data] of Object.entries(saved)) {
    session.MemoryStore.prototype.set.call(sessions, sid, JSON.parse(data) as session.SessionData);
  }
}
