import { describe, expect, it, jest } from '@jest/globals';
import { type LimitsOption, memoryStore } from 'passport-sms-otp';
import { createCounter } from '../../src/limits/charge';
import { createOutageWatch, findRefunds, refund, SEND_REFUNDS } from '../../src/limits/refunds';
import { countBefore, findChargedKey } from '../support/count-before';
import { testClock } from '../support/clock';
import type { TestApp, TestUser } from '../support/test-app';
import { tamperedStore, throwing } from '../support/tampered-store';
import { useOwnApps } from '../support/use-app';
import { visit } from '../support/visit';

/** The table of the design: what came of a send, and the budgets that it leaves. */
const TABLE = {
  'not-sent': ['user', 'total', 'in-all'],
  'may-be-sent': ['user'],
  'not-checked': ['user'],
} as const;

type Outcome = keyof typeof TABLE;
type Budget = 'user' | 'total' | 'in-all';

/**
 * Limits that admit one text, the budget that each belongs to, and its name. Where the figure is
 * fixed, the key that is counted in, and how many more it admits.
 */
const LIMITS: readonly [
  what: string,
  budget: Budget,
  name: string,
  limits: LimitsOption,
  fixed: readonly [key: RegExp, more: number] | null,
][] = [
  ["the user's ten minutes", 'user', 'per-user', { perUser: { max: 1 } }, null],
  [
    "the user's day since the last success",
    'user',
    'per-user',
    { perUser: { maxPerDay: 1 } },
    null,
  ],
  ["the user's day in all", 'total', 'per-user', {}, [/^sends:all:others:alice$/, 19]],
  ['the ten minutes of a number', 'total', 'per-number', { perNumber: { max: 1 } }, null],
  ['the day of a number', 'total', 'per-number', { perNumber: { maxPerDay: 1 } }, null],
  ["the number's texts by strangers", 'total', 'per-number', {}, [/^sends:strangers:/, 59]],
  ['the address', 'total', 'per-address', { perAddress: { max: 1 } }, null],
  [
    'the address, to unproven numbers',
    'total',
    'per-address',
    { perAddress: { maxUnproven: 1 } },
    null,
  ],
  ['the prefix', 'total', 'per-prefix', { perPrefix: { max: 1 } }, null],
  [
    'the prefix, to unproven numbers',
    'total',
    'per-prefix',
    { perPrefix: { maxUnproven: 1 } },
    null,
  ],
  ['the sends in all', 'in-all', 'total', { total: { max: 1 } }, null],
];

/** Brings each outcome about with one login. */
const BRING_ABOUT: Readonly<
  Record<string, readonly [outcome: Outcome, act: (test: TestApp) => Promise<unknown>]>
> = {
  'a code that excludes a text': [
    'not-sent',
    (test) => {
      test.sim.failNext('generate', { kind: 'error', code: 2100 });
      return visit(test).login();
    },
  ],
  'a reset after the request': [
    'may-be-sent',
    (test) => {
      test.sim.failNext('generate', { kind: 'reset', when: 'after' });
      return visit(test).login();
    },
  ],
  'a session that cannot be saved': [
    'not-checked',
    async (test) => {
      test.sessions.failSets = true;
      await visit(test).login();
      test.sessions.failSets = false;
    },
  ],
  'a first attempt that is not judged': [
    'not-checked',
    async (test) => {
      const visitor = visit(test);
      await visitor.login();
      test.sim.failNext('validate', { kind: 'error', code: 2121 });
      await visitor.enterRight();
    },
  ],
  'a first attempt whose answer is lost': [
    'not-checked',
    async (test) => {
      const visitor = visit(test);
      await visitor.login();
      test.sim.failNext('validate', { kind: 'reset', when: 'after' });
      await visitor.enterRight();
    },
  ],
};

it('the table is the one of the design', () => {
  expect(SEND_REFUNDS).toEqual(TABLE);
});

it('what was not charged is not given back: an exempt counter, and one without a budget', () => {
  const counted = (key: string, budget: 'total' | 'user' | null, count: number) => ({
    row: { counter: createCounter(key, 60), budget },
    count: { count, resetSeconds: 60, lockedSeconds: 0, generation: 7 },
  });
  const rows = [
    counted('charged', 'total', 1),
    counted('exempt', 'total', 0),
    counted('stays', 'user', 1),
    counted('only read', null, 3),
  ];
  const given = findRefunds(rows, ['total']);
  expect(given).toEqual([createCounter('charged', 60, { amount: -1, generation: 7 })]);
});

it('nothing takes no call to give back, and a store that fails is told of by its answer', async () => {
  const charge = jest.fn(() => Promise.reject(new Error('store')));
  const counters = { ...memoryStore().counters, charge };
  expect(await refund(counters, [])).toBe(true);
  expect(charge).not.toHaveBeenCalled();
  expect(await refund(counters, [createCounter('a', 60, { amount: -1 })])).toBe(false);
});

describe.each(['A', 'B'] as const)('in variant %s', (variant) => {
  const test = useOwnApps({ variant });

  describe.each(Object.entries(BRING_ABOUT))('after %s', (_what, [outcome, act]) => {
    it.each(LIMITS)(`${outcome}: %s`, async (_what, budget, limit, limits, fixed) => {
      await test.start({ isTampered: true, options: { limits } });
      await act(test);
      if (fixed !== null) await countBefore(test, findChargedKey(test, fixed[0]), fixed[1]);
      // The gap stays in every case.
      expect((await visit(test).login()).status).toBe(429);
      test.clock.advanceSeconds(30);
      const isGivenBack = (TABLE[outcome] as readonly Budget[]).includes(budget);
      expect((await visit(test).login()).status).toBe(isGivenBack ? 200 : 429);
      const refusing = test.told('denied').flatMap((event) => event.limit ?? []);
      expect(refusing).toEqual(isGivenBack ? ['gap'] : [limit, limit]);
    });
  });

  it('a text whose pending login the store cannot keep leaves the user', async () => {
    const clock = testClock();
    const tampered = tamperedStore(clock);
    const limits = { perUser: { max: 1, maxPerDay: 1 } };
    await test.start({ clock, options: { store: tampered.store, limits } });
    tampered.tamper('begin', throwing);
    expect((await visit(test).login()).status).toBe(503);
    tampered.heal();
    test.clock.advanceSeconds(30);
    expect((await visit(test).login()).status).toBe(200);
  });

  it.each([
    ['surely not sent', { kind: 'error', code: 2100 }, 30],
    ['perhaps sent', { kind: 'reset', when: 'after' }, 600],
  ] as const)(
    'a text that was %s may be asked for again when its limits admit it',
    async (...row) => {
      const [, fault, seconds] = row;
      const limits = { perNumber: { max: 1 } };
      await test.start({ options: { limits, pendingLoginSeconds: 900 } });
      test.sim.failNext('generate', fault);
      const visitor = visit(test);
      await visitor.login();
      const { pending } = (await visitor.status()).body;
      expect(pending?.resendAt).toBe(test.clock.now() + seconds * 1000);
    },
  );

  it('in an outage lost texts leave the sends in all, from the tenth one, and their users', async () => {
    const limits = { total: { max: 11 }, perUser: { max: 1 } };
    await test.start({ people: 16, options: { limits } });
    const users = Array.from({ length: 16 }, () => test.nextUser());
    const isSent = async (user?: TestUser) => (await visit(test, user).login()).body.sent === true;
    for (const user of users.slice(0, 14)) {
      test.sim.failNext('generate', { kind: 'reset', when: 'after' });
      expect(await isSent(user)).toBe(false);
    }
    test.clock.advanceSeconds(30);
    // Nine have stayed counted in all, and none of its user's.
    expect([await isSent(users[13]), await isSent(users[14])]).toEqual([true, true]);
    expect(await isSent(users[15])).toBe(false);
  });

  it('is given back once, however often its code is not judged', async () => {
    await test.start({ options: { limits: { perUser: { max: 2 } } } });
    const visitor = visit(test);
    await visitor.login();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      test.sim.failNext('validate', { kind: 'error', code: 2121 });
      expect((await visitor.enterRight()).status).toBe(503);
    }
    const answers = [];
    for (let login = 0; login < 3; login += 1) {
      test.clock.advanceSeconds(140);
      answers.push((await visit(test).login()).status);
    }
    expect(answers).toEqual([200, 200, 429]);
  });
});

describe('an outage', () => {
  it('is one while at least ten of the last twenty sends were lost', () => {
    const outages = createOutageWatch();
    const record = (isLost: boolean, times: number): boolean => {
      for (let time = 0; time < times; time += 1) outages.record(isLost);
      return outages.isOutage();
    };
    expect(record(true, 9)).toBe(false);
    expect(record(true, 1)).toBe(true);
    expect(record(false, 10)).toBe(true);
    expect(record(false, 1)).toBe(false);
  });
});
