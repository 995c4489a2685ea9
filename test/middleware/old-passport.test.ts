import { describe, expect, it, jest } from '@jest/globals';
import { Passport, type PassportStatic } from 'passport';
import { Passport as Passport05 } from 'passport05';
import { Passport as Passport06 } from 'passport06';
import type * as passportSmsOtp from 'passport-sms-otp';
import { createSmsOtp, type SmsOtpOptions, SmsOtpStrategy } from 'passport-sms-otp';

const OLD = /^createSmsOtp: passport is older than 0\.6.*npm install passport@0\.7/;

const create = (Class: unknown): PassportStatic => new (Class as new () => PassportStatic)();

const optionsWith = (passport: object | undefined): SmsOtpOptions => ({
  gateway: { baseUrl: 'https://gateway.example', variant: 'A', username: 'u', password: 'p' },
  ...(passport && { passport: passport as PassportStatic }),
  secret: 'a secret of the tests, long enough to be one',
  allowedCountries: ['US'],
  getPhone: () => null,
  loadUser: () => null,
});

/** As Passport 0.1 to 0.3 are: the class of 0.5 without the part that 0.4 has added. */
function createOldest(): object {
  const { _sm: _added, ...rest } = create(Passport05) as unknown as { readonly _sm: unknown };
  return Object.setPrototypeOf({ ...rest, _userProperty: 'user' }, Passport05.prototype) as object;
}

describe('a Passport older than 0.6', () => {
  it.each([
    ['0.5', create(Passport05)],
    ['0.3', createOldest()],
  ])('such as %s is an error at start that says what to install', (_version, passport) => {
    expect(() => createSmsOtp(optionsWith(passport))).toThrow(TypeError);
    expect(() => createSmsOtp(optionsWith(passport))).toThrow(OLD);
    expect(() => new SmsOtpStrategy(optionsWith(passport))).toThrow(OLD);
  });

  it('is one, too, where the app leaves out the option', () => {
    jest.isolateModules(() => {
      jest.doMock('passport', () => jest.requireActual('passport05'));
      const isolated = jest.requireActual<typeof passportSmsOtp>('passport-sms-otp');
      expect(() => isolated.createSmsOtp(optionsWith(undefined))).toThrow(OLD);
    });
    jest.dontMock('passport');
  });
});

describe('another Passport', () => {
  class Subclass extends (Passport as unknown as new () => PassportStatic) {}

  /** As a library that watches every call may replace a method. */
  function createWatched(): PassportStatic {
    const passport = create(Passport);
    const { _sm: manager } = passport as unknown as { _sm: { logIn: (...all: object[]) => void } };
    const { logIn } = manager;
    manager.logIn = (...all) => logIn.apply(manager, all);
    return passport;
  }

  it.each([
    ['0.6', create(Passport06)],
    ['0.7', create(Passport)],
    ['of a class of the app', create(Subclass)],
    ['whose session manager is watched', createWatched()],
    ['of which nothing but its two methods is known', { use: () => 0, authenticate: () => 0 }],
  ])('%s is none', (_title, passport) => {
    expect(() => createSmsOtp(optionsWith(passport))).not.toThrow();
  });
});
