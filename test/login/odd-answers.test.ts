import { afterEach, describe, expect, it } from '@jest/globals';
import { answering } from '../support/tampered-store';
import { seen, visit } from '../support/visit';
import { useSharedApp } from '../support/use-app';

describe('a store that answers oddly', () => {
  const test = useSharedApp({ people: 20, isTampered: true });
  afterEach(() => test.tampered.heal());

  it('and gives no count of failures has failed', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const { validate } = test.sim.stats().calls;
    test.tampered.tamper('charge', answering({ refusedBy: null, counts: [] }));
    expect(seen(await visitor.enterRight())).toEqual([503, { code: 'ERR_STORE' }]);
    expect(test.sim.stats().calls.validate).toBe(validate);
  });

  it('and keeps a login longer than it is pending sends no other code for it', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    const { pendingId } = (await visitor.status()).body.session.pending as { pendingId: string };
    const login = await test.tampered.store.pendingLogins.find(pendingId);
    test.tampered.tamper('find', answering(login));
    test.clock.advanceSeconds(600);
    expect(seen(await visitor.resend())).toEqual([401, { error: 'no-pending-login' }]);
  });

  it.each([
    ['a counter without a count', 3],
    ['a counter that it was not given', 99],
  ])('and refuses a text by %s has failed, and no text goes out', async (_what, refusedBy) => {
    const { generate } = test.sim.stats().calls;
    test.tampered.tamper('charge', answering({ refusedBy, counts: [] }));
    expect(seen(await visit(test, test.nextUser()).login())).toEqual([503, { code: 'ERR_STORE' }]);
    expect(test.sim.stats().calls.generate).toBe(generate);
  });

  it('and has lost the login of a session answers a second password in the gap like that of another session', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    test.tampered.tamper('find', answering(null));
    expect(seen(await visitor.login())).toEqual([
      429,
      { error: 'resend-too-soon', pending: true, retryAfterSeconds: 30 },
    ]);
  });

  it('and has spent a right code already says that its login is over', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    test.tampered.tamper('finish', answering({ isFinished: false }));
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'no-pending-login' }]);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'rejected', reason: 'no-pending-login' }),
    );
  });

  it('and has lost a login ends the pending login at a resend', async () => {
    const visitor = visit(test, test.nextUser());
    await visitor.login();
    await test.smsOtp.forgetUser(visitor.user.id);
    expect(seen(await visitor.resend())).toEqual([401, { error: 'no-pending-login' }]);
    expect(await visitor.pendingId()).toBeUndefined();
  });
});
