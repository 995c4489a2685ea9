import { z } from 'zod';
import type {
  ChallengeFactor,
  CodeFactor,
  DeliveredFactor,
  Factor,
} from './features/factors/factors';
import type { PhoneBook } from './features/phones/phone-book';
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
  unlessFalse,
  wholeNumber,
} from './define-options';
import { optionError, readFields } from './errors';
import { extendToTerritories } from './limits/built-in';
import { limitsSchema } from './limits/options';
import type { Policy } from './limits/policy';
import type { AppUserId } from './core/context';
import { appNameSchema, messagesSchema } from './messages/options';
import type { PassportInstance } from './middleware/passport';
import type { Paths } from './middleware/paths';
import type { FieldNames } from './middleware/public-settings';
import type { GatewayOption } from './open-gateway';
import { findForeignPart } from './stores/one-store';
import type { SmsOtpStore } from './stores/store';
import type { PathsOption, SmsOtpOptions } from './options';

/** The names of our own methods, which no factor of the app may have. */
const OWN_METHODS = ['sms', 'recovery-code', 'trusted-device'];
const COUNTRIES = "must be 'any' or a list of ISO 3166-1 codes such as ['US', 'GB']";
const COUNTRY = 'must be the ISO 3166-1 code of a country';
const FACTOR =
  'must have a name of lower-case letters, digits and hyphens that is not reserved, and one of ' +
  'these: a function check; the functions createOptions and checkResponse; an OtpGateway as ' +
  'gateway and a function getAddress, without field; isAvailable, if set, must be a function';

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

/** Returns whether a string is an origin. `null` and `*` are not. */
function isOrigin(given: string): boolean {
  return URL.canParse(given) && /^https?:/.test(given) && new URL(given).origin === given;
}

const factor = objectWith<Factor>('a factor', 'name').refine(isFactor, FACTOR);

function isFactor(given: Partial<CodeFactor & ChallengeFactor & DeliveredFactor>): boolean {
  const { name: called, check, createOptions, checkResponse, getAddress, isAvailable } = given;
  const isName =
    typeof called === 'string' &&
    /^[a-z][a-z0-9-]{0,31}$/.test(called) &&
    !OWN_METHODS.includes(called);
  const callbacks = [check, createOptions, checkResponse, getAddress].map((one) => typeof one);
  const kind = FACTOR_KINDS.find((functions) => functions === callbacks.join(' '));
  const hasParts =
    kind === DELIVERED
      ? isOtpGateway(given.gateway) && given.field === undefined
      : kind !== undefined && given.gateway === undefined;
  return isName && hasParts && (isAvailable === undefined || typeof isAvailable === 'function');
}

/** The types of `check`, `createOptions`, `checkResponse` and `getAddress` of each kind. */
const DELIVERED = 'undefined undefined undefined function';
const FACTOR_KINDS = [
  'function undefined undefined undefined',
  'undefined function function undefined',
  DELIVERED,
];

/** Returns whether a value has the functions of an `OtpGateway`. */
function isOtpGateway(given: unknown): boolean {
  const { generate, validate, admit, warmUp, subscribe } = readFields(given);
  const more = [admit, warmUp, subscribe].filter((one) => one !== undefined);
  return [generate, validate, ...more].every((one) => typeof one === 'function');
}

/**
 * Checks a policy. With a misspelt stage it would never be checked, and with a misspelt mode it
 * would be enforced.
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
  // Wrap `getUserId` so that it cannot return a promise. The app's other callbacks take what it
  // returns.
  getUserId: syncCallback<(user: Express.User) => AppUserId>().optional(),
  allowedCountries: z.union([z.literal('any'), z.array(country, COUNTRIES).nonempty(COUNTRIES)], {
    error: () => '',
  }),
  isRequiredFor: callback<NonNullable<SmsOtpOptions['isRequiredFor']>>().optional(),
  preferredFactor: callback<NonNullable<SmsOtpOptions['preferredFactor']>>().optional(),
  store: storeOption()
    .refine((store) => findForeignPart(store) === null, {
      error: ({ input }) => {
        // The value is a store here: the check above has refused anything else.
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

/** The options without a phone book: then only the app knows the numbers. */
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
  readonly fields: FieldNames;
  readonly trustedDevices: NamedCookie<NonNullable<Checked['trustedDevices']>> | undefined;
  readonly knownBrowsers: NamedCookie<Exclude<Checked['knownBrowsers'], false>> | false;
};

type NamedCookie<Option> = Option & { readonly cookieName: string };

const MAKER = 'createSmsOtp';

/** NIST SP 800-63B 3.2.2 allows 100 failures in all, and there are two sides. */
const MOST_FAILURES_PER_SIDE = 50;

/** The names of form fields, for apps that build their own forms. */
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
  // Two instances in one app share its sessions, and the mark of one must not count for the other.
  const sessionKey = strategyName === DEFAULT_NAME ? 'smsOtp' : `smsOtp:${strategyName}`;
  checkSessionKeys(sessionKey, settings);
  checkFactors(settings);
  checkTimes(settings);
  if (messages.template !== undefined && messages.autofillHost !== undefined) {
    throw optionError(
      MAKER,
      'messages.autofillHost',
      'applies to the default message only; put that last line into your own template instead',
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
    throw optionError(MAKER, 'keepSessionKeys', `must not contain ${reserved.join(', ')}`);
  }
}

function checkTimes({ now, codeValiditySeconds, pendingLoginSeconds }: Checked): void {
  const time = now();
  // A time in seconds lies in this range from 2001 to 2286. A time in milliseconds does so only in
  // 1970.
  if (time >= 1e9 && time < 1e10)
    throw optionError(
      MAKER,
      'now',
      'must return milliseconds; it returned a number that looks like seconds',
    );
  if (codeValiditySeconds > pendingLoginSeconds)
    throw optionError(MAKER, 'codeValiditySeconds', 'must not exceed pendingLoginSeconds');
}

function checkFailures({ knownBrowsers, limits }: Checked): void {
  if (knownBrowsers === false || limits.failures.disableAfter <= MOST_FAILURES_PER_SIDE) return;
  const most =
    `must not exceed ${MOST_FAILURES_PER_SIDE}, because known browsers and all others are ` +
    'counted separately';
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
 * Returns the name of a cookie that two instances in one app do not share. A strategy may have any
 * name, a cookie may not.
 */
function toCookieName(strategyName: string, purpose: 'device' | 'browser'): string {
  const isToken = /^[\w-]{1,64}$/.test(strategyName);
  const instance = isToken ? strategyName : Buffer.from(strategyName).toString('base64url');
  return `__Host-${instance}-${purpose}`;
}

/**
 * Requires `isAvailable` of each factor if numbers or recovery codes can be added later. Otherwise
 * it would be unknown whether a user has no factor yet. A factor with an address says so by null.
 */
function checkFactors({ factors, phoneBook, recoveryCodes }: Checked): void {
  const names = factors.map(({ name: called }) => called);
  const twice = names.find((called, index) => names.indexOf(called) !== index);
  if (twice !== undefined) throw optionError(MAKER, 'factors', `has two factors named ${twice}`);
  if (phoneBook === undefined && recoveryCodes === undefined) return;
  const without = factors.find(
    (one) => typeof one.isAvailable !== 'function' && readFields(one).gateway === undefined,
  );
  if (without === undefined) return;
  const problem =
    `${without.name} needs isAvailable, which returns whether a user has it, because of ` +
    'phoneBook or recoveryCodes';
  throw optionError(MAKER, 'factors:', problem);
}

/** The ready-made pages that have their own path, and where they are without a prefix. */
const READY_MADE = {
  code: '/second-factor/code',
  stepUp: '/second-factor/step-up',
  settings: '/second-factor/settings',
} as const satisfies Partial<Paths>;

/**
 * Completes the option. The ready-made pages share one prefix: if a given path has one, the paths
 * that are left out have it too.
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

/** Returns the prefix of a ready-made page's path. It is usually empty. */
function findPrefix(given: PathsOption): string {
  const names = ['code', 'stepUp', 'settings'] as const;
  const moved = names.find((name) => given[name]?.endsWith(READY_MADE[name]));
  return moved === undefined ? '' : (given[moved] ?? '').slice(0, -READY_MADE[moved].length);
}
