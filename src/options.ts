import type { Request } from 'express';
import type { Factor, RecoveryCodesOption, TrustedDevicesOption } from './account/factor';
import type { PhoneBook } from './account/phone-book';
import type { GatewayClient } from './client/gateway-client';
import type { GatewayClientOptions } from './client/options';
import type { Limits } from './limits/limits';
import type { Policy } from './limits/policy';
import type { SmsOtpEvent } from './login/events';
import type { MessageLocale } from './messages/locales';
import type { CountryMessage, MessageOption } from './messages/options';
import type { PassportInstance } from './middleware/passport';
import type { SmsOtpStore, UserId } from './stores/store';

/** Limits across logins as an option: what is left out keeps its default. Limits can be tightened, never switched off. */
export type LimitsOption = { readonly [Name in keyof Limits]?: Partial<Limits[Name]> | undefined };

/** A user, or nothing. */
export type MaybeUser = Express.User | null | undefined | false;

/**
 * The options of `createSmsOtp`. They are checked once, strictly: an unknown name, a wrong type or a figure beyond its
 * ceiling is a `TypeError` that names the option. Every callback may return a promise, `getUserId` and `now` excepted.
 */
export interface SmsOtpOptions {
  /** The gateway's client, or the options to make one. A client handed in stays open when `close()` is called. */
  readonly gateway: GatewayClient | GatewayClientOptions;

  /**
   * The user's number in E.164 with its plus, or null when there is none: then the login is refused, never let through.
   * Required without a `phoneBook`. With one it is left out: the confirmed numbers of the book are texted.
   */
  getPhone?(user: Express.User): string | null | undefined | Promise<string | null | undefined>;

  /** Where the app keeps its users' numbers: switches `phones` on. Default: none, numbers are the app's own business. */
  readonly phoneBook?: PhoneBook | undefined;

  /**
   * Ends the user's other sessions once a number was changed or removed, recovery codes were made anew, or a device was
   * found to be stolen. The session of `req` stays. Default: nothing is ended.
   */
  endOtherSessions?(userId: UserId, req: Request | undefined): unknown;

  /** Switches recovery codes on. Default: off. */
  readonly recoveryCodes?: RecoveryCodesOption | undefined;

  /** Switches trusted devices on. Outside of NIST SP 800-63B; never good for step-up or enrolment. Default: off. */
  readonly trustedDevices?: TrustedDevicesOption | undefined;

  /** Other second factors beside the text message, for `verifyWith`. Default: none. */
  readonly factors?: readonly Factor[] | undefined;

  /** Loads a user by the id `getUserId` gave. Nothing (null, undefined, false): gone or disabled, the login is refused. */
  loadUser(userId: UserId): MaybeUser | Promise<MaybeUser>;

  /** The id of a user: a non-empty string, a safe integer or a bigint; anything else is a `TypeError`. Default: `user.id`. */
  getUserId?(user: Express.User): UserId;

  /**
   * The countries that may be texted, as ISO 3166-1 codes of two capital letters, or `'any'`. Required: an open list
   * invites text-message fraud. GB admits GG, JE and IM; FI admits AX; US its territories.
   */
  readonly allowedCountries: readonly string[] | 'any';

  /** Whether this login needs the second factor. Only `false` means no; a throw means yes. Default: always. */
  isRequiredFor?(user: Express.User, req: Request): boolean | Promise<boolean>;

  /** Challenges, counters and the shared token. Default: `memoryStore()`, for one process. */
  readonly store?: SmsOtpStore | undefined;

  /** The Passport instance the strategy is registered with. Default: `require('passport')`. */
  readonly passport?: PassportInstance | undefined;

  /** Name in front of the default message, at most 30 characters. Default: none. */
  readonly appName?: string | undefined;

  /**
   * Bare host name of the page that asks for the code, for the default message's origin-bound last line
   * (`@host #code`): phones then offer the code on that site alone. Default: no such line.
   */
  readonly autofillHost?: string | undefined;

  /** A template with exactly one `[PIN]`, or a function that gives one. Default: a sentence in the user's locale. */
  readonly message?: MessageOption | undefined;

  /** Sender of the message: 2 to 11 letters, digits, spaces, hyphens, dots, or 14 digits. Default: the gateway's. */
  readonly sender?: string | undefined;

  /**
   * The user's locale as a BCP 47 tag (`de-AT`): it chooses the default text, and `message` hears it. Anything that is no
   * tag chooses `defaultLocale`. Default: none.
   */
  getLocale?(user: Express.User, req: Request): string | undefined | Promise<string | undefined>;

  /** The locale of the default text where `getLocale` names none that is served. Default: `'en'`. */
  readonly defaultLocale?: MessageLocale | undefined;

  /** The locales that default texts are sent in, beside `defaultLocale`. Default: all sixteen. */
  readonly locales?: readonly MessageLocale[] | undefined;

  /**
   * What is different for numbers of single countries, by ISO 3166-1 code: sender, message or both. GB holds for GG, JE
   * and IM too, FI for AX, US for its territories, unless they have their own. Default: nothing.
   */
  readonly perCountry?: Readonly<Record<string, CountryMessage>> | undefined;

  /** Seconds a code lives from its own send: 120 to 600. Default: 300. */
  readonly pinValiditySeconds?: number | undefined;

  /** Seconds a pending login lives from the right password, whatever is resent: 180 to 900. Default: 600. */
  readonly pendingSeconds?: number | undefined;

  /** Digits of the longest code, which messages are measured with: 4 to 10. Default: 10. */
  readonly maxPinDigits?: number | undefined;

  /** Attempts per OTP id: 1 to 5. Default: 5. */
  readonly maxAttempts?: number | undefined;

  /** Sends per pending login: 1 to 5. Default: 3. */
  readonly maxSends?: number | undefined;

  /** Seconds between the first send and the next, doubled for each one after, up to 300: 30 to 300. Default: 30. */
  readonly resendCooldownSeconds?: number | undefined;

  /** Limits across logins. */
  readonly limits?: LimitsOption | undefined;

  /** Rules asked before a text message is sent, after the country list and `numberTypes()`. Default: none. */
  readonly policies?: readonly Policy[] | undefined;

  /** The field of the body that holds the code. Default: `'pin'`. */
  readonly pinField?: string | undefined;

  /** The field that holds a new number. Default: `'phone'`. */
  readonly phoneField?: string | undefined;

  /** The field that chooses one of the user's numbers by its `phoneId`. Default: `'phoneId'`. */
  readonly phoneIdField?: string | undefined;

  /** The field that holds a recovery code. Default: `'recoveryCode'`. */
  readonly recoveryCodeField?: string | undefined;

  /** The field of the code's form that asks to trust this device (`on`, `true`, `1`, `yes`). Default: `'trustDevice'`. */
  readonly trustDeviceField?: string | undefined;

  /** The key of our slot in the session. Default: `'smsOtp'`. */
  readonly sessionKey?: string | undefined;

  /** The name the strategy is registered under. Default: `'sms-otp'`. */
  readonly strategyName?: string | undefined;

  /** Session keys that survive the renewals of a login. `cookie`, Passport's key and our own are refused. Default: none. */
  readonly keepSessionKeys?: readonly string[] | undefined;

  /**
   * What the keys of counters, recovery codes and trusted devices are made of: a random text of at least 32 characters, the
   * same in all processes, kept for good. Default: the gateway's password; when that changes, recovery codes are worthless.
   */
  readonly secret?: string | undefined;

  /** Hears every event. A sink that throws or is slow changes nothing. */
  onEvent?(event: SmsOtpEvent): unknown;

  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  now?(): number;
}
