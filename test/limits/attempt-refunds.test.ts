import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { type ChargedAttempt, createAttemptLimit, joinAttempts } from '../../src/limits/attempts';
import { OTHER_BROWSERS, toBucket } from '../../src/limits/buckets';
import { chargeRows } from '../../src/limits/charge';
import { ATTEMPT_REFUNDS, type AttemptOutcome } from '../../src/limits/refunds';
import { testClock, type TestClock } from '../support/clock';
import { limitTable } from '../support/limit-table';

/** The table of the design: what came of an attempt, and the budgets that it leaves. */
const TABLE = {
  right: ['slow-guessing', 'address'],
  wrong: [],
  'not-checked': ['lock', 'slow-guessing', 'disable', 'address'],
  lost: ['lock', 'slow-guessing'],
  threw: ['address'],
  'sent-twice': ['lock', 'slow-guessing'],
  'not-used': ['lock', 'slow-guessing', 'disable', 'address'],
  replaced: ['lock', 'slow-guessing', 'disable'],
} as const;

const OUTCOMES = Object.keys(TABLE) as (keyof typeof TABLE)[];
const ADDRESS = '192.0.2.7';

let clock: TestClock;
let store: SmsOtpStore;
beforeEach(() => {
  clock = testClock();
  store = memoryStore({ now: () => clock.now() });
});

function parts() {
  return {
    counters: store.counters,
    limits: limitTable(),
    userBlocks: (user: string, address = '') =>
      Promise.resolve([{ block: `${user} ${address}`, factor: 1 }]),
  };
}

const SUBJECT = { userId: 'u', address: ADDRESS };

async function charge(
  counting: 'guess' | 'recovery' | 'answer',
  bucket = OTHER_BROWSERS,
  { events = [], address = ADDRESS }: { events?: object[]; address?: string } = {},
) {
  const chargeAttempt = createAttemptLimit(parts(), { method: 'sms', counting });
  const emit = (event: object): void => void events.push(event);
  return chargeAttempt({ ...SUBJECT, address, bucket, emit });
}

/** Charges an attempt and brings its outcome about. */
async function attempt(
  counting: 'guess' | 'recovery' | 'answer',
  outcome: AttemptOutcome,
  bucket?: string,
): Promise<void> {
  const charged = await charge(counting, bucket);
  if (charged.kind === 'refused') throw new Error(charged.refusal.reason);
  const { end, findReplaced, success } = charged.attempt;
  if (outcome !== 'right' && outcome !== 'replaced') {
    await end(outcome, []);
    return;
  }
  const isRight = outcome === 'right';
  const [clears, charges] = isRight ? [success.clears, success.charges] : [[], findReplaced()];
  await store.counters.clear(clears);
  await store.counters.charge(charges);
}

/** What is counted in each budget of the codes that can be guessed. */
async function countsOf(bucket: string): Promise<Record<string, number>> {
  const [about, names] = [
    { user: 'u', bucket, method: 'sms' },
    ['failures', 'browser', 'lock', 'slow-guessing'],
  ];
  const { rows } = await chargeRows(store.counters, limitTable().guardsOf(about));
  const budgets: Record<string, string> = { failures: 'disable', browser: 'lock' };
  return Object.fromEntries(
    rows
      .filter(({ row }) => names.includes(row.name))
      .map(({ row: { name }, count }) => [budgets[name] ?? name, count.count]),
  );
}

it('the table is the one of the design', () => {
  expect(ATTEMPT_REFUNDS).toEqual(TABLE);
});

it.each(['guess', 'recovery', 'answer'] as const)(
  'a failed attempt does not make the keys that a success clears: %s',
  async (counting) => {
    const table = limitTable();
    const keysClearedBySuccess = jest.fn(table.keysClearedBySuccess);
    const limits = { ...table, keysClearedBySuccess };
    const chargeAttempt = createAttemptLimit({ ...parts(), limits }, { method: 'sms', counting });

    const subject = { ...SUBJECT, bucket: OTHER_BROWSERS, emit: () => undefined };
    const charged = await chargeAttempt(subject);
    if (charged.kind === 'refused') throw new Error(charged.refusal.reason);
    await charged.attempt.end('wrong', []);
    expect(keysClearedBySuccess).not.toHaveBeenCalled();

    expect(charged.attempt.success.clears).toContain('failures:others:u');
  },
);

describe.each([
  ['others', OTHER_BROWSERS],
  ['a known browser', toBucket('a-known-browser', 1_700_000_000)],
])('a code that can be guessed, in %s', (_where, bucket) => {
  it.each(OUTCOMES)('leaves what the table says when it was %s', async (outcome) => {
    await attempt('guess', 'wrong', bucket);
    await attempt('guess', outcome, bucket);
    const leaves: readonly string[] = TABLE[outcome];
    for (const [budget, count] of Object.entries(await countsOf(bucket))) {
      // A success clears the counts of `lock` and `disable` as a whole.
      const isCleared = outcome === 'right' && budget !== 'slow-guessing';
      expect([budget, count]).toEqual([budget, isCleared ? 0 : leaves.includes(budget) ? 1 : 2]);
    }
  });
});

describe.each([
  ['recovery', `recovery:address:u ${ADDRESS}`],
  ['answer', `answers:address:others:u ${ADDRESS}`],
] as const)('what cannot be guessed: %s', (counting, key) => {
  async function counted(): Promise<number | undefined> {
    const counter = { key, windowSeconds: 60, amount: 0, isOnlyRead: true };
    return (await store.counters.charge([counter])).counts[0]?.count;
  }

  it.each(OUTCOMES)('leaves what the table says when it was %s', async (outcome) => {
    await attempt(counting, 'wrong');
    await attempt(counting, outcome);
    const leaves: readonly string[] = TABLE[outcome];
    expect(await counted()).toBe(leaves.includes('address') ? 1 : 2);
  });

  it('closes nothing but its own address', async () => {
    for (let time = 0; time < 10; time += 1) await attempt(counting, 'wrong');
    expect(await charge(counting)).toMatchObject({ refusal: { reason: 'locked' } });
    const elsewhere = await charge(counting, OTHER_BROWSERS, { address: '198.51.100.7' });
    expect(elsewhere.kind).toBe('counted');
    expect((await charge('guess')).kind).toBe('counted');
  });
});

describe('a lock', () => {
  it('is lifted by the attempt that has set it, when that one was not judged', async () => {
    for (let time = 0; time < 9; time += 1) await attempt('guess', 'wrong');
    const tenth = await charge('guess');
    expect(await charge('guess')).toMatchObject({ refusal: { reason: 'locked' } });
    if (tenth.kind === 'counted') await tenth.attempt.end('not-checked', []);
    expect((await charge('guess')).kind).toBe('counted');
  });

  it('stays when another attempt is given back', async () => {
    const first = await charge('guess');
    for (let time = 0; time < 9; time += 1) await attempt('guess', 'wrong');
    if (first.kind === 'counted') await first.attempt.end('not-checked', []);
    expect(await charge('guess')).toMatchObject({ refusal: { reason: 'locked' } });
  });

  it('of a day comes with the sixtieth failure, in the call that counts it', async () => {
    for (let time = 0; time < 59; time += 1) {
      await attempt('guess', 'wrong');
      await store.counters.clear(['failures:others:u', 'locks:u:sms']);
    }
    const sixtieth = await charge('guess');
    const parallel = await charge('guess');
    expect(parallel).toMatchObject({
      refusal: { reason: 'locked', retryAfterSeconds: 86_400 },
    });
    if (sixtieth.kind === 'counted') await sixtieth.attempt.end('lost', []);
    expect((await charge('guess')).kind).toBe('counted');
  });
});

it('what is given back late takes nothing from failures after a success', async () => {
  const late = await charge('guess');
  await attempt('guess', 'right');
  await attempt('guess', 'wrong');
  if (late.kind === 'counted') await late.attempt.end('not-checked', []);
  const events: object[] = [];
  const next = await charge('guess', OTHER_BROWSERS, { events });
  expect(events).toEqual([]);
  if (next.kind === 'counted') await next.attempt.end('wrong', []);
  expect(events).toEqual([{ type: 'failure-count-changed', failures: 2 }]);
});

describe('what a failed attempt tells', () => {
  const counted = (failures: number) => ({ type: 'failure-count-changed', failures });

  async function chargeTelling(events: object[]): Promise<ChargedAttempt> {
    const charged = await charge('guess', OTHER_BROWSERS, { events });
    if (charged.kind === 'refused') throw new Error(charged.refusal.reason);
    return charged.attempt;
  }

  it.each(['wrong', 'lost', 'sent-twice'] as const)(
    'is nothing when a success has cleared the failures since: %s',
    async (outcome) => {
      const events: object[] = [];
      // The fiftieth failure disables.
      for (let time = 0; time < 48; time += 1) {
        await attempt('guess', 'wrong');
        await store.counters.clear(['locks:u:sms']);
      }
      const [right, late] = [await chargeTelling(events), await chargeTelling(events)];
      await store.counters.clear(right.success.clears);
      expect(await late.end(outcome, [])).toBeNull();
      expect(events).toEqual([]);
    },
  );

  it('is the count of now, after its refund and those of others', async () => {
    const events: object[] = [];
    const [refunded, wrong] = [await chargeTelling(events), await chargeTelling(events)];
    await refunded.end('not-checked', []);
    await wrong.end('wrong', []);
    expect(events).toEqual([counted(1)]);
  });

  it('is "disabled" once, from the attempt that has reached it', async () => {
    const events: object[] = [];
    for (let time = 0; time < 48; time += 1) {
      await attempt('guess', 'wrong');
      await store.counters.clear(['locks:u:sms']);
    }
    const [first, second] = [await chargeTelling(events), await chargeTelling(events)];
    expect(await first.end('wrong', [])).toBeNull();
    expect(await second.end('wrong', [])).toMatchObject({ refusal: { reason: 'disabled' } });
    expect(events).toEqual([counted(50), counted(50), { type: 'disabled' }]);
  });

  it('is not that codes are disabled when the attempt of another request was refunded', async () => {
    const events: object[] = [];
    for (let time = 0; time < 48; time += 1) {
      await attempt('guess', 'wrong');
      await store.counters.clear(['locks:u:sms']);
    }
    const [first, second] = [await chargeTelling(events), await chargeTelling(events)];
    await first.end('not-checked', []);
    expect(await second.end('wrong', [])).toBeNull();
    expect(events).toEqual([counted(49)]);
  });

  it('is the count that is left after both checks of one code', async () => {
    const events: object[] = [];
    const [newest, previous] = [await chargeTelling(events), await chargeTelling(events)];
    await joinAttempts(newest, previous).end('not-checked', []);
    expect(events).toEqual([counted(1)]);
  });
});

it.each(['recovery', 'answer'] as const)(
  'an attempt of kind %s ends although its refunds fail',
  async (counting) => {
    const charged = await charge(counting);
    if (charged.kind === 'refused') throw new Error(charged.refusal.reason);
    jest.spyOn(store.counters, 'charge').mockRejectedValue(new Error('the store is down'));
    expect(await charged.attempt.end('not-checked', [])).toBeNull();
  },
);

describe('a code that was wrong at the newest text and judged at the one before', () => {
  const KNOWN = toBucket('a-known-browser', 1_700_000_000);

  async function chargeGuess(bucket: string): Promise<ChargedAttempt> {
    const charged = await charge('guess', bucket);
    if (charged.kind === 'refused') throw new Error(charged.refusal.reason);
    return charged.attempt;
  }

  async function succeed({ success }: Pick<ChargedAttempt, 'success'>): Promise<void> {
    const keys = success.charges.map(({ key }) => key);
    expect(new Set([...keys, ...success.clears]).size).toBe(keys.length + success.clears.length);
    await store.counters.clear(success.clears);
    await store.counters.charge(success.charges);
  }

  it.each([
    ['others', OTHER_BROWSERS, OTHER_BROWSERS],
    ['a known browser', KNOWN, KNOWN],
    ['a known browser that was full at one of them', KNOWN, OTHER_BROWSERS],
    ['a known browser that was full at the other', OTHER_BROWSERS, KNOWN],
  ])('leaves nothing behind when it is right, in %s', async (_where, newest, earlier) => {
    const wrong = await chargeGuess(newest);
    await succeed(joinAttempts(wrong, await chargeGuess(earlier)));
    for (const bucket of [newest, earlier])
      for (const count of Object.values(await countsOf(bucket))) expect(count).toBe(0);
  });

  it.each([
    ['wrong', 2, 2],
    ['not-checked', 1, 1],
    ['lost', 1, 2],
    ['sent-twice', 0, 2],
    ['not-used', 0, 0],
  ] as const)('counts as both judgements say when it was %s', async (outcome, lock, disable) => {
    const wrong = await chargeGuess(OTHER_BROWSERS);
    await joinAttempts(wrong, await chargeGuess(OTHER_BROWSERS)).end(outcome, []);
    expect(await countsOf(OTHER_BROWSERS)).toMatchObject({
      lock,
      disable,
      'slow-guessing': lock,
    });
  });
});
