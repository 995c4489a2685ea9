import { describe, expect, it } from '@jest/globals';
import { memoryStore, type LimitsOption, type SmsOtpOptions } from 'passport-sms-otp';
import { countBefore } from '../support/count-before';
import { testClock } from '../support/clock';
import { people } from '../support/people';
import { ALICE, asTestUser, BOB, type TestApp, type TestUser } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { isCompleteRun, VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { HOME } from '../support/test-users';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps({ hasPhones: true });

/** Numbers of any country. */
const anywhere = useOwnApps({ options: { allowedCountries: 'any' } });

const LIMITED = [429, { error: 'send-limit', retryAfterSeconds: expect.any(Number) }];
const HOUR = 3_600;

/** A whole login, which takes no time; the status of each of its answers. */
async function logIn(test: TestApp, user: TestUser = ALICE): Promise<number[]> {
  const visitor = visit(test, user);
  return [(await visitor.login()).status, (await visitor.enterRight()).status];
}

const accounts = (count: number): TestUser[] =>
  Array.from({ length: count }, (_, index) => ({ id: `mallory-${index}`, phone: null }));

/** More than a number is texted for in ten minutes, and in a day. */
const MANY = isCompleteRun ? 100 : 20;

describe.each(VARIANTS_OF_LONG_RUNS)('the budget of somebody else in variant %s', (variant) => {
  it.each([
    [1, 310],
    [MANY, 2 * HOUR],
  ])(
    'is not spent by %d accounts that enroll a number for a day, every %d s',
    async (count, everySeconds) => {
      const test = await apps.start({ variant, users: [ALICE, ...accounts(count)] });
      const attackers = accounts(count).map((user) => visit(test, user));
      for (const attacker of attackers) await attacker.logIn();
      expect(await logIn(test)).toEqual([200, 200]);
      const answers: number[] = [];
      for (let second = 0; second < 86_400 - everySeconds; second += everySeconds) {
        for (const attacker of attackers) await attacker.enroll(HOME);
        const isTime = second >= 2 * HOUR * (answers.length / 2);
        if (isTime) answers.push(...(await logIn(test)));
        test.clock.advanceSeconds(everySeconds);
      }
      expect(new Set(answers)).toEqual(new Set([200]));
      const own = 1 + answers.length / 2;
      const fromStrangers = test.sim.stats().sent - own;
      expect(own).toBeGreaterThan(10);
      expect(fromStrangers).toBeGreaterThan(0);
      expect(fromStrangers).toBeLessThanOrEqual(10);
    },
  );

  it('is none behind one address: 300 users come in within 25 minutes, of 300 strangers 100 are texted', async () => {
    const members = people(300);
    const strangers = people(600)
      .slice(300)
      .map(({ phone }, index) => ({ id: `new-${index}`, phone }));
    const test = await anywhere.start({ variant, users: [...members, ...strangers] });
    for (const member of members) {
      expect(await logIn(test, member)).toEqual([200, 200]);
      test.clock.advanceSeconds(40);
    }
    test.clock.advanceSeconds(86_400);
    for (const member of members) {
      expect(await logIn(test, member)).toEqual([200, 200]);
      test.clock.advanceSeconds(5);
    }
    const answers: number[] = [];
    for (const stranger of strangers) answers.push((await visit(test, stranger).login()).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(100);
    expect(test.told('denied').at(-1)).toMatchObject({
      reason: 'send-limit',
      limit: 'per-address',
    });
    expect(await logIn(test, members[0])).toEqual([200, 200]);
  });

  it('tells nobody who is a member: once twelve texts fill a prefix, members and strangers are answered alike', async () => {
    const test = await apps.start({ variant, users: [ALICE, ...accounts(13)] });
    expect(await logIn(test)).toEqual([200, 200]);
    const attackers = accounts(13).map((user) => visit(test, user));
    for (const attacker of attackers) await attacker.logIn();
    for (const [index, attacker] of attackers.slice(0, 12).entries()) {
      expect((await attacker.enroll(`+1202555${2000 + index}`)).status).toBe(200);
    }
    const prober = attackers[12];
    const [stranger, member] = [await prober?.enroll('+12025553000'), await prober?.enroll(HOME)];
    expect(member && seen(member)).toEqual(LIMITED);
    expect(stranger && seen(stranger)).toEqual(LIMITED);
    expect(member?.headers['retry-after']).toBe(stranger?.headers['retry-after']);
    expect(await logIn(test)).toEqual([200, 200]);
  });

  it('is not touched by the other account of a number, whatever that one sends', async () => {
    const users = [ALICE, { ...BOB, phone: ALICE.phone }];
    const test = await anywhere.start({ variant, users });
    for (const user of users) expect(await logIn(test, user)).toEqual([200, 200]);
    for (let send = 1; send <= 12; send += 1) {
      await visit(test, users[1]).login();
      test.clock.advanceSeconds(310);
      expect(await logIn(test)).toEqual([200, 200]);
    }
    expect(seen(await visit(test, users[1]).login())).toEqual(LIMITED);
  });

  it('is not spent where the app calls every number confirmed, and strangers get at most 60 texts out', async () => {
    const users = [ALICE, ...accounts(20).map((user) => ({ ...user, phone: ALICE.phone }))];
    const getPhone: SmsOtpOptions['getPhone'] = (user) => ({
      number: asTestUser(user).phone ?? '',
      isConfirmed: true,
    });
    // The owner comes in a new browser each time.
    const limits: LimitsOption = { perUser: { maxPerDay: 30 } };
    const test = await anywhere.start({ variant, users, options: { getPhone, limits } });
    expect(await logIn(test)).toEqual([200, 200]);
    let texts = 0;
    for (let hour = 0; hour < 23; hour += 1) {
      for (const user of users.slice(1))
        if ((await visit(test, user).login()).status === 200) texts += 1;
      expect(await logIn(test)).toEqual([200, 200]);
      test.clock.advanceSeconds(HOUR);
    }
    // The owner's first text was a stranger's too.
    expect(texts).toBe(59);
    expect(test.events).toContainEqual(
      expect.objectContaining({ type: 'denied', reason: 'send-limit', limit: 'per-number' }),
    );
  });
});

describe.each(VARIANTS_OF_LONG_RUNS)('the proof of a number in variant %s', (variant) => {
  /** Of each prefix one unproven number an hour is texted. */
  const limits: LimitsOption = { perPrefix: { maxUnproven: 1 } };
  const neighbour: TestUser = { id: 'neighbour', phone: '+12025550199' };
  const users = [ALICE, neighbour];

  async function isProven(test: TestApp): Promise<boolean> {
    expect((await visit(test, neighbour).login()).status).toBe(200);
    return (await visit(test).login()).status === 200;
  }

  it('is renewed by each right code: on day 401 it holds', async () => {
    const test = await anywhere.start({ variant, users, options: { limits } });
    for (let day = 1; day < 401; day += 20) {
      expect(await logIn(test)).toEqual([200, 200]);
      test.clock.advanceSeconds(20 * 86_400);
    }
    expect(await isProven(test)).toBe(true);
  });

  it('ends 400 days after the last right code', async () => {
    const test = await anywhere.start({ variant, users, options: { limits } });
    await logIn(test);
    test.clock.advanceSeconds(400 * 86_400);
    expect(await isProven(test)).toBe(false);
  });

  it.each([
    ['outlives a new secret that is first of a list', true],
    ['ends with the secret', false],
  ])('%s', async (_what, keepsOld) => {
    const clock = testClock();
    const store = memoryStore({ now: () => clock.now() });
    const [older, newer] = ['o', 'n'].map(
      (letter) => `${letter} secret of the tests, long enough to be one`,
    );
    const old = { store, limits, secret: older ?? '' };
    const before = await anywhere.start({ variant, users, clock, options: old });
    expect(await logIn(before)).toEqual([200, 200]);
    clock.advanceSeconds(2 * HOUR);
    const secret = keepsOld ? ([newer ?? '', older ?? ''] as const) : (newer ?? '');
    const after = await anywhere.start({ variant, users, clock, options: { ...old, secret } });
    expect(await isProven(after)).toBe(keepsOld);
  });

  it("is the user's own: it opens nothing for another user with the same number", async () => {
    const twin = { ...BOB, phone: ALICE.phone };
    const test = await anywhere.start({ variant, users: [...users, twin], options: { limits } });
    await logIn(test);
    test.clock.advanceSeconds(HOUR);
    expect(await isProven(test)).toBe(true);
    expect(seen(await visit(test, twin).login())).toEqual(LIMITED);
  });
});

describe.each(VARIANTS_OF_LONG_RUNS)('the sends of one user in variant %s', (variant) => {
  it('are counted by the number, however the app spells it', async () => {
    const twin = { ...BOB, phone: '+112025550123' };
    const limits = { perNumber: { maxPerDay: 1 } };
    const test = await anywhere.start({ variant, users: [ALICE, twin], options: { limits } });
    expect((await visit(test).login()).status).toBe(200);
    expect(seen(await visit(test, twin).login())).toEqual(LIMITED);
  });

  it.each<[string, number, Partial<SmsOtpOptions>]>([
    ['in browsers that are not known', 10, {}],
    ['in all', 30, { knownBrowsers: false }],
  ])('%s leave logins their share, and step-ups have %d', async (_where, most, options) => {
    const test = await anywhere.start({ variant, isTampered: true, options });
    await countBefore(test, 'sends:step-ups:others:alice', most - 2);
    const visitor = visit(test);
    await visitor.login();
    await visitor.enterRight();
    for (let time = 1; time <= 2; time += 1) {
      expect((await visitor.stepUp()).status).toBe(200);
      await visitor.enterRight();
    }
    expect(seen(await visitor.stepUp())).toEqual(LIMITED);
    expect(await logIn(test)).toEqual([200, 200]);
  });

  it('go to five different unproven numbers a day, and another text to the fifth is no sixth', async () => {
    const test: TestApp = await apps.start({ variant, users: accounts(1) });
    const [user] = accounts(1);
    const visitor = visit(test, user);
    await visitor.logIn();
    for (let index = 0; index < 5; index += 1) {
      expect((await visitor.enroll(`+1202555201${index}`)).status).toBe(200);
      test.clock.advanceSeconds(2 * HOUR);
    }
    expect(seen(await visitor.enroll('+12025552001'))).toEqual(LIMITED);
    expect(test.told('denied').at(-1)).toMatchObject({ limit: 'per-user' });
    expect((await visitor.enroll('+12025552014')).status).toBe(200);
  });

  it('begin with ten enrollments an hour, and the eleventh writes nothing into the phone book', async () => {
    const test: TestApp = await apps.start({ variant, users: accounts(1) });
    const [user] = accounts(1);
    const visitor = visit(test, user);
    await visitor.logIn();
    for (let time = 1; time <= 10; time += 1) await visitor.enroll('+12025552000');
    const before = test.book.list('mallory-0');
    const refused = await visitor.enroll('+12025552001');
    expect(seen(refused)).toEqual([429, { error: 'send-limit', retryAfterSeconds: 3_600 }]);
    expect(test.book.list('mallory-0')).toEqual(before);
    expect(test.events.at(-1)).toMatchObject({
      type: 'denied',
      reason: 'send-limit',
      limit: 'enrollments',
    });
  });
});
