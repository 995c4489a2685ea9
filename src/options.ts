import type { Request } from 'express';
import type { Factor } from './features/factors/factors';
import type { KnownBrowsersOption } from './features/known-browsers/known-browsers';
import type { LoginsOption } from './features/logins/logins';
import type { PhoneBook } from './features/phones/phone-book';
import type { SecretOption } from './define-options';
import type { RecoveryCodesOption } from './features/recovery-codes/recovery-codes';
import type { TrustedDevicesOption } from './features/trusted-devices/trusted-devices';
import type { Limits } from './limits/options';
import type { Policy } from './limits/policy';
import type { AppUserId } from './core/context';
import type { SmsOtpEvent } from './events';
import type { MessagesOption } from './messages/options';
import type { PassportInstance } from './middleware/passport';
import type { GatewayOption } from './open-gateway';
import type { SmsOtpStore, UserId } from './stores/store';

/** Limits across logins. A limit that is left out keeps its default. No limit can be turned off. */
export type LimitsOption = { readonly [Name in keyof Limits]?: Partial<Limits[Name]> | undefined };

/**
 * What `getPhone` returns. Only `null` says that the user has no number. With `undefined`, an empty
 * string or a string that is not E.164, the user counts as someone who has a number, but no message
 * can be sent to it now.
 */
export type GivenPhone =
  | string
  | { readonly number: string | undefined; readonly isConfirmed: boolean }
  | null
  | undefined;

export type MaybeUser = Express.User | null | undefined | false;

/**
 * The addresses of the app's pages, which are the defaults of all redirects. Each is a path as the
 * browser sees it, or a URL with its scheme and host.
 */
export interface PathsOption {
  /** The login form. Browsers without a user are sent here. Default: `'/login'`. */
  readonly login?: string | undefined;
  /** The page after a success, unless a guard kept another one. Default: `'/'`. */
  readonly home?: string | undefined;
  /**
   * The page that asks for the code. Default: `'/second-factor/code'`. With a prefix before it, the
   * defaults below have the same prefix.
   */
  readonly code?: string | undefined;
  /**
   * The page on which a logged-in user confirms with a factor. Default: `'/second-factor/step-up'`.
   */
  readonly stepUp?: string | undefined;
  /** The page on which users change their numbers. Default: `'/second-factor/settings'`. */
  readonly settings?: string | undefined;
}

/**
 * The options of `createSmsOtp`. They are checked once, strictly: an unknown name, a wrong type or
 * a figure out of range is a `TypeError` that names the option. Every callback may return a
 * promise, except `getUserId` and `now`.
 */
export interface SmsOtpOptions {
  /**
   * The gateway that sends and checks the codes: options of the built-in client, a `GatewayClient`,
   * or any `OtpGateway`, such as `smsGateway()`. A gateway that you pass in stays open when
   * `close()` is called.
   */
  readonly gateway: GatewayOption;
  /**
   * Returns the user's number in E.164 with its plus, or null if the user has none. `{ number,
   * isConfirmed: true }` says that the app knows the number to be the user's: then the limits for
   * unproven numbers do not apply.
   *
   * Without a number the login waits for another factor, or is refused as `no-phone`. Any other
   * value, including undefined, has the same effect but never means that the user has no number:
   * `SMS_OTP_UNUSABLE_PHONE` warns. If it throws, no message is sent either, and the error goes to
   * the app's error handler if the user has no other factor.
   *
   * Required without a `phoneBook`. With one, leave it out: messages go to the confirmed numbers of
   * the phone book.
   */
  getPhone?(user: Express.User): GivenPhone | Promise<GivenPhone>;
  /**
   * Where the app stores its users' numbers. Turns `phones` on. Default: none, the app changes
   * numbers itself.
   */
  readonly phoneBook?: PhoneBook | undefined;
  /**
   * Ends the user's other sessions. Called after a number was changed or removed, recovery codes
   * were replaced, or a trusted device was found to be stolen. Must keep the session of `req`.
   * Default: none are ended.
   */
  endOtherSessions?(userId: AppUserId, req: Request | undefined): unknown;
  /** Turns recovery codes on. Default: off. */
  readonly recoveryCodes?: RecoveryCodesOption | undefined;
  /**
   * Turns trusted devices on. They are outside of NIST SP 800-63B, and never count for a step-up or
   * an enrollment. Default: off.
   */
  readonly trustedDevices?: TrustedDevicesOption | undefined;
  /**
   * Counts attempts and messages of known browsers, in which the user has passed the second factor,
   * apart from those of all others. So an attacker who only knows the password cannot lock the user
   * out there. The code is still required. `false`: all browsers share their limits. Default: on,
   * for 90 days.
   */
  readonly knownBrowsers?: KnownBrowsersOption | false | undefined;
  /**
   * Keeps a record of each login in the store. So a logout is final even while other requests run,
   * and a login can be ended from elsewhere: `logins.list`, `revoke` and `revokeAll`. Log out with
   * `smsOtp.logout()`. `false`: a session is accepted until it expires, and a copied cookie still
   * works after a logout. Default: on.
   */
  readonly logins?: LoginsOption | false | undefined;
  /**
   * Second factors other than the text message, each with its own name. `verifyWith` verifies them,
   * and `verify` the codes of a factor that sends its code. With `phoneBook` or `recoveryCodes`
   * each needs `isAvailable` or `getAddress`. Default: none.
   */
  readonly factors?: readonly Factor[] | undefined;
  /**
   * The secret from which the keys of counters, recovery codes, trusted devices and proven numbers
   * are derived: a random string of at least 32 characters, the same in all processes. Do not lose
   * it. To rotate it, give a list: the first one makes keys, and all are accepted.
   */
  readonly secret: SecretOption;
  /**
   * Loads a user by the id that `getUserId` returned, in its type. The result becomes `req.user`
   * and is passed to `serializeUser`, so leave out the hash of the password. If it is null,
   * undefined or false, the user is deleted or disabled, and the login is refused.
   */
  loadUser(userId: AppUserId): MaybeUser | Promise<MaybeUser>;
  /**
   * Returns the id of a user: a non-empty string, a safe integer or a bigint; anything else is a
   * `TypeError`. Default: `user.id`. For lean documents of MongoDB: `String(user._id)`.
   */
  getUserId?(user: Express.User): UserId;
  /**
   * The countries to which messages may be sent, as ISO 3166-1 codes of two capital letters, or
   * `'any'`. Required, because an open list invites text-message fraud. GB includes GG, JE and IM;
   * FI includes AX; US includes its territories.
   */
  readonly allowedCountries: readonly string[] | 'any';
  /**
   * Returns whether this login needs the second factor. Only `false` turns it off. If it throws,
   * the factor is required. If users add their first number after a login, ask
   * `canPassSecondFactor`. Default: always required.
   */
  isRequiredFor?(user: Express.User, req: Request): boolean | Promise<boolean>;
  /**
   * Returns the factor that comes first for this user: `'sms'`, `'recovery-code'` or the name of
   * one of `factors`. A factor with `getAddress` sends the first code in place of a text message.
   * For any other factor but `'sms'`, `send` and `stepUp` send nothing, and `resend` sends a code
   * on request. A name that this user cannot use now counts as `'sms'`. Default: `'sms'`.
   */
  preferredFactor?(
    user: Express.User,
    req: Request,
  ): string | null | undefined | Promise<string | null | undefined>;
  /**
   * Keeps pending logins, counters, records and the shared token. Default: `memoryStore()`, for one
   * process.
   */
  readonly store?: SmsOtpStore | undefined;
  /** The Passport instance that the strategy is registered with. Default: `require('passport')`. */
  readonly passport?: PassportInstance | undefined;
  /**
   * The name of the app, at the beginning of the default message and on the pages: 1 to 30
   * characters. Default: none.
   */
  readonly appName?: string | undefined;
  /**
   * The addresses of the app's pages. Every middleware and guard redirects there unless its own
   * option says otherwise. Requests that ask for JSON get JSON. Default: none, and only the
   * redirects of each middleware apply.
   */
  readonly paths?: PathsOption | undefined;
  /** How the message is written. */
  readonly messages?: MessagesOption | undefined;
  /**
   * Returns the user's locale as a BCP 47 tag (`de-AT`). It chooses the default message and is
   * passed to `messages.template`. Any other value chooses `defaultLocale`. Default: none.
   */
  getLocale?(user: Express.User, req: Request): string | undefined | Promise<string | undefined>;
  /** Seconds until a code expires, counted from its own send: 120 to 600. Default: 300. */
  readonly codeValiditySeconds?: number | undefined;
  /**
   * Seconds until a pending login expires, counted from the right password and not extended by a
   * resend: 180 to 900. Default: 600.
   */
  readonly pendingLoginSeconds?: number | undefined;
  /** Attempts per OTP id: 1 to 5. Default: 5. */
  readonly maxAttempts?: number | undefined;
  /** Messages per pending login: 1 to 5. Default: 3. */
  readonly maxSends?: number | undefined;
  /**
   * Whether the previous code is accepted too, if both messages went to the same number. A message
   * may arrive late, after the one that replaced it. Each of the two checks counts as an attempt.
   * Default: true.
   */
  readonly acceptsEarlierCode?: boolean | undefined;
  /**
   * Seconds between the first message and the next, doubled after each one, up to 300: 30 to 300.
   * Default: 30.
   */
  readonly resendCooldownSeconds?: number | undefined;
  /** Limits across logins. Default: see docs/options.md. */
  readonly limits?: LimitsOption | undefined;
  /**
   * Policies that are checked before a message is sent, after the country list and `numberTypes()`.
   * Default: none.
   */
  readonly policies?: readonly Policy[] | undefined;
  /** The field of the request body that holds the code: 1 to 100 characters. Default: `'pin'`. */
  readonly codeField?: string | undefined;
  /**
   * The name under which the strategy is registered. Cookies, keys of the store and the key in the
   * session depend on it: read scaling.md before you change it. Default: `'sms-otp'`.
   */
  readonly strategyName?: string | undefined;
  /**
   * Session keys to keep when a login renews the session. `cookie`, Passport's key and our own are
   * refused. Default: none.
   */
  readonly keepSessionKeys?: readonly string[] | undefined;
  /**
   * The origins of other hosts to which `returnTo` of a guard may lead, such as
   * `['https://app.example']`. Default: none, only paths of this site.
   */
  readonly returnToOrigins?: readonly string[] | undefined;
  /** Called with every event. Exceptions and slow handlers never affect the login. */
  onEvent?(event: SmsOtpEvent): unknown;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  now?(): number;
}
