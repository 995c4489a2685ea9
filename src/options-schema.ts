import { z } from 'zod';
import { callback, toOptionError, wholeNumber, wrongOption } from './client/option-rules';
import type { SmsOtpOptions } from './options';
import { DEFAULT_LIMITS, LIMIT_CEILINGS, type Limit, type Limits, type SendLimit } from './policies/limits';
import type { Policy } from './policies/policy';
import { isSender } from './protocol/otp';
import type { SmsOtpStore } from './stores/store';

/** The default of every option that has a fixed one. Limits: `DEFAULT_LIMITS`. */
export const DEFAULTS = {
  pinValiditySeconds: 300,
  pendingSeconds: 600,
  maxPinDigits: 10,
  maxAttempts: 5,
  maxSends: 3,
  resendCooldownSeconds: 30,
  pinField: 'pin',
  sessionKey: 'smsOtp',
  strategyName: 'sms-otp',
} as const;

const DAY_SECONDS = 86_400;

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

/** A figure of a limit: it can be tightened, or go as far as its ceiling, but never off. */
function upTo(ceiling: number, fallback: number): z.ZodDefault<z.ZodNumber> {
  return wholeNumber(1, ceiling).default(fallback);
}

/** A limit's window may only grow: a shorter one would loosen the limit. */
function windowOf({ perSeconds }: Limit): z.ZodDefault<z.ZodNumber> {
  return wholeNumber(perSeconds, DAY_SECONDS).default(perSeconds);
}

const { perUser, perNumber, perAddress, perPrefix, total, failures } = DEFAULT_LIMITS;

function sendLimit(
  limit: SendLimit,
  ceilings: typeof LIMIT_CEILINGS.perUser,
): z.ZodPrefault<z.ZodType<SendLimit>> {
  const schema: z.ZodType<SendLimit> = z.strictObject({
    max: upTo(ceilings.max, limit.max),
    perSeconds: windowOf(limit),
    maxPerDay: upTo(ceilings.maxPerDay, limit.maxPerDay),
    maxPerDayInAll: upTo(ceilings.maxPerDayInAll, limit.maxPerDayInAll),
  });
  return schema.prefault({} as SendLimit);
}

const limitsSchema = z.strictObject({
  perUser: sendLimit(perUser, LIMIT_CEILINGS.perUser),
  perNumber: sendLimit(perNumber, LIMIT_CEILINGS.perNumber),
  perAddress: z
    .strictObject({
      max: upTo(LIMIT_CEILINGS.perAddress.max, perAddress.max),
      perSeconds: windowOf(perAddress),
    })
    .prefault({}),
  perPrefix: z
    .strictObject({
      max: upTo(LIMIT_CEILINGS.perPrefix.max, perPrefix.max),
      perSeconds: windowOf(perPrefix),
      maxNeverVerified: upTo(LIMIT_CEILINGS.perPrefix.maxNeverVerified, perPrefix.maxNeverVerified),
    })
    .prefault({}),
  total: z
    .strictObject({ max: upTo(LIMIT_CEILINGS.total.max, total.max), perSeconds: windowOf(total) })
    .prefault({}),
  failures: z
    .strictObject({
      max: upTo(LIMIT_CEILINGS.failures.max, failures.max),
      perSeconds: windowOf(failures),
      disableAfter: upTo(LIMIT_CEILINGS.failures.disableAfter, failures.disableAfter),
    })
    .prefault({}),
}) satisfies z.ZodType<Limits>;

const schema = z.strictObject({
  gateway: part<SmsOtpOptions['gateway']>('a GatewayClient or its options'),
  getPhone: callback<SmsOtpOptions['getPhone']>(),
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
  appName: z
    .string('must be a text')
    .regex(
      /^[^\p{Cc}@#[\]]{1,30}$/u,
      'must have 1 to 30 characters without control characters, @, #, [ and ]',
    )
    .optional(),
  autofillHost: z
    .string('must be a bare host name')
    .max(253, 'must be a bare host name')
    .regex(
      /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      'must be a bare host name in lower case',
    )
    .optional(),
  message: z
    .union(
      [z.string(), callback<Extract<SmsOtpOptions['message'], (...values: never[]) => unknown>>()],
      'must be a text or a function',
    )
    .optional(),
  sender: z
    .string('must be a text')
    .refine(isSender, 'must be 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits')
    .optional(),
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
