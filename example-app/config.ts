import { randomBytes } from 'node:crypto';
import { environmentSchema, type Environment, type RawEnvironment } from './config-schema';
import type { LogLevel } from './log';

/** For development alone, and the same at every start, so that stored recovery codes and devices stay valid. */
const DEMO_SECRET = 'the demo secret of the Harbour bank, never for production';

/** The environment, checked and under the app's own names. Every variable is described in `.env.example`. */
export interface Config {
  readonly port: number;
  readonly isProduction: boolean;
  readonly sessionSecret: string;
  /** The option `secret` of `createSmsOtp`. */
  readonly smsOtpSecret: string;
  /** For Express's `trust proxy`: the number of proxies (0: none), or their addresses. */
  readonly trustProxy: number | string[];
  readonly variant: 'A' | 'B';
  readonly numbersAs: 'string' | 'number';
  /** Null: no gateway is configured, so the simulator stands in. */
  readonly gateway: { readonly baseUrl: string; readonly username: string; readonly password: string } | null;
  readonly phones: { readonly alice: string; readonly bob: string };
  readonly allowedCountries: string[] | 'any';
  /** Where sessions and the library's state are kept; without either, in the memory of the process. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string | null;
  /** How many processes share the port. */
  readonly workers: number;
  /** The lowest level that is written to standard output. */
  readonly logLevel: LogLevel;
}

/** Thrown when the environment is not usable. The problems name variables and never show their values. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/**
 * Reads and checks the environment.
 * @throws {ConfigError} that lists every problem at once.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  // `PORT=` in a file means the same as a missing line.
  const given: RawEnvironment = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = environmentSchema.safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
    ...findMissing(given),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.data);
}

function findMissing(given: RawEnvironment): string[] {
  const problems: string[] = [];
  const isProduction = given.NODE_ENV === 'production';
  const gatewayNames = ['SMS_OTP_BASE_URL', 'SMS_OTP_USERNAME', 'SMS_OTP_PASSWORD'];
  if (isProduction || gatewayNames.some((name) => given[name])) {
    const reason = isProduction ? 'in production, where there is no simulator' : 'when a gateway is configured';
    const missing = gatewayNames.filter((name) => !given[name]);
    problems.push(...missing.map((name) => `${name} is required ${reason}`));
  }
  const secrets = isProduction ? (['SESSION_SECRET', 'SMS_OTP_SECRET'] as const) : [];
  const short = secrets.filter((name) => (given[name] ?? '').length < 32);
  problems.push(...short.map((name) => `${name} needs at least 32 characters in production`));
  if (Number(given.WORKERS) > 1 && !given.REDIS_URL && !given.DATABASE_URL) {
    problems.push('WORKERS above 1 needs REDIS_URL or DATABASE_URL: in memory each process would count on its own');
  }
  return problems;
}

function toConfig(environment: Environment): Config {
  const { SMS_OTP_BASE_URL: baseUrl, SMS_OTP_USERNAME: username, SMS_OTP_PASSWORD: password } = environment;
  const hasOwnPhone = Boolean(environment.ALICE_PHONE ?? environment.BOB_PHONE);
  return {
    port: environment.PORT,
    isProduction: environment.NODE_ENV === 'production',
    // Valid for one run: in development everyone can log in again after a restart.
    sessionSecret: environment.SESSION_SECRET ?? randomBytes(32).toString('hex'),
    smsOtpSecret: environment.SMS_OTP_SECRET ?? DEMO_SECRET,
    trustProxy: environment.TRUST_PROXY,
    variant: environment.SMS_OTP_VARIANT,
    numbersAs: environment.SMS_OTP_NUMBERS_AS,
    gateway: baseUrl && username && password ? { baseUrl, username, password } : null,
    phones: { alice: environment.ALICE_PHONE ?? '+12025550123', bob: environment.BOB_PHONE ?? '+12025550124' },
    allowedCountries: environment.ALLOWED_COUNTRIES ?? (hasOwnPhone ? 'any' : ['US']),
    redisUrl: environment.REDIS_URL ?? null,
    databaseUrl: environment.DATABASE_URL ?? null,
    workers: environment.WORKERS,
    logLevel: environment.LOG_LEVEL,
  };
}
