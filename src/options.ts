import type { Request } from 'express';
import { z } from 'zod';
import type { ChallengeFactor, CodeFactor, Factor } from './features/factors/factors';
import type { KnownBrowsersOption } from './features/known-browsers/known-browsers';
import type { LoginsOption } from './features/logins/logins';
import type { PhoneBook } from './features/phones/phone-book';
import type { RecoveryCodesOption } from './features/recovery-codes/recovery-codes';
import type { TrustedDevicesOption } from './features/trusted-devices/trusted-devices';
import {
  callback,
  findCountry,
  objectWith,
  pageOption,
  parseOptions,
  secretOption,
  storeOption,
  strictOptions,
  switchOption,
  syncCallback,
  type SecretOption,
  unlessFalse,
  wholeNumber,
} from './define-options';
import { optionError, readFields } from './errors';
import { extendToTerritories } from './limits/built-in';
import { type Limits, limitsSchema } from './limits/options';
import type { Policy } from './limits/policy';
import type { AppUserId } from './core/context';
import type { SmsOtpEvent } from './events';
import { appNameSchema, messagesSchema, type MessagesOption } from './messages/options';
import type { PassportInstance } from './middleware/passport';
import type { Paths } from './middleware/paths';
import type { FieldNames } from './middleware/public-settings';
import type { GatewayOption } from './open-gateway';
import { findForeignPart } from './stores/one-store';
import type { SmsOtpStore, UserId } from './stores/store';

/**
 * Limits across logins as an option: what is left out keeps its default. No limit can be switched
 * off.
 */
export type LimitsOption = { readonly [Name in keyof Limits]?: Partial<Limits[Name]> | undefined };

/**
 * What `getPhone` returns. Only `null` says that the user has no number. With `undefined`, an empty
 * string or a string that is not E.164 the user counts as one who has a number, to which no message
 * can go now.
 */
export type GivenPhone =
  | string
  | { readonly number: string | undefined; readonly isConfirmed: boolean }
  | null
  | undefined;

/** A user, or nothing. */
export type MaybeUser = Express.User | null | undefined | false;

/**
 * Where the app's pages are: the default of every redirect. Each is a path as the browser sees it,
 * or a URL with its scheme and host.
 */
export interface PathsOption {
  /** The login form. Browsers come here without a user. Default: `'/login'`. */
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
 * a figure beyond its ceiling is a `TypeError` that names the option. Every callback may return a
 * promise, `getUserId` and `now` excepted.
 */
export interface SmsOtpOptions {
  /**
   * What makes, texts and judges the codes: options of the gateway's client, a `GatewayClient`, or
   * any `OtpGateway`, such as `smsGateway()`. What is handed in stays open when `close()` is
   * called.
   */
  readonly gateway: GatewayOption;
  /**
   * Returns the user's number in E.164 with its plus, or null for a user who has none.
   * `{ number, isConfirmed: true }` says that the app knows the number to be the user's: then the
   * limits for unproven numbers do not apply. Without a number the login waits for another factor,
   * or is refused as `no-phone`. Anything else, undefined included, has the same effect, but never
   * means that the user has no number: `SMS_OTP_UNUSABLE_PHONE` warns. What it throws means no
   * message now as well, and goes to the app's error handler if the user has no other factor.
   * Required without a `phoneBook`; with one, leave it out, and the confirmed numbers of the phone
   * book are texted.
   */
  getPhone?(user: Express.User): GivenPhone | Promise<GivenPhone>;
  /**
   * Where the app stores its users' numbers: switches `phones` on. Default: none, the app changes
   * numbers itself.
   */
  readonly phoneBook?: PhoneBook | undefined;
  /**
   * Ends the user's other sessions. Called when a number was changed or removed, recovery codes
   * were replaced, or a device was found to be stolen. The session of `req` must stay. Default:
   * nothing is ended.
   */
  endOtherSessions?(userId: AppUserId, req: Request | undefined): unknown;
  /** Switches recovery codes on. Default: off. */
  readonly recoveryCodes?: RecoveryCodesOption | undefined;
  /**
   * Switches trusted devices on. Outside of NIST SP 800-63B; they never count for step-up or
   * enrollment. Default: off.
   */
  readonly trustedDevices?: TrustedDevicesOption | undefined;
  /**
   * Counts attempts and texts of browsers in which a user has passed the second factor apart from
   * those of all others, so that no one who only knows the password can keep the user out of them.
   * A code is still asked for. `false`: all browsers share their limits. Default: on, for 90 days.
   */
  readonly knownBrowsers?: KnownBrowsersOption | false | undefined;
  /**
   * Keeps a record of each login in the store, so that a logout is final whatever requests are
   * under way, and a login can be ended from elsewhere: `logins.list`, `revoke` and `revokeAll`.
   * Log out by `smsOtp.logout()`. `false`: a session is believed until it expires, and a copied
   * cookie outlives a logout. Default: on.
   */
  readonly logins?: LoginsOption | false | undefined;
  /**
   * Other second factors beside the text message, for `verifyWith`, each with a name of its own.
   * With `phoneBook` or `recoveryCodes` each needs `isAvailable`. Default: none.
   */
  readonly factors?: readonly Factor[] | undefined;
  /**
   * The keys of counters, recovery codes, trusted devices and proven numbers are derived from it: a
   * random string of at least 32 characters, the same in all processes, never lost. A list rotates
   * it: the first one makes keys, all are read.
   */
  readonly secret: SecretOption;
  /**
   * Loads a user by the id that `getUserId` returned, in its type. The result becomes `req.user`
   * and goes to `serializeUser`: leave out what must not be there, such as the hash of a password.
   * Null, undefined or false: gone or disabled, the login is refused.
   */
  loadUser(userId: AppUserId): MaybeUser | Promise<MaybeUser>;
  /**
   * Returns the id of a user: a non-empty string, a safe integer or a bigint; anything else is a
   * `TypeError`. Default: `user.id`. For lean documents of MongoDB: `String(user._id)`.
   */
  getUserId?(user: Express.User): UserId;
  /**
   * The countries that may be texted, as ISO 3166-1 codes of two capital letters, or `'any'`.
   * Required: an open list invites text-message fraud. GB admits GG, JE and IM; FI admits AX; US
   * its territories.
   */
  readonly allowedCountries: readonly string[] | 'any';
  /**
   * Returns whether this login needs the second factor. Only `false` means no; a throw means yes.
   * Where users add their first number after a login, ask `canPassSecondFactor`. Default: always.
   */
  isRequiredFor?(user: Express.User, req: Request): boolean | Promise<boolean>;
  /**
   * The factor that comes first for this user: `'sms'`, `'recovery-code'` or the name of one of
   * `factors`. For another factor than the text `send` and `stepUp` text nothing, and `resend`
   * texts when asked. A name that this user cannot use now counts as `'sms'`. Default: `'sms'`.
   */
  preferredFactor?(
    user: Express.User,
    req: Request,
  ): string | null | undefined | Promise<string | null | undefined>;
  /** Challenges, counters and the shared token. Default: `memoryStore()`, for one process. */
  readonly store?: SmsOtpStore | undefined;
  /** The Passport instance the strategy is registered with. Default: `require('passport')`. */
  readonly passport?: PassportInstance | undefined;
  /**
   * The name of the app, at the beginning of the default message and on the pages: 1 to 30
   * characters. Default: none.
   */
  readonly appName?: string | undefined;
  /**
   * Where the app's pages are. Every middleware and guard leads there unless its own option says
   * otherwise. Requests that ask for JSON get JSON. Default: none, and only the redirects of each
   * middleware count.
   */
  readonly paths?: PathsOption | undefined;
  /** What the text message looks like. */
  readonly messages?: MessagesOption | undefined;
  /**
   * Returns the user's locale as a BCP 47 tag (`de-AT`), which chooses the default message and is
   * passed to `messages.template`. Anything else chooses `defaultLocale`. Default: none.
   */
  getLocale?(user: Express.User, req: Request): string | undefined | Promise<string | undefined>;
  /** Seconds a code lives from its own send: 120 to 600. Default: 300. */
  readonly codeValiditySeconds?: number | undefined;
  /**
   * Seconds a pending login lives, counted from the right password, whatever is resent: 180 to 900.
   * Default: 600.
   */
  readonly pendingLoginSeconds?: number | undefined;
  /** Attempts per OTP id: 1 to 5. Default: 5. */
  readonly maxAttempts?: number | undefined;
  /** Sends per pending login: 1 to 5. Default: 3. */
  readonly maxSends?: number | undefined;
  /**
   * Whether the code of the text before the newest is right as well, as long as both went to the
   * same number: a text may arrive after the one that was asked for in its place. Each of the two
   * judgements is counted as an attempt. Default: true.
   */
  readonly acceptsEarlierCode?: boolean | undefined;
  /**
   * Seconds between the first send and the next, doubled for each one after, up to 300: 30 to 300.
   * Default: 30.
   */
  readonly resendCooldownSeconds?: number | undefined;
  /** Limits across logins. */
  readonly limits?: LimitsOption | undefined;
  /**
   * Policies that are checked before a text message is sent, after the country list and
   * `numberTypes()`. Default: none.
   */
  readonly policies?: readonly Policy[] | undefined;
  /** The field of the request body that holds the code: 1 to 100 characters. Default: `'pin'`. */
  readonly codeField?: string | undefined;
  /**
   * The name the strategy is registered under. Cookies, keys of the store and the key in the
   * session depend on it: see scaling.md before changing it. Default: `'sms-otp'`.
   */
  readonly strategyName?: string | undefined;
  /**
   * Session keys that survive the renewals of a login. `cookie`, Passport's key and our own are
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

/** No factor of the app may be named after these methods. */
const OWN_METHODS = ['sms', 'recovery-code', 'trusted-device'];
const COUNTRIES = "must be 'any' or a list of ISO 3166-1 codes such as ['US', 'GB']";
const COUNTRY = 'must be the ISO 3166-1 code of a country';
const FACTOR =
  'must have a name of small letters, digits and hyphens that is not reserved, and either a ' +
  'function check or the functions createOptions and checkResponse; isAvailable, if it is there, ' +
  'must be a function';

const name = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters');

const country = z.string(`${COUNTRY}, such as 'US'`).refine((code) => findCountry(code) === code, {
  error: ({ input }) => {
    const meant = findCountry(String(input));
    return `${COUNTRY}${meant === undefined ? ", such as 'US'" : `: did you mean '${meant}'?`}`;
  },
});

const ORIGINS = "must be a list of origins such as ['https://app.example']";
const origin = z
  .string(ORIGINS)
  .refine(isOrigin, 'must be an origin such as https://app.example, with http or https, no path');

/** `null` and `*` are none. */
function isOrigin(given: string): boolean {
  return URL.canParse(given) && /^https?:/.test(given) && new URL(given).origin === given;
}

const factor = objectWith<Factor>('a factor', 'name').refine(isFactor, FACTOR);

function isFactor(given: Partial<CodeFactor & ChallengeFactor>): boolean {
  const { name: called, check, createOptions, checkResponse, isAvailable } = given;
  const isName =
    typeof called === 'string' &&
    /^[a-z][a-z0-9-]{0,31}$/.test(called) &&
    !OWN_METHODS.includes(called);
  const callbacks = [check, createOptions, checkResponse]
    .map((callback) => typeof callback)
    .join(' ');
  const hasCallbacks = ['function undefined undefined', 'undefined function function'].includes(
    callbacks,
  );
  return isName && hasCallbacks && (isAvailable === undefined || typeof isAvailable === 'function');
}

/**
 * A policy with a misspelt stage would never be checked, and with a misspelt mode it would be
 * enforced.
 */
const policy = objectWith<Policy>('a policy', 'name', 'stage', 'check').refine(
  ({ stage, check, mode = 'enforce' }: Partial<Policy>) =>
    ['send', 'enroll'].includes(stage ?? '') &&
    ['enforce', 'report'].includes(mode) &&
    typeof check === 'function',
  "must have the stage 'send' or 'enroll' and no mode but 'enforce' and 'report', and check " +
    'must be a function',
);

const DEFAULT_NAME = 'sms-otp';

const PHONE_BOOK = ['list', 'addUnconfirmed', 'confirm', 'replace', 'remove', 'setDefault'];

const schema = strictOptions({
  gateway: objectWith<GatewayOption>('a GatewayClient, its options, or an OtpGateway'),
  getPhone: callback<NonNullable<SmsOtpOptions['getPhone']>>().optional(),
  phoneBook: objectWith<PhoneBook>('a phone book', ...PHONE_BOOK).optional(),
  endOtherSessions: callback<NonNullable<SmsOtpOptions['endOtherSessions']>>().optional(),
  recoveryCodes: strictOptions({ count: wholeNumber(5, 20).default(10) }).optional(),
  trustedDevices: strictOptions({
    getPasswordVersion: callback<TrustedDevicesOption['getPasswordVersion']>(),
    maxAgeDays: wholeNumber(1, 90).default(30),
  }).optional(),
  knownBrowsers: unlessFalse(
    strictOptions({ maxAgeDays: wholeNumber(1, 365).default(90) }),
  ).prefault({}),
  logins: unlessFalse(
    strictOptions({
      checkEverySeconds: wholeNumber(0, 300).default(30),
      maxAgeDays: wholeNumber(1, 365).default(30),
    }),
  ).prefault({}),
  factors: z.array(factor, 'must be a list of factors').default([]),
  secret: secretOption(),
  loadUser: callback<SmsOtpOptions['loadUser']>(),
  // The app's other callbacks take what it returns.
  getUserId: syncCallback<(user: Express.User) => AppUserId>().optional(),
  allowedCountries: z.union([z.literal('any'), z.array(country, COUNTRIES).nonempty(COUNTRIES)], {
    error: () => '',
  }),
  isRequiredFor: callback<NonNullable<SmsOtpOptions['isRequiredFor']>>().optional(),
  preferredFactor: callback<NonNullable<SmsOtpOptions['preferredFactor']>>().optional(),
  store: storeOption()
    .refine((store) => findForeignPart(store) === null, {
      error: ({ input }) => {
        // It is a store: the check above has ended otherwise.
        const names = findForeignPart(input as SmsOtpStore)?.join(' and ') ?? '';
        return `must be a single store, but its ${names} come from two`;
      },
    })
    .optional(),
  passport: objectWith<PassportInstance>(
    'a Passport instance, such as new Passport()',
    'use',
    'authenticate',
  ).optional(),
  appName: appNameSchema.optional(),
  paths: strictOptions({
    login: pageOption().optional(),
    home: pageOption().optional(),
    code: pageOption().optional(),
    stepUp: pageOption().optional(),
    settings: pageOption().optional(),
  })
    .transform(completePaths)
    .optional() satisfies z.ZodType<Paths | undefined>,
  messages: messagesSchema.prefault({}),
  getLocale: callback<NonNullable<SmsOtpOptions['getLocale']>>().optional(),
  codeValiditySeconds: wholeNumber(120, 600).default(300),
  pendingLoginSeconds: wholeNumber(180, 900).default(600),
  maxAttempts: wholeNumber(1, 5).default(5),
  maxSends: wholeNumber(1, 5).default(3),
  acceptsEarlierCode: switchOption().default(true),
  resendCooldownSeconds: wholeNumber(30, 300).default(30),
  limits: limitsSchema.prefault({}),
  policies: z.array(policy, 'must be a list of policies').default([]),
  codeField: name.default('pin'),
  strategyName: name.default(DEFAULT_NAME),
  keepSessionKeys: z.array(name, 'must be a list of names').default([]),
  returnToOrigins: z.array(origin, ORIGINS).default([]),
  onEvent: callback<NonNullable<SmsOtpOptions['onEvent']>>().optional(),
  now: syncCallback<() => number>().default(() => Date.now),
});

/** Without a phone book only the app knows the numbers. */
const schemaWithoutBook = schema.extend({
  getPhone: z.custom<NonNullable<SmsOtpOptions['getPhone']>>(
    (value) => typeof value === 'function',
    'must be a function, unless there is a phoneBook',
  ),
});

type Checked = z.output<typeof schema>;

/** The options, checked and completed. */
export type Settings = Omit<Checked, 'trustedDevices' | 'knownBrowsers'> & {
  readonly sessionKey: string;
  /** The names of the fields in forms. */
  readonly fields: FieldNames;
  readonly trustedDevices: NamedCookie<NonNullable<Checked['trustedDevices']>> | undefined;
  readonly knownBrowsers: NamedCookie<Exclude<Checked['knownBrowsers'], false>> | false;
};

type NamedCookie<Option> = Option & { readonly cookieName: string };

/** Begins every error message. */
const MAKER = 'createSmsOtp';

/** NIST SP 800-63B 3.2.2 admits 100 failures in all. */
const MOST_FAILURES_PER_SIDE = 50;

/** The fields of forms that an app makes for this package. */
const FIELDS = {
  phone: 'phone',
  phoneId: 'phoneId',
  recoveryCode: 'recoveryCode',
  trustDevice: 'trustDevice',
};

/** Session keys that belong to express-session and Passport. */
const RESERVED_SESSION_KEYS = ['cookie', 'passport'];

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readOptions(options: SmsOtpOptions): Settings {
  const hasBook = readFields(options).phoneBook !== undefined;
  const settings: Checked = parseOptions(MAKER, hasBook ? schema : schemaWithoutBook, options);
  const { strategyName, messages } = settings;
  // Two instances of one app share its sessions: a mark of one is not a mark of the other.
  const sessionKey = strategyName === DEFAULT_NAME ? 'smsOtp' : `smsOtp:${strategyName}`;
  checkSessionKeys(sessionKey, settings);
  checkFactors(settings);
  checkTimes(settings);
  if (messages.template !== undefined && messages.autofillHost !== undefined) {
    throw optionError(
      MAKER,
      'messages.autofillHost',
      'shapes the default message; put the last line into your own template instead',
    );
  }
  checkFailures(settings);
  const perCountry = messages.perCountry && extendToTerritories(messages.perCountry);
  return {
    ...settings,
    ...nameCookies(settings),
    sessionKey,
    fields: { code: settings.codeField, ...FIELDS },
    messages: { ...messages, perCountry },
  };
}

function checkSessionKeys(sessionKey: string, { keepSessionKeys }: Checked): void {
  const reserved = [...RESERVED_SESSION_KEYS, sessionKey];
  if (keepSessionKeys.some((key) => reserved.includes(key))) {
    throw optionError(MAKER, 'keepSessionKeys', `must not hold ${reserved.join(', ')}`);
  }
}

function checkTimes({ now, codeValiditySeconds, pendingLoginSeconds }: Checked): void {
  const time = now();
  // In seconds it lies between 2001 and 2286, in milliseconds in 1970.
  if (time >= 1e9 && time < 1e10)
    throw optionError(MAKER, 'now', 'must return milliseconds, and seems to return seconds');
  if (codeValiditySeconds > pendingLoginSeconds)
    throw optionError(MAKER, 'codeValiditySeconds', 'must not exceed pendingLoginSeconds');
}

function checkFailures({ knownBrowsers, limits }: Checked): void {
  if (knownBrowsers === false || limits.failures.disableAfter <= MOST_FAILURES_PER_SIDE) return;
  const most =
    `must not exceed ${MOST_FAILURES_PER_SIDE}, because known browsers and all others are ` +
    'counted apart';
  throw optionError(MAKER, 'limits.failures.disableAfter', most);
}

function nameCookies({
  strategyName,
  trustedDevices,
  knownBrowsers,
}: Checked): Pick<Settings, 'trustedDevices' | 'knownBrowsers'> {
  return {
    trustedDevices: trustedDevices && {
      ...trustedDevices,
      cookieName: toCookieName(strategyName, 'device'),
    },
    knownBrowsers: knownBrowsers && {
      ...knownBrowsers,
      cookieName: toCookieName(strategyName, 'browser'),
    },
  };
}

/**
 * Returns the name of a cookie, so that two instances of one app leave each other's cookies
 * alone. A strategy may have any name, a cookie may not.
 */
function toCookieName(strategyName: string, purpose: 'device' | 'browser'): string {
  const isToken = /^[\w-]{1,64}$/.test(strategyName);
  const instance = isToken ? strategyName : Buffer.from(strategyName).toString('base64url');
  return `__Host-${instance}-${purpose}`;
}

/**
 * With numbers or recovery codes that are added later, a factor that does not say who has it would
 * leave open whether a user has nothing yet.
 */
function checkFactors({ factors, phoneBook, recoveryCodes }: Checked): void {
  const names = factors.map(({ name: called }) => called);
  const twice = names.find((called, index) => names.indexOf(called) !== index);
  if (twice !== undefined) throw optionError(MAKER, 'factors', `has two of the name ${twice}`);
  if (phoneBook === undefined && recoveryCodes === undefined) return;
  const without = factors.find((one) => typeof one.isAvailable !== 'function');
  if (without === undefined) return;
  const problem =
    `${without.name} needs isAvailable, which returns whether a user has it, because there is a ` +
    'phoneBook or recoveryCodes';
  throw optionError(MAKER, 'factors:', problem);
}

/** The ready-made pages that have a path of their own, and where they are without a prefix. */
const READY_MADE = {
  code: '/second-factor/code',
  stepUp: '/second-factor/step-up',
  settings: '/second-factor/settings',
} as const satisfies Partial<Paths>;

/**
 * Completes the option. The ready-made pages are in one place: if one has a prefix, the others that
 * are left out have it too.
 *
 * @example completePaths({ code: '/a/second-factor/code' }).stepUp is '/a/second-factor/step-up'.
 */
function completePaths(given: PathsOption): Paths {
  const { login = '/login', home = '/' } = given;
  const prefix = findPrefix(given);
  const { code, stepUp, settings } = READY_MADE;
  return {
    login,
    home,
    code: given.code ?? `${prefix}${code}`,
    stepUp: given.stepUp ?? `${prefix}${stepUp}`,
    settings: given.settings ?? `${prefix}${settings}`,
  };
}

/** Returns what stands before a ready-made page in a path that is given; usually nothing. */
function findPrefix(given: PathsOption): string {
  const names = ['code', 'stepUp', 'settings'] as const;
  const moved = names.find((name) => given[name]?.endsWith(READY_MADE[name]));
  return moved === undefined ? '' : (given[moved] ?? '').slice(0, -READY_MADE[moved].length);
}
