import { randomBytes } from 'node:crypto';
import { getDotPath, safeParse } from 'valibot';
import { environmentSchema, type Environment, type RawEnvironment } from './config-schema';
import type { LogLevel } from './log';

/** What the environment says, checked and in the app's own words. Every variable is described in `.env.example`. */
export interface Config {
  readonly port: number;
  readonly isProduction: boolean;
  readonly sessionSecret: string;
  /** What recovery codes and trusted devices rest on; undefined: the gateway's password. */
  readonly smsOtpSecret: string | undefined;
  /** What Express takes as `trust proxy`: the number of proxies (0: none), or their addresses. */
  readonly trustProxy: number | string[];
  readonly variant: 'A' | 'B';
  readonly numbersAs: 'string' | 'number';
  /** Null: no gateway is named, so the simulator plays it. */
  readonly gateway: { readonly baseUrl: string; readonly username: string; readonly password: string } | null;
  readonly phones: { readonly alice: string; readonly bob: string };
  readonly allowedCountries: string[] | 'any';
  /** Where sessions and the library's state rest; without either in the memory of the process. */
  readonly redisUrl: string | null;
  readonly databaseUrl: string | null;
  /** How many processes there are behind the port. */
  readonly workers: number;
  /** The least that is written to standard output. */
  readonly logLevel: LogLevel;
}

/** The environment is not usable. The problems name variables and never hold their values. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** @throws {ConfigError} with every problem there is, so that one look at the list is enough. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  // `PORT=` in a file means the same as no line at all.
  const given: RawEnvironment = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value?.trim()),
  );
  const parsed = safeParse(environmentSchema, given);
  const problems = [
    ...(parsed.issues ?? []).map((issue) => `${getDotPath(issue) ?? ''} ${issue.message}`),
    ...findMissing(given),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.output);
}

function findMissing(given: RawEnvironment): string[] {
  const problems: string[] = [];
  const isProduction = given.NODE_ENV === 'production';
  const gatewayNames = ['SMS_OTP_BASE_URL', 'SMS_OTP_USERNAME', 'SMS_OTP_PASSWORD'];
  if (isProduction || gatewayNames.some((name) => given[name])) {
    const why = isProduction ? 'in production, where there is no simulator' : 'when a gateway is named';
    const missing = gatewayNames.filter((name) => !given[name]);
    problems.push(...missing.map((name) => `${name} is needed ${why}`));
  }
  if (isProduction && (given.SESSION_SECRET ?? '').length < 32) {
    problems.push('SESSION_SECRET needs at least 32 characters in production');
  }
  if (Number(given.WORKERS) > 1 && !given.REDIS_URL && !given.DATABASE_URL) {
    problems.push(
      'WORKERS above 1 needs REDIS_URL or DATABASE_URL: in memory each process would count for itself',
    );
  }
  return problems;
}

function toConfig(environment: Environment): Config {
  const { SMS_OTP_BASE_URL: baseUrl, SMS_OTP_USERNAME: username, SMS_OTP_PASSWORD: password } = environment;
  const hasOwnPhone = Boolean(environment.ALICE_PHONE ?? environment.BOB_PHONE);
  return {
    port: environment.PORT,
    isProduction: environment.NODE_ENV === 'production',
    // Good for one run: in development nobody minds logging in again after a restart.
    sessionSecret: environment.SESSION_SECRET ?? randomBytes(32).toString('hex'),
    smsOtpSecret: environment.SMS_OTP_SECRET,
    trustProxy: environment.TRUST_PROXY,
    variant: environment.SMS_OTP_VARIANT,
    numbersAs: environment.SMS_OTP_NUMBERS_AS,
    gateway: baseUrl && username && password ? { baseUrl, username, password } : null,
    phones: {
      alice: environment.ALICE_PHONE ?? '+12025550123',
      bob: environment.BOB_PHONE ?? '+12025550124',
    },
    allowedCountries: environment.ALLOWED_COUNTRIES ?? (hasOwnPhone ? 'any' : ['US']),
    redisUrl: environment.REDIS_URL ?? null,
    databaseUrl: environment.DATABASE_URL ?? null,
    workers: environment.WORKERS,
    logLevel: environment.LOG_LEVEL,
  };
}
