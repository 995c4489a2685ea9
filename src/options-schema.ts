import {
  array,
  check,
  custom,
  type GenericSchema,
  type InferOutput,
  literal,
  maxLength,
  minLength,
  nonEmpty,
  optional,
  pipe,
  regex,
  string,
  transform,
  union,
} from 'valibot';
import type { Factor, TrustedDevicesOption } from './account/factor';
import type { PhoneBook } from './account/phone-book';
import { callback, parseOptions, strictOptions, wholeNumber, wrongOption } from './define-options';
import { extendToTerritories } from './limits/built-in';
import { limitsSchema } from './limits/limits';
import type { Policy } from './limits/policy';
import { messageRules } from './messages/options';
import type { SmsOtpOptions } from './options';
import type { SmsOtpStore } from './stores/store';

/** The default of every option that has a fixed one. Limits: `DEFAULT_LIMITS`. */
const DEFAULTS = {
  pinValiditySeconds: 300,
  pendingSeconds: 600,
  maxPinDigits: 10,
  defaultLocale: 'en',
  maxAttempts: 5,
  maxSends: 3,
  resendCooldownSeconds: 30,
  pinField: 'pin',
  phoneField: 'phone',
  phoneIdField: 'phoneId',
  recoveryCodeField: 'recoveryCode',
  trustDeviceField: 'trustDevice',
  recoveryCodes: { count: 10 },
  trustedDevices: { days: 30, most: 5, cookieName: '__Host-sms-otp-device' },
  sessionKey: 'smsOtp',
  strategyName: 'sms-otp',
} as const;

const name = pipe(
  string('must be a text'),
  nonEmpty('must not be empty'),
  maxLength(100, 'must have at most 100 characters'),
);

/** A part with the methods named. What they do is their own business. */
function part<Part>(what: string, ...members: readonly string[]): GenericSchema<Part> {
  const hasMembers = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && members.every((member) => member in value);
  return custom<Part>(hasMembers, `must be ${what}`);
}

const COUNTRIES = "must be 'any' or a list of ISO 3166-1 codes such as ['US', 'GB']";
const POLICY = "must have the stage 'send' or 'enrol', and check must be a function";

/** A policy of a misspelt stage would never be asked. */
function isPolicy({ stage, check }: Partial<Policy>): boolean {
  return (stage === 'send' || stage === 'enrol') && typeof check === 'function';
}

const FACTOR = 'needs a name of small letters, digits and hyphens that is not ours, and a function check';
const OWN_METHODS = ['sms', 'recovery-code', 'trusted-device'];

function isFactor({ name, check }: Partial<Factor>): boolean {
  const isName = typeof name === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(name);
  return isName && !OWN_METHODS.includes(name) && typeof check === 'function';
}

const cookieName = pipe(
  string('must be a text'),
  regex(/^__Host-[\w-]{1,64}$/, 'must begin with __Host- and go on with letters, digits, _ and -'),
);

const countries = pipe(array(pipe(string(COUNTRIES), regex(/^[A-Z]{2}$/, COUNTRIES))), nonEmpty(COUNTRIES));

const schema = strictOptions({
  gateway: part<SmsOtpOptions['gateway']>('a GatewayClient or its options'),
  getPhone: optional(callback<NonNullable<SmsOtpOptions['getPhone']>>()),
  phoneBook: optional(
    part<PhoneBook>(
      'a phone book',
      ...['list', 'addUnconfirmed', 'confirm', 'replace', 'remove', 'setDefault'],
    ),
  ),
  endOtherSessions: optional(callback<NonNullable<SmsOtpOptions['endOtherSessions']>>()),
  recoveryCodes: optional(
    strictOptions({ count: optional(wholeNumber(5, 20), DEFAULTS.recoveryCodes.count) }),
  ),
  trustedDevices: optional(
    strictOptions({
      getPasswordVersion: callback<TrustedDevicesOption['getPasswordVersion']>(),
      days: optional(wholeNumber(1, 90), DEFAULTS.trustedDevices.days),
      most: optional(wholeNumber(1, 20), DEFAULTS.trustedDevices.most),
      cookieName: optional(cookieName, DEFAULTS.trustedDevices.cookieName),
    }),
  ),
  factors: optional(
    array(
      pipe(
        part<Factor>('a factor', 'name', 'check'),
        check((factor) => isFactor(factor), FACTOR),
      ),
      'must be a list of factors',
    ),
    [],
  ),
  loadUser: callback<SmsOtpOptions['loadUser']>(),
  getUserId: optional(callback<NonNullable<SmsOtpOptions['getUserId']>>()),
  allowedCountries: union([literal('any'), countries], COUNTRIES),
  isRequiredFor: optional(callback<NonNullable<SmsOtpOptions['isRequiredFor']>>()),
  store: optional(part<SmsOtpStore>('a store', 'challenges', 'counters', 'tokens')),
  passport: optional(
    part<NonNullable<SmsOtpOptions['passport']>>('a Passport instance', 'use', 'authenticate'),
  ),
  ...messageRules,
  defaultLocale: optional(messageRules.defaultLocale, DEFAULTS.defaultLocale),
  perCountry: pipe(
    messageRules.perCountry,
    transform((value) => value && extendToTerritories(value)),
  ),
  getLocale: optional(callback<NonNullable<SmsOtpOptions['getLocale']>>()),
  pinValiditySeconds: optional(wholeNumber(120, 600), DEFAULTS.pinValiditySeconds),
  pendingSeconds: optional(wholeNumber(180, 900), DEFAULTS.pendingSeconds),
  maxPinDigits: optional(wholeNumber(4, 10), DEFAULTS.maxPinDigits),
  maxAttempts: optional(wholeNumber(1, 5), DEFAULTS.maxAttempts),
  maxSends: optional(wholeNumber(1, 5), DEFAULTS.maxSends),
  resendCooldownSeconds: optional(wholeNumber(30, 300), DEFAULTS.resendCooldownSeconds),
  limits: optional(limitsSchema, {}),
  policies: optional(
    array(
      pipe(
        part<Policy>('a policy', 'name', 'stage', 'check'),
        check((policy) => isPolicy(policy), POLICY),
      ),
      'must be a list of policies',
    ),
    [],
  ),
  pinField: optional(name, DEFAULTS.pinField),
  phoneField: optional(name, DEFAULTS.phoneField),
  phoneIdField: optional(name, DEFAULTS.phoneIdField),
  recoveryCodeField: optional(name, DEFAULTS.recoveryCodeField),
  trustDeviceField: optional(name, DEFAULTS.trustDeviceField),
  sessionKey: optional(name, DEFAULTS.sessionKey),
  strategyName: optional(name, DEFAULTS.strategyName),
  secret: optional(
    pipe(string('must be a text'), minLength(32, 'must have at least 32 characters, and be random')),
  ),
  keepSessionKeys: optional(array(name, 'must be a list of names'), []),
  onEvent: optional(callback<NonNullable<SmsOtpOptions['onEvent']>>()),
  now: optional(callback<() => number>(), () => Date.now),
});

/** The options, checked and complete but for what needs other parts. */
export type Settings = InferOutput<typeof schema>;

/** Named in front of every complaint. */
const MAKER = 'createSmsOtp';

/** Keys of the session that belong to express-session and Passport. */
const FOREIGN_SESSION_KEYS = ['cookie', 'passport'];

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readSettings(options: SmsOtpOptions): Settings {
  const settings = parseOptions(MAKER, schema, options);
  const { sessionKey, keepSessionKeys, pinValiditySeconds, pendingSeconds } = settings;
  if (settings.getPhone === undefined && settings.phoneBook === undefined)
    throw wrongOption(MAKER, 'getPhone', 'must be a function, unless there is a phoneBook');
  if (FOREIGN_SESSION_KEYS.includes(sessionKey))
    throw wrongOption(MAKER, 'sessionKey', 'is a key of somebody else');
  const reserved = [...FOREIGN_SESSION_KEYS, sessionKey];
  if (keepSessionKeys.some((key) => reserved.includes(key))) {
    throw wrongOption(MAKER, 'keepSessionKeys', `must not hold ${reserved.join(', ')}`);
  }
  if (pinValiditySeconds > pendingSeconds)
    throw wrongOption(MAKER, 'pinValiditySeconds', 'must not exceed pendingSeconds');
  if (settings.message !== undefined && settings.autofillHost !== undefined) {
    throw wrongOption(
      MAKER,
      'autofillHost',
      'shapes the default message; put the last line into your own message instead',
    );
  }
  return settings;
}
