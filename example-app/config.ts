import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * Thrown if the environment is not usable. The problems name variables and never show their values.
 */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

/**
 * For development only. It is the same at every start, so that stored recovery codes and devices
 * stay valid.
 */
const DEMO_SECRET = 'the demo secret of the Harbour bank, never for production';

function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(message).int(message).min(least, message).max(most, message);
}

const splitList = (text: string): string[] => text.split(/\s*,\s*/);

/** Returns whether a string is an address, a network, or a name that Express knows. */
const isProxyAddress = (text: string): boolean =>
  /^(loopback|linklocal|uniquelocal)$/.test(text) || isIP(text.replace(/\/\d+$/, '')) > 0;

const proxies = z
  .string()
  .transform((text) => (/^\d{1,2}$/.test(text) ? Number(text) : splitList(text)))
  .refine(
    (proxies) => typeof proxies === 'number' || proxies.every(isProxyAddress),
    'must be the number of proxies or a list of their addresses',
  );

const countries = z
  .string()
  .regex(/^any$|^[A-Z]{2}(\s*,\s*[A-Z]{2})*$/, 'must be "any" or two-letter codes such as US,CA')
  .transform((text): 'any' | string[] => (text === 'any' ? text : splitList(text)));

/**
 * The origin of the pages. Passkeys are bound to its host name, and browsers support them only over
 * https or on localhost.
 */
const pageOrigin = z
  .string()
  .regex(
    /^(https:\/\/[a-z\d.-]*[a-z][a-z\d.-]*|http:\/\/localhost)(:\d+)?$/,
    'must be an https address with a host name, and no path',
  );

/** The address of Redis. After the host it may only have the number of a database. */
const redisAddress = z
  .string()
  .regex(
    /^rediss?:\/\/[^/?#]+(\/\d*)?$/,
    'must be an address that begins with redis:// or rediss://',
  );

const phone = z
  .string()
  .regex(
    /^\+[1-9]\d{6,14}$/,
    'must be a plus, the country code and the number, such as +12025550123',
  );

/** The same rule as in `GatewayClient`, checked here to list it with the other problems. */
const gatewayAddress = z
  .string()
  .regex(
    /^(https:\/\/[^/?#@]+|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?)(\/[^?#]*)?$/,
    'must be an https address (http on this machine), without user name, query or fragment',
  );

const numberForm = z.enum(['string', 'number']);

/** One form for both fields, or one for each: `mobile:string,validity:number`. */
const numberForms = z
  .string()
  .transform((text) => {
    const { groups } = /^mobile:(?<mobile>\w+),validity:(?<validity>\w+)$/.exec(text) ?? {};
    return groups ?? text;
  })
  .pipe(
    z.union(
      [numberForm, z.object({ mobile: numberForm, validity: numberForm })],
      'must be string or number, or one for each: mobile:string,validity:number',
    ),
  );

const GATEWAY_NAMES = ['SMS_OTP_BASE_URL', 'SMS_OTP_USERNAME', 'SMS_OTP_PASSWORD'];
const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** One line per variable. A message follows the name of its variable and never shows the value. */
const environmentSchema = z.object({
  NODE_ENV: z.string().optional(),
  PORT: wholeNumber(0, 65_535).default(3000),
  INBOX_PORT: wholeNumber(0, 65_535).default(3001),
  ORIGIN: pageOrigin.optional(),
  SESSION_SECRET: z.string().optional(),
  SMS_OTP_SECRET: z.string().min(32, 'needs at least 32 characters').optional(),
  TRUST_PROXY: proxies.default(0),
  GATEWAY: z.enum(['client', 'sms'], 'must be client or sms').default('client'),
  SMS_OTP_BASE_URL: gatewayAddress.optional(),
  SMS_OTP_VARIANT: z.enum(['A', 'B'], 'must be A or B').default('A'),
  SMS_OTP_USERNAME: z.string().optional(),
  SMS_OTP_PASSWORD: z.string().optional(),
  SMS_OTP_NUMBERS_AS: numberForms.default('string'),
  ALICE_PHONE: phone.optional(),
  BOB_PHONE: phone.optional(),
  ALLOWED_COUNTRIES: countries.optional(),
  REDIS_URL: redisAddress.optional(),
  WORKERS: wholeNumber(1, 64).default(1),
  LOG_LEVEL: z.enum(LOG_LEVELS, 'must be silent, error, warn, info or debug').default('warn'),
});

/** The checked environment, under the app's own names. `.env.example` describes every variable. */
export type Config = ReturnType<typeof toConfig>;

/** @throws {ConfigError} that lists every problem at once. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  // Treat `PORT=` in a file like a missing line.
  const given: NodeJS.ProcessEnv = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value?.trim()),
  );
  const parsed = environmentSchema.safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
    ...findMissing(given),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.data);
}

function findMissing(given: NodeJS.ProcessEnv): string[] {
  const isProduction = given.NODE_ENV === 'production';
  const needsGateway = isProduction || GATEWAY_NAMES.some((name) => given[name]);
  const reason = isProduction
    ? 'in production, where there is no simulator'
    : 'when a gateway is configured';
  const missing = GATEWAY_NAMES.filter((name) => needsGateway && !given[name]);
  const textsToInbox = given.GATEWAY === 'sms' && needsGateway;
  const secrets = ['SESSION_SECRET', 'SMS_OTP_SECRET'].filter(
    (name) => isProduction && (given[name] ?? '').length < 32,
  );
  const countsApart = Number(given.WORKERS) > 1 && !given.REDIS_URL;
  return [
    ...missing.map((name) => `${name} is required ${reason}`),
    ...secrets.map((name) => `${name} needs at least 32 characters in production`),
    ...(textsToInbox
      ? ['GATEWAY=sms sends to the inbox page of the simulator: put your own sendSms into start.ts']
      : []),
    ...(countsApart
      ? ['WORKERS above 1 needs REDIS_URL: in memory each process would count on its own']
      : []),
  ];
}

function toConfig(environment: z.output<typeof environmentSchema>) {
  const {
    SMS_OTP_BASE_URL: baseUrl,
    SMS_OTP_USERNAME: username,
    SMS_OTP_PASSWORD: password,
  } = environment;
  const hasOwnPhone = Boolean(environment.ALICE_PHONE ?? environment.BOB_PHONE);
  return {
    port: environment.PORT,
    inboxPort: environment.INBOX_PORT,
    /** The address of the pages, for browsers. Passkeys are bound to its host name. */
    origin: environment.ORIGIN ?? `http://localhost:${environment.PORT}`,
    isProduction: environment.NODE_ENV === 'production',
    // Valid for one run: in development all users log in again after a restart.
    sessionSecret: environment.SESSION_SECRET ?? randomBytes(32).toString('hex'),
    smsOtpSecret: environment.SMS_OTP_SECRET ?? DEMO_SECRET,
    /** For Express's `trust proxy`: the number of proxies (0: none), or their addresses. */
    trustProxy: environment.TRUST_PROXY,
    /**
     * Whether the app itself makes and checks the codes, and only sends the messages through a
     * provider.
     */
    hasSmsGateway: environment.GATEWAY === 'sms',
    variant: environment.SMS_OTP_VARIANT,
    numbersAs: environment.SMS_OTP_NUMBERS_AS,
    /** Null: no gateway is configured, so the simulator is used. */
    gateway: baseUrl && username && password ? { baseUrl, username, password } : null,
    phones: {
      alice: environment.ALICE_PHONE ?? '+12025550123',
      bob: environment.BOB_PHONE ?? '+12025550124',
    },
    allowedCountries: environment.ALLOWED_COUNTRIES ?? (hasOwnPhone ? ('any' as const) : ['US']),
    redisUrl: environment.REDIS_URL ?? null,
    workers: environment.WORKERS,
    logLevel: environment.LOG_LEVEL,
  };
}
