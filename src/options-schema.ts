import { z } from 'zod';
import { callback, toOptionError, wholeNumber, wrongOption } from './client/option-rules';
import type { PhoneBook } from './enrolment/phone-book';
import type { Factor } from './factors/factor';
import type { TrustedDevicesOption } from './factors/factor-options';
import { messageRules } from './messages/message-rules';
import type { SmsOtpOptions } from './options';
import { limitsSchema } from './policies/limits-schema';
import type { Policy } from './policies/policy';
import { extendToTerritories } from './policies/territories';
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

const name = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 characters');

/** A part with the methods named. What they do is their own business. */
function part<Part>(what: string, ...members: readonly string[]): z.ZodCustom<Part> {
  const hasMembers = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && members.every((member) => member in value);
  return z.custom<Part>(hasMembers, `must be ${what}`);
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

const schema = z.strictObject({
  gateway: part<SmsOtpOptions['gateway']>('a GatewayClient or its options'),
  getPhone: callback<NonNullable<SmsOtpOptions['getPhone']>>().optional(),
  phoneBook: part<PhoneBook>(
    'a phone book',
    ...['list', 'addUnconfirmed', 'confirm', 'replace', 'remove', 'setDefault'],
  ).optional(),
  endOtherSessions: callback<NonNullable<SmsOtpOptions['endOtherSessions']>>().optional(),
  recoveryCodes: z
    .strictObject({ count: wholeNumber(5, 20).default(DEFAULTS.recoveryCodes.count) })
    .optional(),
  trustedDevices: z
    .strictObject({
      getPasswordVersion: callback<TrustedDevicesOption['getPasswordVersion']>(),
      days: wholeNumber(1, 90).default(DEFAULTS.trustedDevices.days),
      most: wholeNumber(1, 20).default(DEFAULTS.trustedDevices.most),
      cookieName: z
        .string('must be a text')
        .regex(/^__Host-[\w-]{1,64}$/, 'must begin with __Host- and go on with letters, digits, _ and -')
        .default(DEFAULTS.trustedDevices.cookieName),
    })
    .optional(),
  factors: z
    .array(part<Factor>('a factor', 'name', 'check').refine(isFactor, FACTOR), 'must be a list of factors')
    .default([]),
  loadUser: callback<SmsOtpOptions['loadUser']>(),
  getUserId: callback<NonNullable<SmsOtpOptions['getUserId']>>().optional(),
  allowedCountries: z.union(
    [z.literal('any'), z.array(z.string().regex(/^[A-Z]{2}$/, COUNTRIES)).min(1, COUNTRIES)],
    COUNTRIES,
  ),
  isRequiredFor: callback<NonNullable<SmsOtpOptions['isRequiredFor']>>().optional(),
  store: part<SmsOtpStore>('a store', 'challenges', 'counters', 'tokens').optional(),
  passport: part<NonNullable<SmsOtpOptions['passport']>>(
    'a Passport instance',
    'use',
    'authenticate',
  ).optional(),
  ...messageRules,
  defaultLocale: messageRules.defaultLocale.default(DEFAULTS.defaultLocale),
  perCountry: messageRules.perCountry.transform((value) => value && extendToTerritories(value)),
  getLocale: callback<NonNullable<SmsOtpOptions['getLocale']>>().optional(),
  pinValiditySeconds: wholeNumber(120, 600).default(DEFAULTS.pinValiditySeconds),
  pendingSeconds: wholeNumber(180, 900).default(DEFAULTS.pendingSeconds),
  maxPinDigits: wholeNumber(4, 10).default(DEFAULTS.maxPinDigits),
  maxAttempts: wholeNumber(1, 5).default(DEFAULTS.maxAttempts),
  maxSends: wholeNumber(1, 5).default(DEFAULTS.maxSends),
  resendCooldownSeconds: wholeNumber(30, 300).default(DEFAULTS.resendCooldownSeconds),
  limits: limitsSchema.prefault({}),
  policies: z
    .array(
      part<Policy>('a policy', 'name', 'stage', 'check').refine(isPolicy, POLICY),
      'must be a list of policies',
    )
    .default([]),
  pinField: name.default(DEFAULTS.pinField),
  phoneField: name.default(DEFAULTS.phoneField),
  phoneIdField: name.default(DEFAULTS.phoneIdField),
  recoveryCodeField: name.default(DEFAULTS.recoveryCodeField),
  trustDeviceField: name.default(DEFAULTS.trustDeviceField),
  sessionKey: name.default(DEFAULTS.sessionKey),
  strategyName: name.default(DEFAULTS.strategyName),
  keepSessionKeys: z.array(name, 'must be a list of names').default([]),
  onEvent: callback<NonNullable<SmsOtpOptions['onEvent']>>().optional(),
  now: callback<() => number>().default(() => Date.now),
});

/** The options, checked and complete but for what needs other parts. */
export type Settings = z.output<typeof schema>;

/** Named in front of every complaint. */
const MAKER = 'createSmsOtp';

/** Keys of the session that belong to express-session and Passport. */
const FOREIGN_SESSION_KEYS = ['cookie', 'passport'];

/**
 * Checks the options and fills in the defaults.
 * @throws {TypeError} that names the option and never shows a value.
 */
export function readSettings(options: SmsOtpOptions): Settings {
  const parsed = schema.safeParse(options);
  if (!parsed.success) throw toOptionError(MAKER, parsed.error);
  const settings = parsed.data;
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
