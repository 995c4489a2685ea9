import type { FactorsPart } from './features/factors/feature';
import type { KnownBrowsersMembers } from './features/known-browsers/feature';
import type { LoginsParts } from './features/logins/feature';
import type { PhonesPart } from './features/phones/feature';
import type { RecoveryPart } from './features/recovery-codes/feature';
import type { DevicesPart } from './features/trusted-devices/feature';
import type { Middlewares, VerifyWithPart } from './middleware/middlewares';
import type { SmsOtpSettings } from './middleware/public-settings';
import type { SmsOtpOptions } from './options';
import type { UserAdmin } from './user-admin';

/** The parts that `createSmsOtp` returns in every configuration. */
export interface SmsOtpBase extends Middlewares, UserAdmin, KnownBrowsersMembers {
  /** Facts about the options that pages need. */
  readonly settings: SmsOtpSettings;
  /**
   * Returns whether the user has something with which to pass a second factor: a number that would
   * get a message at a login (with a phone book, a confirmed one), a factor, or recovery codes.
   * Spent recovery codes count too, until `unlockUser` enables codes. Use it in `isRequiredFor` if
   * your users add their first number after a login. If a callback or the store fails, it rejects:
   * treat that as true, as `isRequiredFor` does.
   * @throws {TypeError} if the user has no id.
   */
  readonly canPassSecondFactor: (user: Express.User) => Promise<boolean>;
  /**
   * Loads what the first login needs, and authenticates with the gateway, so that the first user
   * does not wait.
   * @throws {SmsOtpError} if the gateway or the store fails. Everything else is loaded, and the
   * first login tries again.
   */
  readonly warmUp: () => Promise<void>;
  /** Stops new sends, lets running calls end, and closes the client if it was made here. */
  readonly close: () => Promise<void>;
}

/**
 * Everything that `createSmsOtp` returns. One call creates all of it, because the parts must share
 * their options.
 */
export type SmsOtp<O extends PartOptions = SmsOtpOptions> = SmsOtpBase &
  Where<O, 'factors' | 'recoveryCodes', VerifyWithPart> &
  Where<O, 'factors', FactorsPart> &
  Where<O, 'phoneBook', PhonesPart> &
  Where<O, 'recoveryCodes', RecoveryPart> &
  Where<O, 'trustedDevices', DevicesPart> &
  WhereOn<O, 'logins', LoginsParts>;

/**
 * Parts that exist if one of their options is given. They are absent if none is, and optional if
 * the type leaves that open.
 */
type Where<O, Option extends keyof PartOptions, Parts> = [Given<O, Option>] extends [never]
  ? { readonly [Name in keyof Parts]?: undefined }
  : 'given' extends Given<O, Option>
    ? Parts
    : { readonly [Name in keyof Parts]?: Parts[Name] | undefined };

/** Whether one of some options is given, or the type leaves that open; never: all are absent. */
type Given<O, Option extends keyof PartOptions> = Option extends keyof O
  ? undefined extends O[Option]
    ? 'open'
    : 'given'
  : never;

/**
 * Parts that exist unless their option is `false`. They are optional if the type leaves that open.
 */
type WhereOn<O, Option extends keyof PartOptions, Parts> = Option extends keyof O
  ? // In an intersection with the options of this package, `false` becomes `false & object`.
    [Exclude<Extract<O[Option], false>, object>] extends [never]
    ? Parts
    : [Exclude<O[Option], false>] extends [never]
      ? { readonly [Name in keyof Parts]?: undefined }
      : { readonly [Name in keyof Parts]?: Parts[Name] | undefined }
  : Parts;

/** Rejects any name beside the known ones: a type parameter would accept it. */
export type NoOthers<O> = {
  readonly [Name in Exclude<keyof O & string, keyof SmsOtpOptions>]: `there is no option ${Name}`;
};

/** The options that add parts. */
export type PartOptions = Pick<
  SmsOtpOptions,
  'factors' | 'phoneBook' | 'recoveryCodes' | 'trustedDevices' | 'logins'
>;
