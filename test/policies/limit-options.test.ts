import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, type LimitsOption, type SmsOtp } from 'passport-sms-otp';

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
