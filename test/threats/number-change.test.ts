import { describe, expect, it } from '@jest/globals';
import { ALICE, BOB, type TestApp } from '../support/test-app';
import { setMark } from '../account/support/stored-slot';
import { seen, visit, type Visit } from '../support/visit';
import { HOME, WORK, NEW, OTHER } from '../support/test-users';
import { useOwnApps } from '../support/use-app';
import { numbersOf } from '../support/memory-phone-book';

const apps = useOwnApps({ hasPhones: true });

/** Everything that changes a number, with an id of the victim's own. */
async function tryEverything(thief: Visit, phoneId: string): Promise<unknown[]> {
  const body = { phone: NEW, phoneId };
  const paths = ['enroll', 'national', 'replace', 'remove', 'remove-any', 'default'];
  const answers: unknown[] = [];
  for (const path of paths) answers.push(seen(await thief.post(`/phones/${path}`, body)));
  return answers;
}

/** The victim's two numbers are as they were, and the thief's number was not even noted. */
function expectUntouched(test: TestApp, sent: number): void {
  expect(numbersOf(test)).toEqual([HOME, WORK]);
  expect(test.book.changes).toEqual([]);
  expect([test.sim.stats().sent, test.sim.lastPin(NEW)]).toEqual([sent, undefined]);
  expect([test.ended, test.errors]).toEqual([[], []]);
}

const refused = (error: string): unknown[] => Array.from({ length: 6 }, () => [403, { error }]);

describe.each(['A', 'B'] as const)('a number cannot be changed in variant %s', (variant) => {
  async function scene(): Promise<{
    test: TestApp;
    alice: Visit;
    phoneId: string;
    sent: number;
  }> {
    const test = await apps.start({ variant });
    test.book.seed('alice', HOME, WORK);
    const alice = visit(test);
    await alice.logIn();
    return { test, alice, phoneId: await alice.idOf(WORK), sent: test.sim.stats().sent };
  }

  it('but with a second factor that is young enough, which is told, and ends the other sessions', async () => {
    const { test, alice } = await scene();
    test.clock.advanceSeconds(300);
    await alice.replace(NEW);
    expect((await alice.confirm(NEW)).status).toBe(200);
    expect(numbersOf(test)).toEqual([NEW, WORK]);
    const told = {
      type: 'phone-enrolled',
      userId: 'alice',
      maskedPhone: '•• •• 88',
      replaced: '•• •• 23',
    };
    expect(test.events).toContainEqual(expect.objectContaining(told));
    expect(test.ended).toEqual([{ userId: 'alice', sessionId: expect.any(String) }]);
  });

  it('by nobody', async () => {
    const { test, phoneId, sent } = await scene();
    expect(await tryEverything(visit(test), phoneId)).toEqual(refused('second-factor-required'));
    expectUntouched(test, sent);
  });

  it('with the password only, while the code is pending', async () => {
    const { test, phoneId, sent } = await scene();
    const thief = visit(test);
    expect((await thief.login()).body).toMatchObject({ sent: true, purpose: 'login' });
    expect(await tryEverything(thief, phoneId)).toEqual(refused('second-factor-required'));
    expectUntouched(test, sent + 1);
  });

  it('with the password only, where no second factor is required', async () => {
    const { test, phoneId, sent } = await scene();
    test.users.set('alice', { ...ALICE, isOptional: true });
    const thief = visit(test);
    expect((await thief.login()).body).toEqual({ sent: false, reason: 'not-required' });
    expect(await tryEverything(thief, phoneId)).toEqual(refused('second-factor-required'));
    expectUntouched(test, sent);
  });

  it('with a stolen session whose second factor is older than the limit', async () => {
    const { test, alice, phoneId, sent } = await scene();
    test.clock.advanceSeconds(301);
    expect((await alice.account()).status).toBe(200);
    expect(await tryEverything(alice, phoneId)).toEqual(refused('second-factor-too-old'));
    expectUntouched(test, sent);
  });

  it("with a trusted device's mark, however young", async () => {
    const { test, alice, phoneId, sent } = await scene();
    setMark(test, { userId: 'alice', method: 'trusted-device', at: test.clock.now() });
    expect((await alice.account()).status).toBe(200);
    expect(await tryEverything(alice, phoneId)).toEqual(refused('second-factor-required'));
    expectUntouched(test, sent);
  });

  it("with another user's mark, and with one from no time", async () => {
    const { test, alice, phoneId, sent } = await scene();
    setMark(test, { userId: 'bob', method: 'sms', at: test.clock.now() });
    expect(await tryEverything(alice, phoneId)).toEqual(refused('second-factor-required'));
    setMark(test, { userId: 'alice', method: 'sms', at: 'now' });
    expect(await tryEverything(alice, phoneId)).toEqual(refused('second-factor-required'));
    expectUntouched(test, sent);
  });

  it('with a mark that vanished, or grew old, between enrollment and code', async () => {
    for (const mark of [
      undefined,
      { userId: 'alice', method: 'sms', at: Date.now() - 3_600_000 },
    ]) {
      const { test, alice } = await scene();
      await alice.replace(NEW);
      setMark(test, mark);
      const { validate } = test.sim.stats().calls;
      const error = mark === undefined ? 'second-factor-required' : 'second-factor-too-old';
      expect(seen(await alice.confirm(NEW))).toEqual([403, { error }]);
      expect(test.sim.stats().calls.validate).toBe(validate);
      expect(numbersOf(test)).toEqual([HOME, WORK, `${NEW}?`]);
      expect((await alice.status()).body.pending).toBe(null);
      setMark(test, { userId: 'alice', method: 'sms', at: test.clock.now() });
      expect(seen(await alice.confirm(NEW))).toEqual([401, { error: 'no-pending-login' }]);
    }
  });
});

describe('trust on first use ends with the first number', () => {
  it('also for an enrollment that began before it', async () => {
    const test = await apps.start();
    const [bob, thief] = [visit(test, BOB), visit(test, BOB)];
    await thief.login();
    await bob.login();
    await bob.enroll(WORK);
    test.clock.advanceSeconds(61);
    await thief.enroll(OTHER);
    test.book.addUnconfirmed('bob', WORK);
    test.book.confirm('bob', WORK);
    test.book.addUnconfirmed('bob', OTHER);
    expect(seen(await thief.confirm(OTHER))).toEqual([403, { error: 'second-factor-required' }]);
    expect(numbersOf(test, BOB)).toEqual([WORK, `${OTHER}?`]);
  });

  it('and is not begun anew by a book that is broken or odd', async () => {
    const test = await apps.start();
    test.users.set('alice', { ...ALICE, isOptional: true });
    const thief = visit(test);
    await thief.login();
    const answers = [
      undefined,
      null,
      {},
      [null],
      [{}],
      [{ mobile: 'odd', isConfirmed: true }],
      [{ mobile: HOME }],
    ];
    for (const answer of answers) {
      // The book is an app's, and apps have no types of ours.
      test.book.list = () => answer as ReturnType<typeof test.book.list>;
      expect([403, 500]).toContain((await thief.enroll(NEW)).status);
    }
    expect([test.book.changes, test.sim.lastPin(NEW)]).toEqual([[], undefined]);
  });
});
