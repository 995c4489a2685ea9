import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Passport } from 'passport';
import { createSmsOtp, memoryStore, type LimitsOption, type SmsOtp } from 'passport-sms-otp';
import {
  failureCounter,
  keysClearedBySuccess,
  keysOfUser,
  lockCounter,
  sendCounters,
} from '../../src/limits/limits';
import { DEFAULT_LIMITS } from '../../src/limits/options';
import { testClock } from '../support/clock';

function create(limits: unknown): SmsOtp {
  return createSmsOtp({
    gateway: { baseUrl: 'http://127.0.0.1:9', variant: 'A', username: 'u', password: 'p' },
    passport: new Passport(),
    allowedCountries: 'any',
    getPhone: () => null,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    // What callers without types may hand in.
    limits: limits as LimitsOption,
  });
}

describe('a limit by option', () => {
  it.each([
    ['perUser.max', 10],
    ['perUser.maxPerDay', 30],
    ['perUser.maxPerDayInAll', 100],
    ['perNumber.max', 10],
    ['perNumber.maxPerDay', 30],
    ['perNumber.maxPerDayInAll', 100],
    ['perAddress.max', 100_000],
    ['perPrefix.max', 100_000],
    ['perPrefix.maxNeverVerified', 1_000],
    ['total.max', Number.MAX_SAFE_INTEGER],
    ['failures.max', 10],
    ['failures.disableAfter', 100],
  ])('may take %s from 1 to %d and not beyond', (path, ceiling) => {
    const [group = '', name = ''] = path.split('.');
    const take = (value: unknown) => () => create({ [group]: { [name]: value } });
    expect(take(1)).not.toThrow();
    expect(take(ceiling)).not.toThrow();
    for (const wrong of [0, -1, ceiling + 1, 1.5, Infinity, NaN, null, '5', false]) {
      expect(take(wrong)).toThrow(new RegExp(`limits\\.${path} `));
    }
  });

  it.each([
    ['perUser', 600],
    ['perNumber', 600],
    ['perAddress', 3_600],
    ['perPrefix', 3_600],
    ['total', 3_600],
    ['failures', 1_800],
  ])('may make the window of %s longer than %d s, up to a day, and not shorter', (group, shortest) => {
    const take = (perSeconds: number) => () => create({ [group]: { perSeconds } });
    expect(take(shortest)).not.toThrow();
    expect(take(86_400)).not.toThrow();
    expect(take(shortest - 1)).toThrow(`limits.${group}.perSeconds`);
    expect(take(86_401)).toThrow(`limits.${group}.perSeconds`);
  });

  it.each([
    [false],
    [null],
    [[]],
    ['off'],
    [{ perUser: false }],
    [{ perUser: null }],
    [{ failures: Infinity }],
  ])('cannot be switched off by %j', (limits) => {
    expect(() => create(limits)).toThrow(TypeError);
  });

  it.each([
    ['limits.perSession', { perSession: { max: 1 } }],
    ['limits.perUser.maxPerHour', { perUser: { maxPerHour: 1 } }],
    ['limits.failures.lockSeconds', { failures: { lockSeconds: 1 } }],
  ])('is refused by its name when it is not known: %s', (name, limits) => {
    expect(() => create(limits)).toThrow(`unknown option ${name}`);
  });
});

describe('the failure counter', () => {
  it('locks at 10, 20, 30 and so on for 30 min, doubling to 24 h', async () => {
    const clock = testClock();
    const { counters } = memoryStore({ now: () => clock.now() });
    const limits = { ...DEFAULT_LIMITS, failures: { ...DEFAULT_LIMITS.failures, disableAfter: 100 } };
    const locks: [number, number][] = [];
    for (let failure = 1; failure <= 100; failure += 1) {
      const { counts } = await counters.charge([
        lockCounter(limits, 'a', 'sms'),
        failureCounter(limits, 'a'),
      ]);
      const [count] = counts;
      if (count !== undefined && count.lockedSeconds > 0) {
        locks.push([count.count, count.lockedSeconds]);
        clock.advanceSeconds(count.lockedSeconds);
      }
    }
    const hours = [0.5, 1, 2, 4, 8, 16, 24, 24, 24, 24];
    expect(locks).toEqual(hours.map((length, index) => [10 * (index + 1), length * 3_600]));
    expect((await counters.charge([failureCounter(limits, 'a')])).refusedBy).toBe(0);
  });
});

describe('the counters of a send', () => {
  const keys = { user: 'u', number: 'n', prefix: 'p', address: 'a' };

  it('have keys of their own, whatever the ids are', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('u', 'user:u', 'all:user:u', 'number:n', ':'));
    fc.assert(
      fc.property(fc.record({ user: part, number: part, prefix: part, address: part }), (any) => {
        const names = sendCounters(DEFAULT_LIMITS, any, 30, 0).map(({ counter }) => counter.key);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('of two users share only what is not theirs', () => {
    const namesFor = (user: string): string[] =>
      sendCounters(DEFAULT_LIMITS, { ...keys, user }, 30, 0).map(({ counter }) => counter.key);
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(one !== other);
        const shared = namesFor(one).filter((name) => namesFor(other).includes(name));
        expect(shared).toHaveLength(namesFor(one).length - 4);
      }),
    );
  });

  it('are all bounded, and none can outlive its window but the failures', () => {
    for (const { role, counter } of sendCounters(DEFAULT_LIMITS, keys, 30, 1)) {
      expect(counter.max).toBeGreaterThan(0);
      expect(counter.windowSeconds === null).toBe(role === 'failures');
      expect(counter.isOnlyRead === true).toBe(role === 'failures');
    }
  });

  it('grow their gaps by doubling, with at most a tenth of chance after the first, never above 300 s', () => {
    const first = fc.integer({ min: 30, max: 300 });
    fc.assert(
      fc.property(first, fc.double({ min: 0, max: 1, noNaN: true }), (gap, random) => {
        const [, counter] = sendCounters(DEFAULT_LIMITS, keys, gap, random);
        const gaps = counter?.counter.lock?.seconds ?? [];
        expect([gaps[0], gaps.at(-1)]).toEqual([gap, 300]);
        gaps.forEach((seconds, index) => {
          expect(seconds).toBeGreaterThanOrEqual(Math.min(300, gap * 2 ** index));
          expect(seconds).toBeLessThanOrEqual(Math.min(300, gap * 2 ** index * 1.1 + 1));
        });
      }),
    );
  });

  it('are cleared by a success where it sets back, and not where it does not', () => {
    const cleared = keysClearedBySuccess('u', ['sms'], 'n');
    const names = sendCounters(DEFAULT_LIMITS, keys, 30, 0).map(({ counter }) => counter.key);
    const kept = names.filter((name) => !cleared.includes(name));
    expect(kept).toEqual([
      'sends:all:user:u',
      'sends:all:number:n',
      'sends:address:a',
      'sends:prefix-new:p',
      'sends:prefix:p',
      'sends:total',
    ]);
    expect(keysOfUser('u', ['sms']).sends).toEqual([
      'sends:day:user:u',
      'sends:short:user:u',
      'sends:all:user:u',
    ]);
  });
});
