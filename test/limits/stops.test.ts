import { beforeEach, describe, expect, it } from '@jest/globals';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import {
  type AttemptStop,
  chargeBrowser,
  type ChargedAttempt,
  createAttemptLimit,
  joinAttempts,
} from '../../src/limits/attempts';
import { OTHER_BROWSERS, toBucket } from '../../src/limits/buckets';
import { createCounter } from '../../src/limits/charge';
import { sumCounts } from '../../src/limits/lift';
import { doubling } from '../../src/limits/table';
import { testClock, type TestClock } from '../support/clock';
import { limitTable } from '../support/limit-table';

const DAY = 86_400;
const KNOWN = toBucket('a-known-browser', 1_700_000_000);

let clock: TestClock;
let store: SmsOtpStore;
let events: { readonly type: string }[];
beforeEach(() => {
  clock = testClock();
  store = memoryStore({ now: () => clock.now() });
  events = [];
});

interface At {
  readonly counting?: 'guess' | 'recovery' | 'answer';
  readonly method?: string;
  readonly bucket?: string;
  readonly address?: string;
  readonly failures?: { readonly max?: number; readonly disableAfter?: number };
}

function charge({
  counting = 'guess',
  method = 'sms',
  bucket = OTHER_BROWSERS,
  address = '192.0.2.7',
  failures = {},
}: At = {}) {
  const parts = {
    counters: store.counters,
    limits: limitTable({ failures }, { methods: ['sms', 'totp'] }),
    userBlocks: (user: string, of = '') => Promise.resolve([{ block: `${user} ${of}`, factor: 1 }]),
  };
  const chargeAttempt = createAttemptLimit(parts, { method, counting });
  const emit = (event: { readonly type: string }): void => void events.push(event);
  return chargeAttempt({ userId: 'u', address, bucket, emit });
}

async function chargeOne(at?: At): Promise<ChargedAttempt> {
  const charged = await charge(at);
  if (charged.kind === 'refused') throw new Error(charged.refusal.reason);
  return charged.attempt;
}

/** Makes attempts, one after the other, and returns what the end of the last one returned. */
async function fail(times: number, at?: At): Promise<AttemptStop | null> {
  let stop: AttemptStop | null = null;
  for (let time = 0; time < times; time += 1) stop = await (await chargeOne(at)).end('wrong', []);
  return stop;
}

const refused = (reason: string, stops: AttemptStop['stops']) => ({
  kind: 'refused',
  refusal: expect.objectContaining({ reason }),
  stops,
});

const eventsOf = (type: string) => events.filter((event) => event.type === type);

describe('the end of an attempt returns the lock that it has set', () => {
  it('as the next attempt is refused, and not before', async () => {
    expect(await fail(9)).toBeNull();
    const stop = { refusal: { reason: 'locked', retryAfterSeconds: 1800 }, stops: 'factor' };
    expect(await fail(1)).toEqual(stop);
    expect(eventsOf('locked')).toEqual([{ type: 'locked', lockedSeconds: 1800 }]);
    expect(await charge()).toEqual({ kind: 'refused', ...stop });
  });

  it('but none where it has lifted it', async () => {
    await fail(9);
    expect(await (await chargeOne()).end('lost', [])).toBeNull();
    expect(eventsOf('locked')).toEqual([]);
  });

  it('which says "disabled" from the failure that disables', async () => {
    const failures = { disableAfter: 5 };
    expect(await fail(4, { failures })).toBeNull();
    const stop = { refusal: { reason: 'disabled' }, stops: 'all-messages' };
    expect(await fail(1, { failures })).toEqual(stop);
    expect(eventsOf('disabled')).toHaveLength(1);
    expect(await charge({ failures })).toEqual({ kind: 'refused', ...stop });
  });

  it('"disabled" and not "locked", where one failure brings both', async () => {
    const failures = { disableAfter: 10 };
    expect(await fail(10, { failures })).toMatchObject({ refusal: { reason: 'disabled' } });
    expect(eventsOf('locked')).toEqual([]);
  });

  it('of the newest text or of the one before, whichever has set it', async () => {
    await fail(8);
    const ninth = await chargeOne();
    expect(await joinAttempts(ninth, await chargeOne()).end('wrong', [])).toMatchObject({
      refusal: { reason: 'locked' },
    });
    clock.advanceSeconds(1800);
    await fail(9);
    const setsIt = await chargeOne();
    const known = await chargeOne({ bucket: KNOWN });
    expect(await joinAttempts(setsIt, known).end('wrong', [])).toMatchObject({
      refusal: { reason: 'locked' },
    });
  });
});

describe('texts stop', () => {
  it('with the lock of texted codes, and with that of a day, but not with the lock of another factor', async () => {
    expect(await fail(10, { method: 'totp' })).toMatchObject({ stops: 'factor' });
    expect(await charge({ method: 'totp' })).toEqual(refused('locked', 'factor'));
    expect((await charge()).kind).toBe('counted');
    clock.advanceSeconds(1800);
    // That was one more: the forty-eight that follow make fifty-nine.
    for (let time = 0; time < 48; time += 1) {
      await fail(1, { method: 'totp' });
      await store.counters.clear(['failures:others:u', 'locks:u:totp']);
    }
    expect(await fail(1, { method: 'totp' })).toEqual({
      refusal: { reason: 'locked', retryAfterSeconds: DAY },
      stops: 'all-messages',
    });
  });

  it('for no known browser, which counts as one of the others next time', async () => {
    expect(await fail(10, { bucket: KNOWN })).toBeNull();
    expect(await charge({ bucket: KNOWN })).toMatchObject({ bucket: OTHER_BROWSERS });
  });

  it('for no known browser, also when it is the side that is used up', async () => {
    const failures = { disableAfter: 1 };
    expect(await fail(1, { bucket: KNOWN, failures })).toBeNull();
    expect(eventsOf('disabled')).toEqual([]);
    expect(await charge({ bucket: KNOWN, failures })).toMatchObject({ bucket: OTHER_BROWSERS });
    expect(await charge({ failures })).toEqual(refused('disabled', 'all-messages'));
  });

  it('for no known browser, whose answers count as those of the others next time', async () => {
    await fail(10, { bucket: KNOWN });
    await chargeOne({ counting: 'answer', bucket: KNOWN });
    const keys = ['others', 'known'].map((side) => `answers:address:${side}:u 192.0.2.7`);
    const counts = keys.map((key) => sumCounts(store.counters, [key]));
    expect(await Promise.all(counts)).toEqual([1, 0]);
  });

  it('for nobody whose recovery codes or answers are refused', async () => {
    for (const counting of ['recovery', 'answer'] as const) {
      await fail(10, { counting });
      expect(await charge({ counting })).toEqual(refused('locked', 'nothing'));
    }
  });
});

describe('events of failures', () => {
  it.each([
    ['wrong', 1],
    ['lost', 0],
  ] as const)('a known browser that is full when its tenth was %s', async (outcome, times) => {
    await fail(9, { bucket: KNOWN });
    expect(await (await chargeOne({ bucket: KNOWN })).end(outcome, [])).toBeNull();
    expect(eventsOf('browser-unknown')).toHaveLength(times);
  });

  it.each([
    ['wrong', 1],
    ['lost', 0],
  ] as const)('slow guessing, when the sixtieth of thirty days was %s', async (outcome, times) => {
    const slow = createCounter('failures:slow:u', 30 * DAY);
    for (let time = 0; time < 59; time += 1) await store.counters.charge([slow]);
    await (await chargeOne()).end(outcome, []);
    expect(eventsOf('guessing-slowly')).toHaveLength(times);
  });

  it.each([
    ['recovery', 1],
    ['answer', 0],
  ] as const)(
    'ten failures of one user in a day, wherever they are made: %s',
    async (counting, times) => {
      for (let time = 1; time <= 10; time += 1) {
        expect(eventsOf('guessing-recovery-codes')).toEqual([]);
        await fail(1, { counting, address: `192.0.2.${String(time)}` });
      }
      expect(eventsOf('guessing-recovery-codes')).toHaveLength(times);
      await fail(1, { counting, address: '192.0.2.1' });
      expect(eventsOf('guessing-recovery-codes')).toHaveLength(times);
    },
  );
});

it('an attempt looks at the cut-off of known browsers, and counts nothing in it', async () => {
  await fail(1, { bucket: KNOWN });
  expect(await sumCounts(store.counters, ['browsers:cut-off:u'])).toBe(0);
});

describe('a charge that is refused', () => {
  /** Refuses by one limit, and remembers for which browsers it was asked. */
  function refusing(limit: string) {
    const asked: string[] = [];
    const charge = (bucket: string) => {
      asked.push(bucket);
      const count = { count: 1, lockedSeconds: 0, resetSeconds: null, generation: 0 };
      const row = { limit, counter: createCounter('a', null) };
      return Promise.resolve({ refusedBy: { row, count }, rows: [] });
    };
    return { asked, charge };
  }

  it.each([
    ['failures', KNOWN, [KNOWN, OTHER_BROWSERS]],
    ['lock', KNOWN, [KNOWN, OTHER_BROWSERS]],
    ['perUser', KNOWN, [KNOWN]],
    ['failures', OTHER_BROWSERS, [OTHER_BROWSERS]],
    ['lock', OTHER_BROWSERS, [OTHER_BROWSERS]],
  ])('by "%s" in %s is tried for %j', async (limit, bucket, expected) => {
    const { asked, charge: one } = refusing(limit);
    const { bucket: counted } = await chargeBrowser(bucket, one);
    expect(asked).toEqual(expected);
    expect(counted).toBe(expected.at(-1));
  });
});

it.each([
  [30, 300, [30, 60, 120, 240, 300]],
  [30, 240, [30, 60, 120, 240]],
  [300, 30, [30]],
])('doubling(%d, %d) is %j', (first, last, steps) => {
  expect(doubling(first, last)).toEqual(steps);
});
