import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { OTHER_BROWSERS, toBucket } from '../../src/limits/buckets';
import { chargeRows, isFull, longestWait, readKeys, waitOf } from '../../src/limits/charge';
import { enableCodes, forgetBrowsers, liftLimits } from '../../src/limits/lift';
import { ATTEMPT_REFUNDS, findRefunds, SEND_REFUNDS } from '../../src/limits/refunds';
import type { LimitRow, LimitTable } from '../../src/limits/rows';
import { type About, type Act, cutOffCounter, provenCounter } from '../../src/limits/table';
import { guardStore } from '../../src/stores/guarded-store';
import { testClock, type TestClock } from '../support/clock';
import { limitTable } from '../support/limit-table';

const TEN_MINUTES = 600;
const HOUR = 3_600;
const DAY = 86_400;

/** Known from the second 1,000 on. */
const KNOWN = toBucket('b', 1_000);

const OTHERS: About = {
  user: 'u',
  bucket: OTHER_BROWSERS,
  method: 'sms',
  purpose: 'step-up',
  number: 'n',
  prefix: 'p',
  pair: 'un',
  addresses: [
    { block: '64', factor: 1 },
    { block: '48', factor: 10 },
  ],
  ownAddresses: [{ block: 'own', factor: 1 }],
  login: 'l',
  provenKeys: ['proven:un'],
  isConfirmed: false,
};
const SIDES = { others: OTHERS, known: { ...OTHERS, bucket: KNOWN } };
type Side = keyof typeof SIDES;

/**
 * Every limit that refuses, as docs/options.md has it: its default, and the seconds until it admits
 * another one. 0: never by itself. These are figures of the page, and not of the table.
 */
const REFUSING: readonly (readonly [
  act: Act,
  side: Side,
  key: string,
  limit: string,
  most: number,
  wait: number,
])[] = [
  ['guess', 'others', 'failures:others:u', 'failures', 50, 0],
  ['guess', 'others', 'locks:u:sms', 'lock', 10, 1_800],
  ['guess', 'others', 'failures:slow:u', 'lock', 60, DAY],
  ['guess', 'known', 'failures:known:u', 'failures', 50, 0],
  ['guess', 'known', 'browser:b:u', 'lock', 10, 0],
  ['recovery', 'others', 'recovery:address:own', 'lock', 10, DAY],
  ['recovery', 'known', 'recovery:address:own', 'lock', 10, DAY],
  ['answer', 'others', 'answers:address:others:own', 'lock', 10, DAY],
  ['answer', 'known', 'answers:address:known:own', 'lock', 10, DAY],
  ['options', 'others', 'options:login:l', 'per-login', 20, HOUR],
  ['options', 'known', 'options:login:l', 'per-login', 20, HOUR],
  ['options', 'others', 'options:others:u', 'per-user', 100, DAY],
  ['options', 'known', 'options:known:u', 'per-user', 100, DAY],
  ['send', 'others', 'sends:gap:others:u', 'gap', 1, 30],
  ['send', 'others', 'sends:day:user:others:u', 'per-user', 10, DAY],
  ['send', 'others', 'sends:short:user:others:u', 'per-user', 5, TEN_MINUTES],
  ['send', 'others', 'sends:all:others:u', 'per-user', 20, DAY],
  ['send', 'others', 'sends:step-ups:others:u', 'per-user', 10, DAY],
  ['send', 'known', 'sends:gap:b:u', 'gap', 1, 30],
  ['send', 'known', 'sends:day:user:b:u', 'per-user', 10, DAY],
  ['send', 'known', 'sends:short:user:b:u', 'per-user', 5, TEN_MINUTES],
  ['send', 'known', 'sends:all:known:u', 'per-user', 40, DAY],
  ['send', 'known', 'sends:step-ups:known:u', 'per-user', 30, DAY],
  ['send', 'known', 'sends:unproven-numbers:u', 'per-user', 5, DAY],
  ['send', 'known', 'sends:day:number:login:n', 'per-number', 10, DAY],
  ['send', 'known', 'sends:short:number:login:n', 'per-number', 5, TEN_MINUTES],
  ['send', 'known', 'sends:address-unproven:64', 'per-address', 100, HOUR],
  ['send', 'known', 'sends:address-unproven:48', 'per-address', 1_000, HOUR],
  ['send', 'known', 'sends:prefix-unproven:login:p', 'per-prefix', 12, HOUR],
  ['send', 'known', 'sends:strangers:n', 'per-number', 60, DAY],
  ['send', 'known', 'sends:address:64', 'per-address', 1_000, HOUR],
  ['send', 'known', 'sends:address:48', 'per-address', 10_000, HOUR],
  ['send', 'known', 'sends:prefix:p', 'per-prefix', 1_000, HOUR],
  ['send', 'known', 'sends:total', 'total', 10_000, HOUR],
  ['lookup', 'others', 'lookups:address-unproven:64', 'per-address', 100, HOUR],
  ['lookup', 'others', 'lookups:address-unproven:48', 'per-address', 1_000, HOUR],
  ['lookup', 'others', 'lookups:prefix-unproven:login:p', 'per-prefix', 12, HOUR],
  ['lookup', 'others', 'lookups:address:64', 'per-address', 1_000, HOUR],
  ['lookup', 'others', 'lookups:address:48', 'per-address', 10_000, HOUR],
  ['lookup', 'others', 'lookups:prefix:p', 'per-prefix', 1_000, HOUR],
  ['lookup', 'others', 'lookups:total', 'total', 10_000, HOUR],
  ['wait', 'others', 'without-text:others:own', 'without-text', 20, TEN_MINUTES],
  ['wait', 'known', 'without-text:known:own', 'without-text', 20, TEN_MINUTES],
  ['wait', 'others', 'without-text:address:64', 'without-text', 1_000, TEN_MINUTES],
  ['wait', 'others', 'without-text:address:48', 'without-text', 10_000, TEN_MINUTES],
  ['enroll', 'others', 'enrollments:u', 'enrollments', 10, HOUR],
];

/** Counters that refuse nothing, with their windows. */
const WATCHING: readonly (readonly [act: Act, side: Side, key: string, window: number])[] = [
  ['recovery', 'others', 'recovery:user:u', DAY],
  ['recovery', 'known', 'recovery:user:u', DAY],
  ['send', 'others', 'texted:un', DAY],
];

/** The keys of each action in the order in which they give the reason. */
const USER_SENDS = ['gap:_', 'day:user:_', 'short:user:_', 'all:side', 'step-ups:side'];
const UNPROVEN = ['day:number:login:n', 'short:number:login:n'].map((key) => `sends:${key}`);
const SHARED_UNPROVEN = ['address-unproven:64', 'address-unproven:48', 'prefix-unproven:login:p'];
const SHARED = ['address:64', 'address:48', 'prefix:p', 'total'];
const ORDER: Readonly<Record<Act, (side: Side) => readonly string[]>> = {
  guess: (side) =>
    side === 'others'
      ? ['failures:others:u', 'locks:u:sms', 'failures:slow:u']
      : ['failures:known:u', 'browser:b:u', 'browsers:cut-off:u'],
  recovery: () => ['recovery:address:own', 'recovery:user:u'],
  answer: (side) => [`answers:address:${side}:own`],
  options: (side) => ['options:login:l', `options:${side}:u`],
  send: (side) => [
    ...USER_SENDS.map((key) => `sends:${key}:u`).map((key) =>
      key.replace('_', side === 'known' ? 'b' : 'others').replace('side', side),
    ),
    ...['sends:unproven-numbers:u', ...UNPROVEN, 'texted:un'],
    ...SHARED_UNPROVEN.map((key) => `sends:${key}`),
    'sends:strangers:n',
    ...SHARED.map((key) => `sends:${key}`),
  ],
  lookup: () => [...SHARED_UNPROVEN, ...SHARED].map((key) => `lookups:${key}`),
  wait: (side) => [
    `without-text:${side}:own`,
    'without-text:address:64',
    'without-text:address:48',
  ],
  enroll: () => ['enrollments:u'],
};
const ACTS = Object.keys(ORDER) as Act[];

// Compiled for each test, so that a change of one row is seen by all of them.
let limits: LimitTable;
let clock: TestClock;
let store: SmsOtpStore;
beforeEach(() => {
  limits = limitTable();
  clock = testClock();
  store = memoryStore({ now: () => clock.now() });
});

const keysOf = (rows: readonly LimitRow[]): readonly string[] =>
  rows.map(({ counter }) => counter.key);

function findRow(rows: readonly LimitRow[], key: string): LimitRow {
  const row = rows.find(({ counter }) => counter.key === key);
  if (row === undefined) throw new Error(`no row has the key ${key}`);
  return row;
}

/** Counts so many of an action in one row, as if all others had been cleared since. */
async function count({ counter }: LimitRow, amount: number): Promise<void> {
  await store.counters.charge([{ ...counter, max: undefined, exemptBy: undefined, amount }]);
}

async function countOf(key: string): Promise<number> {
  return (await readKeys(store.counters, [key]))(key).count;
}

describe('the limits of an action', () => {
  it.each(ACTS.flatMap((act) => [[act, 'others'] as const, [act, 'known'] as const]))(
    'are those of the docs, in their order: %s, %s',
    (act, side) => {
      expect(keysOf(limits.rowsOf(act, SIDES[side]))).toEqual(ORDER[act](side));
    },
  );

  it.each(ACTS)('have names by which code finds them: %s', (act) => {
    for (const about of Object.values(SIDES)) {
      const rows = limits.rowsOf(act, about);
      // One limit has a row for each block of an address.
      const names = new Map(
        rows.map(({ name, counter: { key } }) => [key.replace(/64$|48$/, ''), name]),
      );
      expect([...names.values()]).not.toContain('');
      expect(new Set(names.values()).size).toBe(names.size);
    }
  });

  it('count no prefix of an address that is not a number', () => {
    const keys = keysOf(limits.rowsOf('send', { ...OTHERS, prefix: undefined }));
    expect(keys).toContain('sends:strangers:n');
    expect(keys.filter((key) => key.includes('prefix'))).toEqual([]);
  });

  it('are all tried by this suite', () => {
    const all = ACTS.flatMap((act) => [...ORDER[act]('others'), ...ORDER[act]('known')]);
    const tried = [...REFUSING, ...WATCHING].map(([, , key]) => key);
    expect(new Set([...tried, 'browsers:cut-off:u'])).toEqual(new Set(all));
  });

  it.each(REFUSING)('%s, %s: %s', async (act, side, key, limit, most, wait) => {
    const rows = limits.rowsOf(act, SIDES[side]);
    const row = findRow(rows, key);
    if (most > 1) await count(row, most - 1);
    expect((await chargeRows(store.counters, rows)).refusedBy).toBeNull();

    store = memoryStore({ now: () => clock.now() });
    await count(row, most);
    const { refusedBy } = await chargeRows(store.counters, rows);
    expect(refusedBy?.row).toMatchObject({ limit, counter: { key } });
    expect(refusedBy && [isFull(refusedBy), waitOf(refusedBy)]).toEqual([true, wait]);

    clock.advanceSeconds(wait);
    const { refusedBy: later } = await chargeRows(store.counters, rows);
    expect(later === null).toBe(wait > 0);
  });

  it.each(WATCHING)('%s, %s: %s refuses nothing', async (act, side, key, window) => {
    const row = findRow(limits.rowsOf(act, SIDES[side]), key);
    await count(row, 1_000);
    const { refusedBy, rows } = await chargeRows(store.counters, [{ ...row, exemptBy: [] }]);
    expect(refusedBy).toBeNull();
    expect(rows[0]?.count).toMatchObject({ count: 1_001, resetSeconds: window });
    expect(rows[0] && waitOf(rows[0])).toBe(0);
  });

  it('refuse a browser that was known at the cut-off, and count nothing in it', async () => {
    const rows = limits.rowsOf('guess', SIDES.known);
    await store.counters.charge([cutOffCounter('u', 999)]);
    expect((await chargeRows(store.counters, rows)).refusedBy).toBeNull();
    await store.counters.charge([cutOffCounter('u', 1_000)]);
    const { refusedBy } = await chargeRows(store.counters, rows);
    expect(refusedBy?.row).toMatchObject({ limit: 'lock', counter: { key: 'browsers:cut-off:u' } });
    expect(await countOf('browsers:cut-off:u')).toBe(1_000);
  });

  it('have windows that end for slow guessing after 30 days, and never for failures', async () => {
    const rows = limits.rowsOf('guess', OTHERS);
    await chargeRows(store.counters, rows);
    const counts = async () => Promise.all(keysOf(rows).map(countOf));
    clock.advanceSeconds(30 * DAY - 1);
    expect(await counts()).toEqual([1, 1, 1]);
    clock.advanceSeconds(1);
    expect(await counts()).toEqual([1, 1, 0]);
  });

  it('are without the share of other browsers, and without the lock of a day, where none is known', () => {
    const rows = limitTable({}, { hasKnownBrowsers: false });
    const mostOf = (key: string) => findRow(rows.rowsOf('send', OTHERS), key).counter.max;
    expect([mostOf('sends:all:others:u'), mostOf('sends:step-ups:others:u')]).toEqual([40, 30]);
    expect(findRow(rows.rowsOf('guess', OTHERS), 'failures:slow:u').counter.lock).toBeUndefined();
  });

  it.each([
    [1, 20, 10],
    [20, 20, 10],
    [21, 21, 11],
    [30, 30, 20],
  ])('of a day admit what perUser.maxPerDay admits: %d', (maxPerDay, all, stepUps) => {
    const rows = limitTable({ perUser: { maxPerDay } }).rowsOf('send', OTHERS);
    const mostOf = (key: string) => findRow(rows, key).counter.max;
    expect([mostOf('sends:all:others:u'), mostOf('sends:step-ups:others:u')]).toEqual([
      all,
      stepUps,
    ]);
  });

  it.each([
    ['perUser', { max: 2, maxPerDay: 3 }, { 'sends:short:user:b:u': 2, 'sends:day:user:b:u': 3 }],
    [
      'perNumber',
      { max: 2, maxPerDay: 3 },
      { 'sends:short:number:login:n': 2, 'sends:day:number:login:n': 3 },
    ],
    [
      'perAddress',
      { max: 2, maxUnproven: 3 },
      { 'sends:address:64': 2, 'sends:address:48': 20, 'sends:address-unproven:64': 3 },
    ],
    [
      'perPrefix',
      { max: 2, maxUnproven: 3 },
      { 'sends:prefix:p': 2, 'sends:prefix-unproven:login:p': 3 },
    ],
    ['total', { max: 2 }, { 'sends:total': 2 }],
    [
      'withoutText',
      { max: 2, maxPerAddress: 3 },
      { 'without-text:known:own': 2, 'without-text:address:64': 3 },
    ],
    ['enrollments', { max: 2 }, { 'enrollments:u': 2 }],
    ['failures', { max: 2, disableAfter: 3 }, { 'browser:b:u': 2, 'failures:known:u': 3 }],
  ])('have the figures of the option %s', (group, figures, expected) => {
    const table = limitTable({ [group]: figures });
    const rows = ACTS.flatMap((act) => table.rowsOf(act, SIDES.known));
    const most = Object.keys(expected).map((key) => [key, findRow(rows, key).counter.max]);
    expect(Object.fromEntries(most)).toEqual(expected);
  });

  it('lock other browsers after failures.max codes', () => {
    const rows = limitTable({ failures: { max: 2 } }).rowsOf('guess', OTHERS);
    expect(findRow(rows, 'locks:u:sms').counter.lock?.every).toBe(2);
  });

  it('leave out step-ups for a login, and all about unproven numbers for a confirmed one', () => {
    const ofLogin = keysOf(limits.rowsOf('send', { ...OTHERS, purpose: 'login' }));
    const isMissing = (keys: readonly string[]) =>
      ORDER.send('others').filter((key) => !keys.includes(key));
    expect(isMissing(ofLogin)).toEqual(['sends:step-ups:others:u']);
    const transaction = keysOf(limits.rowsOf('send', { ...OTHERS, purpose: 'transaction' }));
    expect(isMissing(transaction)).toEqual([]);
    const confirmed = keysOf(limits.rowsOf('send', { ...OTHERS, isConfirmed: true }));
    expect(isMissing(confirmed)).toEqual([
      ...['sends:unproven-numbers:u', ...UNPROVEN, 'texted:un'],
      ...SHARED_UNPROVEN.map((key) => `sends:${key}`),
    ]);
    expect(keysOf(limits.rowsOf('lookup', { ...OTHERS, isConfirmed: true }))).toEqual(
      SHARED.map((key) => `lookups:${key}`),
    );
  });

  it('count enrollments of unproven numbers apart', () => {
    const keys = keysOf(limits.rowsOf('send', { ...OTHERS, purpose: 'enroll' }));
    expect(keys.filter((key) => key.includes(':enroll:'))).toEqual([
      'sends:day:number:enroll:n',
      'sends:short:number:enroll:n',
      'sends:prefix-unproven:enroll:p',
    ]);
    expect(keys.filter((key) => key.includes(':login:'))).toEqual([]);
  });

  it('leave out those of an address that is not known', () => {
    const { addresses: _none, provenKeys: _nobody, ...unknown } = OTHERS;
    const rows = limits.rowsOf('send', unknown);
    const isOfAddress = (key: string): boolean => /:address(?:-unproven)?:/.test(key);
    expect(keysOf(rows)).toEqual(ORDER.send('others').filter((key) => !isOfAddress(key)));
    expect(findRow(rows, 'sends:strangers:n').counter.exemptBy).toEqual([]);
  });

  it('guard sends by refusing like attempts at texted codes, and count nothing', async () => {
    const about = { user: 'u', bucket: OTHER_BROWSERS, method: 'sms' };
    const guards = limits.guardsOf(about);
    expect(keysOf(guards)).toEqual(ORDER.guess('others'));
    await chargeRows(store.counters, guards);
    expect(await countOf('failures:others:u')).toBe(0);
    await count(findRow(limits.rowsOf('guess', OTHERS), 'locks:u:sms'), 10);
    expect((await chargeRows(store.counters, guards)).refusedBy?.row.limit).toBe('lock');
  });
});

describe('who is exempt', () => {
  const EXEMPT = [
    ...['sends:unproven-numbers:u', ...UNPROVEN, 'texted:un'],
    ...SHARED_UNPROVEN.map((key) => `sends:${key}`),
    'sends:strangers:n',
  ];

  it.each([
    ['a proven number', 'proven:un', EXEMPT],
    ['a number that had a message today', 'texted:un', ['sends:unproven-numbers:u']],
    ['the number of another user', 'proven:vn', []],
  ])('%s', async (_who, key, exempt) => {
    await store.counters.charge([{ key, windowSeconds: DAY }]);
    const { rows } = await chargeRows(store.counters, limits.rowsOf('send', OTHERS));
    const uncounted = rows.filter(({ count: { count: counted } }) => counted === 0);
    expect(uncounted.map(({ row }) => row.counter.key)).toEqual(exempt);
  });

  it('waits for no further number, because the same one is exempt', async () => {
    const rows = limits.rowsOf('send', OTHERS);
    await count(findRow(rows, 'sends:unproven-numbers:u'), 4);
    const charged = await chargeRows(store.counters, rows);
    expect(charged.refusedBy).toBeNull();
    expect(longestWait(charged.rows)).toBe(30);
  });
});

/** The outcomes after which docs/audit/guarantees.md refunds a counter. */
describe('what is refunded', () => {
  const SEND = ['not-sent', 'may-be-sent', 'not-checked'] as const;
  const ATTEMPT = Object.keys(ATTEMPT_REFUNDS) as (keyof typeof ATTEMPT_REFUNDS)[];
  const NOT_SENT = [
    ...['sends:all:others:u', 'sends:step-ups:others:u', 'sends:unproven-numbers:u', ...UNPROVEN],
    'texted:un',
    ...SHARED_UNPROVEN.map((key) => `sends:${key}`),
    'sends:strangers:n',
    ...SHARED.map((key) => `sends:${key}`),
  ];
  const SINCE_SUCCESS = ['sends:day:user:others:u', 'sends:short:user:others:u'];

  async function refunded(
    act: Act,
    side: Side,
    budgets: readonly NonNullable<LimitRow['budget']>[],
  ): Promise<readonly string[]> {
    const { rows } = await chargeRows(store.counters, limits.rowsOf(act, SIDES[side]));
    await store.counters.charge(findRefunds(rows, budgets));
    const keys = rows.map(({ row }) => row.counter.key);
    const counts = await Promise.all(keys.map(countOf));
    return keys.filter((_key, index) => counts[index] === 0);
  }

  it.each([
    ['not-sent', [...SINCE_SUCCESS, ...NOT_SENT]],
    ['may-be-sent', SINCE_SUCCESS],
    ['not-checked', SINCE_SUCCESS],
  ] as const)('after a send that was %s', async (outcome, keys) => {
    expect(await refunded('send', 'others', SEND_REFUNDS[outcome])).toEqual(keys);
    expect(SEND).toContain(outcome);
  });

  it('in an outage: the messages of all users alone', async () => {
    expect(await refunded('send', 'others', ['in-all'])).toEqual(['sends:total']);
  });

  it('late: the messages since the last success, in their own windows', () => {
    const refunds = limits.refundsOf('send', ['user'], { user: 'u', bucket: KNOWN });
    expect(refunds).toMatchObject([
      { key: 'sends:day:user:b:u', windowSeconds: DAY, amount: -1 },
      { key: 'sends:short:user:b:u', windowSeconds: TEN_MINUTES, amount: -1 },
    ]);
  });

  it('late: several budgets at once', () => {
    const refunds = limits.refundsOf('send', ['user', 'in-all'], { user: 'u', bucket: KNOWN });
    expect(refunds.map(({ key }) => key)).toEqual([
      ...['sends:day:user:b:u', 'sends:short:user:b:u', 'sends:total'],
    ]);
  });

  it('after attempts at codes that can be guessed', async () => {
    const found: Record<string, readonly string[]> = {};
    for (const outcome of ATTEMPT) {
      store = memoryStore({ now: () => clock.now() });
      found[outcome] = await refunded('guess', 'others', ATTEMPT_REFUNDS[outcome]);
    }
    const locks = ['locks:u:sms', 'failures:slow:u'];
    expect(found).toEqual({
      // A success clears the others.
      right: ['failures:slow:u'],
      wrong: [],
      'not-checked': ['failures:others:u', ...locks],
      lost: locks,
      threw: [],
      'sent-twice': locks,
      'not-used': ['failures:others:u', ...locks],
      replaced: ['failures:others:u', ...locks],
    });
  });

  it.each(['recovery', 'answer'] as const)(
    'after attempts that cannot be guessed: %s',
    async (act) => {
      for (const outcome of ATTEMPT) {
        store = memoryStore({ now: () => clock.now() });
        const isRefunded = ['right', 'not-checked', 'threw', 'not-used'].includes(outcome);
        const [key = ''] = ORDER[act]('others');
        const found = await refunded(act, 'others', ATTEMPT_REFUNDS[outcome]);
        expect([outcome, found]).toEqual([outcome, isRefunded ? [key] : []]);
      }
    },
  );

  it.each(['wait', 'enroll', 'options'] as const)('of a %s: nothing', async (act) => {
    expect(await refunded(act, 'others', ['user', 'total', 'in-all', 'address'])).toEqual([]);
  });
});

describe('what clears a counter', () => {
  const OTHER_KNOWN = toBucket('c', 1_000);
  const IN_OTHERS = ['sends:gap:others:u', 'sends:day:user:others:u', 'sends:short:user:others:u'];
  const IN_BROWSER = ['b', 'c'].map((id) => [
    `browser:${id}:u`,
    ...IN_OTHERS.map((key) => key.replace('others', id)),
  ]);
  const [IN_B = [], IN_C = []] = IN_BROWSER;
  const FAILURES = ['failures:others:u', 'failures:known:u'];
  const TOTALS = [
    ...['sends:all:others:u', 'sends:all:known:u'],
    ...['sends:step-ups:others:u', 'sends:step-ups:known:u'],
    ...['sends:unproven-numbers:u', 'enrollments:u', 'options:others:u', 'options:known:u'],
  ];

  /** Counts one of everything on both sides and in two known browsers. */
  async function countAll(): Promise<readonly string[]> {
    const buckets = [OTHER_BROWSERS, KNOWN, OTHER_KNOWN];
    const rows = buckets.flatMap((bucket) =>
      ACTS.flatMap((act) => limits.rowsOf(act, { ...OTHERS, bucket })),
    );
    const byKey = new Map(rows.map((row) => [row.counter.key, row]));
    byKey.delete('browsers:cut-off:u');
    for (const row of byKey.values()) await count(row, 1);
    return [...byKey.keys()];
  }

  async function clearedBy(act: () => Promise<unknown>): Promise<readonly string[]> {
    const keys = await countAll();
    await act();
    const counts = await Promise.all(keys.map(countOf));
    return keys.filter((_key, index) => counts[index] === 0).sort();
  }

  const guarded = () => guardStore(store, () => clock.now());
  const clear = (keys: readonly string[]) => store.counters.clear(keys);

  it.each([
    ['others', OTHERS, [...FAILURES, 'locks:u:sms', ...IN_OTHERS, 'without-text:others:own']],
    ['a known browser', SIDES.known, [...FAILURES, ...IN_B, 'without-text:known:own']],
  ])('a right code in %s', async (_where, about, keys) => {
    const cleared = await clearedBy(() => clear(limits.keysClearedBySuccess(about)));
    expect(cleared).toEqual([...keys].sort());
    const all = limits.keysClearedBySuccess(about);
    expect(new Set(all).size).toBe(all.length);
  });

  it('unlockUser', async () => {
    const browsers = ['b'];
    const cleared = await clearedBy(() => liftLimits(store.counters, limits, 'u', browsers));
    expect(cleared).toEqual([...IN_OTHERS, ...IN_B, ...TOTALS].sort());
  });

  it('unlockUser lifts locks, and keeps their counts', async () => {
    const rows = limits.rowsOf('guess', OTHERS);
    for (const [key, amount] of [['locks:u:sms', 10] as const, ['failures:slow:u', 60] as const])
      await count(findRow(rows, key), amount);
    expect(await liftLimits(store.counters, limits, 'u', [])).toEqual({
      ...{ locks: ['sms'], hadDayLock: true, sends: 0, failures: 0 },
    });
    const readCount = await readKeys(store.counters, ['locks:u:sms', 'failures:slow:u']);
    expect(readCount('locks:u:sms')).toMatchObject({ count: 10, lockedSeconds: 0 });
    expect(readCount('failures:slow:u')).toMatchObject({ count: 60, lockedSeconds: 0 });
  });

  it('unlockUser that enables codes', async () => {
    const cleared = await clearedBy(() => enableCodes(guarded(), limits, 'u', clock.now()));
    expect(cleared).toEqual([...FAILURES, 'locks:u:sms', 'failures:slow:u'].sort());
  });

  it('forgetUser', async () => {
    const cleared = await clearedBy(() => clear(limits.keysOfUser('u', ['b', 'c'])));
    expect(cleared).toEqual(
      [
        ...[...FAILURES, 'locks:u:sms', 'failures:slow:u', 'recovery:user:u'],
        ...[...IN_OTHERS, ...IN_B, ...IN_C, ...TOTALS],
      ].sort(),
    );
  });

  it('forgetUser keeps the cut-off of browsers, and clears no counter that users share', () => {
    const keys = limits.keysOfUser('u', ['b', 'c']);
    expect(keys).not.toContain('browsers:cut-off:u');
    expect(keys.filter((key) => !key.split(':').includes('u'))).toEqual([]);
  });

  it('that browsers are forgotten', async () => {
    const cleared = await clearedBy(() => clear(limits.keysOfBrowsers('u', ['b', 'c'])));
    expect(cleared).toEqual([...IN_B, ...IN_C].sort());
    expect(await clearedBy(() => forgetBrowsers(guarded(), limits, 'u', clock.now()))).toEqual([]);
  });

  it('names each key once, and no key in which nothing is counted', () => {
    const { ownAddresses: _none, ...unknown } = OTHERS;
    const { keysClearedBy, keysOfUser, keysOfBrowsers, keysClearedBySuccess } = limits;
    const guessed = [...FAILURES, 'locks:u:sms'];
    for (const [named, keys] of [
      [keysClearedBy('unlock', 'u', ['b']), [...IN_OTHERS, ...IN_B, ...TOTALS]],
      [keysClearedBy('unlock', 'u'), [...IN_OTHERS, ...TOTALS]],
      [keysOfBrowsers('u', ['b']), IN_B],
      [keysClearedBySuccess(unknown), [...guessed, ...IN_OTHERS]],
      [
        keysOfUser('u', ['b']),
        [...guessed, 'failures:slow:u', 'recovery:user:u', ...IN_OTHERS, ...IN_B, ...TOTALS],
      ],
    ] as const)
      expect([...named].sort()).toEqual([...keys].sort());
  });

  it('of every factor whose codes can be guessed', () => {
    const two = limitTable({}, { methods: ['sms', 'totp'] });
    const locks = ['locks:u:sms', 'locks:u:totp'];
    expect(two.keysNamed('lock', 'u')).toEqual(locks);
    expect(two.keysNamed('lock', 'u', { methods: ['totp'] })).toEqual(['locks:u:totp']);
    expect(two.keysClearedBy('lift-lock', 'u')).toEqual([...locks, 'failures:slow:u']);
    expect(two.keysClearedBySuccess(OTHERS)).toEqual(expect.arrayContaining(locks));
    expect(two.keysNamed('failures', 'u')).toEqual(FAILURES);
  });
});

describe('the keys of counters', () => {
  const part = fc.oneof(fc.string(), fc.constantFrom('u', 'user:u', 'all:user:u', 'number:n', ':'));
  const namesOf = (changes: Partial<About>): readonly string[] =>
    keysOf([
      ...limits.guardsOf({ method: 'sms', ...OTHERS, ...changes }),
      ...limits.rowsOf('send', { ...OTHERS, ...changes }),
    ]);

  it('are different ones, whatever the ids are', () => {
    fc.assert(
      fc.property(fc.record({ user: part, number: part, prefix: part }), (any) => {
        const names = namesOf(any);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('of two users are the same only where nothing in them is theirs', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(one !== other);
        const others = namesOf({ user: other, pair: `${other} n` });
        const shared = namesOf({ user: one, pair: `${one} n` }).filter((name) =>
          others.includes(name),
        );
        expect(shared).toEqual([
          ...UNPROVEN,
          ...SHARED_UNPROVEN.map((key) => `sends:${key}`),
          'sends:strangers:n',
          ...SHARED.map((key) => `sends:${key}`),
        ]);
      }),
    );
  });

  it('hold what looks like a pattern as it is', () => {
    const user = '$& {side} $1';
    expect(cutOffCounter(user, 1).key).toBe(`browsers:cut-off:${user}`);
    expect(limits.rowsOf('enroll', { ...OTHERS, user })[0]?.counter.key).toBe(
      `enrollments:${user}`,
    );
  });

  it('of a user with a number are short, and name neither', () => {
    expect(provenCounter('user-1', 'number-1').key).toMatch(/^proven:[\w-]{22}$/);
    expect(provenCounter('user-1', 'number-1').key).not.toBe(
      provenCounter('user-2', 'number-1').key,
    );
  });
});

describe('the gaps between messages', () => {
  const gapsOf = (gapSeconds: number, random: number) =>
    findRow(
      limitTable({}, { gapSeconds }).rowsOf('send', { ...OTHERS, random }),
      'sends:gap:others:u',
    ).counter;

  it.each([
    [0, [30, 60, 120, 240, 300]],
    [0.5, [30, 63, 126, 252, 300]],
    [1, [30, 66, 132, 264, 300]],
  ])('are spread by chance, but for the first: with %d to %j', (random, seconds) => {
    expect(gapsOf(30, random)).toMatchObject({ windowSeconds: DAY, lock: { every: 1, seconds } });
  });

  it('double, with at most a tenth of chance after the first, never above 300 s', () => {
    const first = fc.integer({ min: 30, max: 300 });
    fc.assert(
      fc.property(first, fc.double({ min: 0, max: 1, noNaN: true }), (gap, random) => {
        const gaps = gapsOf(gap, random).lock?.seconds ?? [];
        expect([gaps[0], gaps.at(-1)]).toEqual([gap, 300]);
        gaps.forEach((seconds, index) => {
          expect(seconds).toBeGreaterThanOrEqual(Math.min(300, gap * 2 ** index));
          expect(seconds).toBeLessThanOrEqual(Math.min(300, gap * 2 ** index * 1.1 + 1));
        });
      }),
    );
  });
});

it('a factor is locked at 10, 20, 30 and so on for 30 min, doubling to 24 h', async () => {
  const rows = limitTable({ failures: { disableAfter: 100 } }, { hasKnownBrowsers: false });
  const charge = () => chargeRows(store.counters, rows.rowsOf('guess', OTHERS));
  const locks: [number, number][] = [];
  for (let failure = 1; failure <= 100; failure += 1) {
    const count = (await charge()).rows.find(({ row }) => row.name === 'lock')?.count;
    if (count !== undefined && count.lockedSeconds > 0) {
      locks.push([count.count, count.lockedSeconds]);
      clock.advanceSeconds(count.lockedSeconds);
    }
  }
  const hours = [0.5, 1, 2, 4, 8, 16, 24, 24, 24, 24];
  expect(locks).toEqual(hours.map((length, index) => [10 * (index + 1), length * HOUR]));
  expect((await charge()).refusedBy?.row.limit).toBe('failures');
});
