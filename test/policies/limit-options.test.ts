import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Passport } from 'passport';
import { createSmsOtp, memoryStore, type LimitsOption, type SmsOtp } from 'passport-sms-otp';
import { guessRows } from '../../src/limits/attempts';
import { type Limits, limitsSchema } from '../../src/limits/options';
import {
  type SendKeys,
  sendRows,
  withoutTextCounters,
  withoutTextKeys,
} from '../../src/limits/sends';
import {
  keysClearedBySuccess,
  OTHER_BROWSERS,
  liftableKeys,
  USER_KEYS,
} from '../../src/limits/user-keys';
import { testClock } from '../support/clock';

const DEFAULT_LIMITS = limitsSchema.parse({});

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

/** Options that once were: their figures are fixed now. */
const REMOVED = [
  ...['perUser', 'perNumber', 'perAddress', 'perPrefix', 'total', 'withoutText', 'enrollments'],
  'failures',
]
  .map((group) => `${group}.perSeconds`)
  .concat([
    ...['perUser.maxPerDayInAll', 'perUser.maxStepUpsPerDay', 'perUser.maxPerDayInOthers'],
    ...['perUser.maxStepUpsPerDayInOthers', 'perUser.maxUnprovenNumbers'],
    'perNumber.maxPerDayFromStrangers',
  ]);

function nest([group = '', name = '']: readonly string[], value: number): object {
  return { [group]: { [name]: value } };
}

describe('a limit by option', () => {
  it.each([
    ['perUser.max', 10],
    ['perUser.maxPerDay', 30],
    ['perNumber.max', 10],
    ['perNumber.maxPerDay', 30],
    ['perAddress.max', 100_000],
    ['perAddress.maxUnproven', 100_000],
    ['perPrefix.max', 100_000],
    ['perPrefix.maxUnproven', 1_000],
    ['total.max', Number.MAX_SAFE_INTEGER],
    ['withoutText.max', 100],
    ['withoutText.maxPerAddress', 100_000],
    ['enrollments.max', 30],
    ['failures.max', 10],
    ['failures.disableAfter', 50],
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
    ...REMOVED.map((path) => [`limits.${path}`, nest(path.split('.'), 600)] as const),
  ])('is refused by its name when it is not known: %s', (name, limits) => {
    expect(() => create(limits)).toThrow(`unknown option ${name}`);
  });
});

function guessCounters(limits: Limits) {
  const parts = { limits, hasKnownBrowsers: false };
  return guessRows(parts, 'a', OTHER_BROWSERS, 'sms').map(({ counter }) => counter);
}

describe('the failure counter', () => {
  it('locks at 10, 20, 30 and so on for 30 min, doubling to 24 h', async () => {
    const clock = testClock();
    const { counters } = memoryStore({ now: () => clock.now() });
    const limits = {
      ...DEFAULT_LIMITS,
      failures: { ...DEFAULT_LIMITS.failures, disableAfter: 100 },
    };
    const locks: [number, number][] = [];
    for (let failure = 1; failure <= 100; failure += 1) {
      const { counts } = await counters.charge(guessCounters(limits));
      const [, count] = counts;
      if (count !== undefined && count.lockedSeconds > 0) {
        locks.push([count.count, count.lockedSeconds]);
        clock.advanceSeconds(count.lockedSeconds);
      }
    }
    const hours = [0.5, 1, 2, 4, 8, 16, 24, 24, 24, 24];
    expect(locks).toEqual(hours.map((length, index) => [10 * (index + 1), length * 3_600]));
    expect((await counters.charge(guessCounters(limits))).refusedBy).toBe(0);
  });
});

describe('the counters of a send', () => {
  const keys: SendKeys = {
    ...{ user: 'u', bucket: OTHER_BROWSERS, hasKnownBrowsers: true },
    ...{ purpose: 'transaction', number: 'n', prefix: 'p' },
    ...{ addresses: [{ block: 'a', factor: 1 }], provenKeys: ['proven:u:n'], isConfirmed: false },
  };
  const namesOf = (changes: Partial<SendKeys>): string[] =>
    sendRows(DEFAULT_LIMITS, { ...keys, ...changes }, 30, 0).map(({ counter }) => counter.key);

  it('have keys of their own, whatever the ids are', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom('u', 'user:u', 'all:user:u', 'number:n', ':'),
    );
    fc.assert(
      fc.property(fc.record({ user: part, number: part, prefix: part }), (any) => {
        const names = namesOf(any);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('of two users share only what is not theirs', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(one !== other);
        const others = namesOf({ user: other });
        const shared = namesOf({ user: one }).filter((name) => others.includes(name));
        expect(shared).toEqual([
          'sends:day:number:login:n',
          'sends:short:number:login:n',
          'sends:address-unproven:a',
          'sends:prefix-unproven:login:p',
          'sends:strangers:n',
          'sends:address:a',
          'sends:prefix:p',
          'sends:total',
        ]);
      }),
    );
  });

  it('are all bounded, and none can outlive its window but the failures', () => {
    for (const { limit, counter } of sendRows(DEFAULT_LIMITS, keys, 30, 1)) {
      const isBounded = (counter.max ?? 0) > 0 || counter.lock !== undefined;
      expect(isBounded).toBe(counter.key !== USER_KEYS.texted('u', 'n'));
      const isOfFailures = limit === 'failures' || limit === 'lock';
      expect(counter.windowSeconds === null).toBe(
        isOfFailures && counter.key !== 'failures:slow:u',
      );
      expect(counter.isOnlyRead === true).toBe(isOfFailures);
    }
  });

  it('grow their gaps by doubling, with at most a tenth of chance after the first, never above 300 s', () => {
    const first = fc.integer({ min: 30, max: 300 });
    fc.assert(
      fc.property(first, fc.double({ min: 0, max: 1, noNaN: true }), (gap, random) => {
        const counter = sendRows(DEFAULT_LIMITS, keys, gap, random).find(
          ({ limit }) => limit === 'gap',
        );
        const gaps = counter?.counter.lock?.seconds ?? [];
        expect([gaps[0], gaps.at(-1)]).toEqual([gap, 300]);
        gaps.forEach((seconds, index) => {
          expect(seconds).toBeGreaterThanOrEqual(Math.min(300, gap * 2 ** index));
          expect(seconds).toBeLessThanOrEqual(Math.min(300, gap * 2 ** index * 1.1 + 1));
        });
      }),
    );
  });

  it.each([
    [0, [30, 60, 120, 240, 300]],
    [0.5, [30, 63, 126, 252, 300]],
    [1, [30, 66, 132, 264, 300]],
  ])('have all gaps but the first spread by chance: with %d to %j', (random, seconds) => {
    const gap = sendRows(DEFAULT_LIMITS, keys, 30, random).find(({ limit }) => limit === 'gap');
    expect(gap?.counter.lock).toEqual({ every: 1, seconds });
  });

  it('are cleared by a success where it sets back, and not where it does not', () => {
    const ofBucket = ['sends:gap:others:u', 'sends:day:user:others:u', 'sends:short:user:others:u'];
    expect(keysClearedBySuccess('u', ['sms'], OTHER_BROWSERS)).toEqual([
      ...['failures:others:u', 'failures:known:u', 'locks:u:sms'],
      ...ofBucket,
    ]);
    expect(keysClearedBySuccess('u', ['sms'], 'b')).toEqual([
      ...['failures:others:u', 'failures:known:u', 'browser:b:u'],
      ...ofBucket.map((key) => key.replace('others', 'b')),
    ]);
    const inAll = ['sends:all:others:u', 'sends:step-ups:others:u', 'sends:unproven-numbers:u'];
    expect(namesOf({}).filter((name) => name.startsWith('sends:') && name.endsWith(':u'))).toEqual([
      ...ofBucket,
      ...inAll,
    ]);
    expect(new Set(liftableKeys('u', []))).toEqual(
      new Set([
        ...[...ofBucket, ...inAll, 'enrollments:u'],
        ...['sends:all:known:u', 'sends:step-ups:known:u'],
      ]),
    );
  });

  it('of a number that the app confirms are those of proven ones, but for the cap on strangers', () => {
    expect(namesOf({ isConfirmed: true })).toEqual([
      ...[
        ...['failures:others:u', 'locks:u:sms', 'failures:slow:u'],
        'sends:gap:others:u',
        'sends:day:user:others:u',
        'sends:short:user:others:u',
      ],
      ...['sends:all:others:u', 'sends:step-ups:others:u', 'sends:strangers:n'],
      ...['sends:address:a', 'sends:prefix:p', 'sends:total'],
    ]);
  });

  it('name the limit that refuses, and what a text that did not go out gives back', () => {
    const rows = sendRows(DEFAULT_LIMITS, keys, 30, 0).map(({ counter, limit, budget }) => [
      counter.key,
      limit,
      budget,
    ]);
    expect(rows).toEqual([
      ['failures:others:u', 'failures', null],
      ['locks:u:sms', 'lock', null],
      ['failures:slow:u', 'lock', null],
      ['sends:gap:others:u', 'gap', 'gap'],
      ['sends:day:user:others:u', 'per-user', 'user'],
      ['sends:short:user:others:u', 'per-user', 'user'],
      ['sends:all:others:u', 'per-user', 'total'],
      ['sends:step-ups:others:u', 'per-user', 'total'],
      ['sends:unproven-numbers:u', 'per-user', 'total'],
      ['sends:day:number:login:n', 'per-number', 'total'],
      ['sends:short:number:login:n', 'per-number', 'total'],
      // It refuses nothing.
      [USER_KEYS.texted('u', 'n'), 'per-user', 'total'],
      ['sends:address-unproven:a', 'per-address', 'total'],
      ['sends:prefix-unproven:login:p', 'per-prefix', 'total'],
      ['sends:strangers:n', 'per-number', 'total'],
      ['sends:address:a', 'per-address', 'total'],
      ['sends:prefix:p', 'per-prefix', 'total'],
      ['sends:total', 'total', 'in-all'],
    ]);
  });

  it.each([
    ['the others, where some are known', OTHER_BROWSERS, true, 'InOthers'],
    ['the others, where none is known', OTHER_BROWSERS, false, 'InAll'],
    ['known browsers', 'b', true, 'InAll'],
  ] as const)('of a day have the share of %s', (_whose, bucket, hasKnownBrowsers, share) => {
    const rows = sendRows(DEFAULT_LIMITS, { ...keys, bucket, hasKnownBrowsers }, 30, 0);
    const mostOf = (key: string) => rows.find(({ counter }) => counter.key === key)?.counter.max;
    const side = bucket === OTHER_BROWSERS ? 'others' : 'known';
    const isShare = share === 'InOthers';
    expect(mostOf(USER_KEYS.all('u', side))).toBe(isShare ? 20 : 40);
    expect(mostOf(USER_KEYS.stepUps('u', side))).toBe(isShare ? 10 : 30);
  });

  it.each([
    [1, 20, 10],
    [20, 20, 10],
    [30, 30, 20],
  ])('of a day are never fewer than maxPerDay admits: %d, %d, %d', (maxPerDay, all, stepUps) => {
    const limits = limitsSchema.parse({ perUser: { maxPerDay } });
    const rows = sendRows(limits, keys, 30, 0);
    const mostOf = (key: string) => rows.find(({ counter }) => counter.key === key)?.counter.max;
    expect(mostOf('sends:all:others:u')).toBe(all);
    expect(mostOf('sends:step-ups:others:u')).toBe(stepUps);
  });

  it('of a proven number leave it out of the numbers that were texted', () => {
    const counter = sendRows(DEFAULT_LIMITS, keys, 30, 0).find(
      ({ counter: { key } }) => key === USER_KEYS.texted('u', 'n'),
    )?.counter;
    expect(counter?.exemptBy).toEqual(['proven:u:n']);
  });

  it('of unproven numbers are exempt by what proves them, and by nothing of another user', () => {
    const exempting = sendRows(DEFAULT_LIMITS, keys, 30, 0).flatMap(
      ({ counter: { exemptBy = [] } }) => exemptBy,
    );
    expect(new Set(exempting)).toEqual(new Set(['proven:u:n', USER_KEYS.texted('u', 'n')]));
  });

  it('of step-ups and transactions have a share of their own, and enrollments a budget of the number', () => {
    expect(namesOf({ purpose: 'login' })).not.toContain('sends:step-ups:others:u');
    expect(namesOf({ purpose: 'step-up' })).toContain('sends:step-ups:others:u');
    const enrolls = namesOf({ purpose: 'enroll' });
    expect(enrolls).toContain('sends:day:number:enroll:n');
    expect(enrolls).not.toContain('sends:day:number:login:n');
  });
});

describe('the counters of logins begun without a text', () => {
  const user = [{ block: 'u a', factor: 1 }];

  it('are those of the user on this side, and of the address', () => {
    const address = [
      { block: 'a', factor: 1 },
      { block: 'b', factor: 10 },
    ];
    const counters = withoutTextCounters(DEFAULT_LIMITS, 'known', user, address);
    expect(counters.map(({ key, max: most, windowSeconds }) => [key, most, windowSeconds])).toEqual(
      [
        ['without-text:known:u a', 20, 600],
        ['without-text:address:a', 1_000, 600],
        ['without-text:address:b', 10_000, 600],
      ],
    );
  });

  it("are cleared by a success where they are the user's", () => {
    expect(withoutTextKeys(DEFAULT_LIMITS, 'others', user)).toEqual(['without-text:others:u a']);
  });
});

describe('the keys of a user', () => {
  const keysOf = (user: string): string[] =>
    Object.values(USER_KEYS).map((toKey) => toKey(user, 'others'));

  it('are different ones, and name no two users alike', () => {
    const keys = ['u', 'v'].flatMap(keysOf);
    expect(new Set(keys).size).toBe(2 * Object.keys(USER_KEYS).length);
  });

  it('with a number are short, and name neither', () => {
    for (const toKey of [USER_KEYS.proven, USER_KEYS.texted])
      expect(toKey('user-1', 'number-1')).toMatch(/^(proven|texted):[\w-]{22}$/);
  });
});
