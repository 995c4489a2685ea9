import { describe, expect, it } from '@jest/globals';
import { Passport } from 'passport';
import { createSmsOtp, SmsOtpStrategy, type SmsOtpOptions } from 'passport-sms-otp';
import { BAD, BAD_GATEWAYS, CEILINGS } from './support/bad-options';
import { findStrategy } from './support/steps';

const CANARIES = ['canary-password', 'canary-user', 'canary-query', 'canary value'];

const GATEWAY = {
  baseUrl: 'https://gateway.example',
  variant: 'A',
  username: 'canary-user',
  password: 'canary-password',
} as const;

function complete(): SmsOtpOptions {
  return {
    gateway: GATEWAY,
    passport: new Passport(),
    getPhone: () => null,
    secret: 'a secret of the tests, long enough to be one',
    loadUser: () => null,
    allowedCountries: ['US'],
  };
}

/** What is said of options that are complete but for a change. */
function problemOf(change: object): string {
  return problemWith({ ...complete(), ...change });
}

/** The message of the TypeError, or what came instead. */
function problemWith(options: unknown): string {
  try {
    // Wrong on purpose.
    createSmsOtp(options as SmsOtpOptions);
  } catch (error) {
    return error instanceof TypeError ? error.message : String(error);
  }
  return 'accepted';
}

/** `limits.perUser.max` and 3 become `{ limits: { perUser: { max: 3 } } }`. */
function nest(path: string, value: number): object {
  return path
    .split('.')
    .reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
}

describe('createSmsOtp', () => {
  it('accepts what is complete', () => {
    expect(problemOf({})).toBe('accepted');
  });

  it.each([undefined, null, 'options', 7, [], () => undefined])(
    'refuses %p as options',
    (options) => {
      expect(problemWith(options)).toBe('createSmsOtp: options must be an object');
    },
  );

  it.each(BAD)('refuses %s, and names the option', (_title, change, problem) => {
    const message = problemOf(change);
    expect(message).toMatch(problem);
    expect(CANARIES.filter((canary) => message.includes(canary))).toEqual([]);
  });

  it.each(['gateway', 'loadUser', 'allowedCountries'])(
    'tells of %s left out as of one that is undefined',
    (name) => {
      const { [name as 'gateway']: _left, ...others } = complete();
      expect(problemWith(others)).toBe(problemOf({ [name]: undefined }));
      expect(problemWith(others)).toContain(`createSmsOtp: ${name} is missing; it must be`);
    },
  );

  it.each(BAD_GATEWAYS)(
    'refuses a gateway %s, and does not repeat what it was given',
    (_title, change, problem) => {
      const message = problemOf({ gateway: { ...GATEWAY, ...change } });
      expect(message).toMatch(problem);
      expect(CANARIES.filter((canary) => message.includes(canary))).toEqual([]);
    },
  );

  it.each(CEILINGS)('takes %s as far as %d, and refuses %d', (path, furthest, beyond) => {
    const roomy = {
      ...(path === 'codeValiditySeconds' && { pendingLoginSeconds: 900 }),
      ...(path === 'limits.failures.disableAfter' && { knownBrowsers: false }),
    };
    expect(problemOf({ ...roomy, ...nest(path, furthest) })).toBe('accepted');
    expect(problemOf({ ...roomy, ...nest(path, beyond) })).toContain(
      `createSmsOtp: ${path} must be`,
    );
  });

  it('takes undefined for a default', () => {
    const names = [
      'store',
      'messages',
      'limits',
      'policies',
      'maxAttempts',
      'keepSessionKeys',
      'now',
      'getUserId',
    ];
    expect(problemOf(Object.fromEntries(names.map((name) => [name, undefined])))).toBe('accepted');
  });

  it('registers nothing when an option is wrong, and the strategy by its name when none is', () => {
    const passport = new Passport();
    problemOf({ passport, messages: { template: 'no place for a code' } });
    expect(findStrategy(passport)).toBeUndefined();
    createSmsOtp({ ...complete(), passport });
    expect(findStrategy(passport)).toBeInstanceOf(SmsOtpStrategy);
  });

  it('gives parts that work without it: every method may be taken off', () => {
    const { close, ...parts } = createSmsOtp(complete());
    expect(Object.keys(parts).sort()).toEqual(
      [
        ...[
          'firstFactor',
          'settings',
          'send',
          'resend',
          'verify',
          'cancel',
          'stepUp',
          'logout',
          'requireSecondFactor',
          'hasSecondFactor',
          'checkSecondFactor',
          'canPassSecondFactor',
          'logins',
          'browserOf',
        ],
        ...['status', 'unlockUser', 'forgetUser', 'exportUser', 'warmUp'],
      ].sort(),
    );
    const { requireSecondFactor, send } = parts;
    expect([requireSecondFactor().name, send().name]).toEqual([
      'requireSecondFactor',
      'smsOtpSend',
    ]);
    expect(close()).toBeInstanceOf(Promise);
  });
});

describe('new SmsOtpStrategy', () => {
  it('checks the same options', () => {
    expect(() => new SmsOtpStrategy({ ...complete(), maxAttempts: 6 })).toThrow(TypeError);
    expect(new SmsOtpStrategy(complete()).name).toBe('sms-otp');
  });
});
