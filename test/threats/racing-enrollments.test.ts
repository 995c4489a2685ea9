import { describe, expect, it } from '@jest/globals';
import { slowBook } from '../account/support/slow-book';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { BOB, type TestApp } from '../support/test-app';
import { memoryPhoneBook, numbersOf } from '../support/memory-phone-book';
import { slowStore } from '../support/slow-store';
import { seen, visit, type Visit } from '../support/visit';
import { HOME, WORK, NEW, OTHER } from '../support/test-users';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps({ hasPhones: true });

const ROUNDS = 5;

const enrolled = (test: TestApp): unknown[] =>
  test.events.filter(({ type }) => type === 'phone-enrolled');
const confirmed = (test: TestApp, user = { id: 'alice', phone: null }): string[] =>
  numbersOf(test, user).filter((mobile) => !mobile.endsWith('?'));

/**
 * An app whose store and phone book take their time, and a user with two sessions that passed both
 * factors.
 */
async function openRace(variant: 'A' | 'B'): Promise<{ test: TestApp; one: Visit; two: Visit }> {
  const book = memoryPhoneBook();
  book.seed('alice', HOME, WORK);
  const test = await apps.start({
    variant,
    book,
    store: slowStore,
    // With logins the other session would have ended: here the phone book alone decides.
    options: { phoneBook: slowBook(book), logins: false },
  });
  const [one, two] = [visit(test), visit(test)];
  await one.logIn();
  await two.logIn();
  return { test, one, two };
}

describe.each(VARIANTS_OF_LONG_RUNS)('two enrollments at once, in variant %s,', (variant) => {
  it('of different numbers: one is confirmed, and the other code is worth nothing', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { test, one, two } = await openRace(variant);
      await one.enroll(NEW);
      test.clock.advanceSeconds(31);
      await two.enroll(OTHER);
      const answers = await Promise.all([one.confirm(NEW), two.confirm(OTHER)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(confirmed(test)).toHaveLength(3);
      expect([enrolled(test).length, test.ended.length]).toEqual([1, 1]);
    }
  });

  it('of the same number: it is confirmed once', async () => {
    const { test, one, two } = await openRace(variant);
    await one.enroll(NEW);
    const first = test.sim.lastPin(NEW);
    expect(seen(await two.enroll(NEW))).toEqual([
      429,
      { error: 'resend-too-soon', retryAfterSeconds: expect.any(Number) },
    ]);
    test.clock.advanceSeconds(31);
    await two.enroll(NEW);
    const second = test.sim.lastPin(NEW);
    const answers = await Promise.all([
      one.confirmWith(first),
      two.confirmWith(second),
      one.confirmWith(second),
      two.confirmWith(second),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([confirmed(test), enrolled(test).length]).toEqual([[HOME, WORK, NEW], 1]);
  });

  it('of which one is a double click: the number is confirmed, whichever half comes first', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { test, one } = await openRace(variant);
      await one.enroll(NEW);
      const answers = await Promise.all([one.confirm(NEW), one.confirm(NEW), one.confirm(NEW)]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect([confirmed(test), enrolled(test).length]).toEqual([[HOME, WORK, NEW], 1]);
    }
  });

  it('both in the place of one number: it is taken once', async () => {
    const { test, one, two } = await openRace(variant);
    await one.replace(NEW);
    test.clock.advanceSeconds(31);
    await two.replace(OTHER);
    await Promise.all([one.confirm(NEW), two.confirm(OTHER)]);
    expect(confirmed(test)).toEqual([OTHER, WORK]);
    expect(seen(await one.confirm(NEW))).toEqual([401, { error: 'invalid-code' }]);
  });

  it('one begun while the other is judged: whichever wins, its number alone is new', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { test, one, two } = await openRace(variant);
      await one.replace(NEW);
      test.clock.advanceSeconds(31);
      const [first] = await Promise.all([one.confirm(NEW), two.enroll(OTHER)]);
      const isFirstIn = first.status === 200;
      expect(confirmed(test)).toEqual(isFirstIn ? [NEW, WORK] : [HOME, WORK]);
      expect(enrolled(test)).toHaveLength(isFirstIn ? 1 : 0);
    }
  });

  it('a number replaced and removed at once is gone, and never comes back', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { test, one, two } = await openRace(variant);
      const phoneId = await two.idOf(HOME);
      await one.replace(NEW);
      const [replaced, removed] = await Promise.all([
        one.confirm(NEW),
        two.post('/phones/remove', { phoneId }),
      ]);
      expect([replaced.status, removed.status].filter((status) => status === 200)).toHaveLength(1);
      expect(confirmed(test)).toEqual(replaced.status === 200 ? [NEW, WORK] : [WORK]);
    }
  });

  it('of numbers removed at once the last one stays', async () => {
    const { test, one, two } = await openRace(variant);
    const [home, work] = [await one.idOf(HOME), await one.idOf(WORK)];
    const answers = await Promise.all([
      one.post('/phones/remove', { phoneId: home }),
      two.post('/phones/remove', { phoneId: work }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(answers.map(({ body }) => body as object)).toContainEqual({ error: 'last-phone' });
    expect(confirmed(test)).toHaveLength(1);
  });

  it('of a first number by two who have the password: one gets it, and the other needs a second factor', async () => {
    const { test } = await openRace(variant);
    const [one, two] = [visit(test, BOB), visit(test, BOB)];
    await one.login();
    await two.login();
    await one.enroll('+12065550111');
    test.clock.advanceSeconds(31);
    await two.enroll('+12065550112');
    const answers = await Promise.all([one.confirm('+12065550111'), two.confirm('+12065550112')]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(confirmed(test, { id: 'bob', phone: null })).toEqual(['+12065550112']);
    test.clock.advanceSeconds(31);
    expect(seen(await one.enroll('+12065550113'))).toEqual([
      403,
      { error: 'second-factor-required' },
    ]);
  });
});
