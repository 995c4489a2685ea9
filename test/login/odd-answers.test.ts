import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { testClock } from '../support/clock';
import { people, queue } from '../support/people';
import { answering, tamperedStore, type TamperedStore } from '../support/tampered-store';
import { startTestApp, type TestApp } from '../support/test-app';
import { seen, visit } from '../support/visit';

describe('a store that answers oddly', () => {
  const next = queue(people(20));
  let test: TestApp;
  let tampered: TamperedStore;
  beforeAll(async () => {
    const clock = testClock();
    tampered = tamperedStore(clock);
    const options = { store: tampered.store, allowedCountries: 'any' } as const;
    test = await startTestApp({ clock, users: people(20), options });
  });
  afterAll(() => test.close());
  afterEach(() => tampered.heal());

  it('and gives no count of failures has locked for a second', async () => {
    const visitor = visit(test, next());
    await visitor.login();
    tampered.tamper('charge', answering({ refusedBy: null, counts: [] }));
    const answer = await visitor.enterRight();
    expect(seen(answer)).toEqual([429, { error: 'locked' }]);
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('and keeps a challenge longer than its login sends no other code for it', async () => {
    const visitor = visit(test, next());
    await visitor.login();
    const challenge = await tampered.store.challenges.find((await visitor.pendingId()) ?? '');
    tampered.tamper('find', answering(challenge));
    test.clock.advanceSeconds(600);
    expect(seen(await visitor.resend())).toEqual([401, { error: 'no-pending-login' }]);
  });

  it('and has spent a right code already calls it wrong', async () => {
    const visitor = visit(test, next());
    await visitor.login();
    tampered.tamper('consume', answering(false));
    expect(seen(await visitor.enterRight())).toEqual([401, { error: 'invalid-code' }]);
    expect(test.events).toContainEqual(expect.objectContaining({ type: 'rejected', reason: 'wrong-code' }));
  });

  it('and has lost a challenge ends the pending login at a resend', async () => {
    const visitor = visit(test, next());
    await visitor.login();
    await test.smsOtp.forgetUser(visitor.user.id);
    expect(seen(await visitor.resend())).toEqual([401, { error: 'no-pending-login' }]);
    expect(await visitor.pendingId()).toBeUndefined();
  });
});
