import type { GatewayClientOptions, GatewayTimeouts } from '../../client';
import type { CommandCall } from '../command';
import { CommandFailure, UsageError } from '../failures';
import { readText, readWhole } from '../line/read-values';

/** What the environment and the common options say about the gateway. */
export interface GatewaySettings extends Omit<GatewayClientOptions, 'variant'> {
  /** Null: SMS_OTP_VARIANT is not set. */
  readonly variant: 'A' | 'B' | null;
}

const LONGEST_TIMEOUT_SECONDS = 60;
/** The client's own ceiling: an authentication must end within the lease on a shared token. */
const LONGEST_AUTH_MS = 12_000;

/** @throws {UsageError} that names every variable that is missing. */
export async function readGatewaySettings(call: CommandCall): Promise<GatewaySettings> {
  const { env } = call.io;
  const password = call.args.isOn('password-stdin') ? await readPassword(call) : env.SMS_OTP_PASSWORD;
  const { SMS_OTP_BASE_URL: baseUrl, SMS_OTP_USERNAME: username } = env;
  const variant = readVariant(env.SMS_OTP_VARIANT);
  const numbersAs = readNumbersAs(env.SMS_OTP_NUMBERS_AS);
  if (!baseUrl || !username || !password) {
    const given = { SMS_OTP_BASE_URL: baseUrl, SMS_OTP_USERNAME: username, SMS_OTP_PASSWORD: password };
    const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]));
    throw new UsageError(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`);
  }
  const ca = call.args.text('ca');
  return {
    baseUrl,
    username,
    password,
    variant,
    numbersAs,
    timeouts: readTimeouts(call),
    ...(ca !== undefined && { ca: await readText(call.io.folder, ca) }),
  };
}

async function readPassword({ readLine }: CommandCall): Promise<string> {
  const password = await readLine();
  if (password === null) throw new CommandFailure('Standard input had no password.');
  return password;
}

function readVariant(text: string | undefined): 'A' | 'B' | null {
  if (!text) return null;
  if (text === 'A' || text === 'B') return text;
  throw new UsageError('SMS_OTP_VARIANT must be A or B');
}

function readNumbersAs(text: string | undefined): 'string' | 'number' {
  if (!text || text === 'string') return 'string';
  if (text === 'number') return text;
  throw new UsageError('SMS_OTP_NUMBERS_AS must be string or number');
}

function readTimeouts({ args }: CommandCall): Partial<GatewayTimeouts> {
  if (args.text('timeout') === undefined) return {};
  const seconds = readWhole(args, 'timeout', { min: 1, max: LONGEST_TIMEOUT_SECONDS, standard: 10 });
  const ms = seconds * 1_000;
  return {
    connectMs: ms,
    authMs: Math.min(ms, LONGEST_AUTH_MS),
    generateMs: ms,
    validateMs: ms,
    lookupMs: ms,
    balanceMs: ms,
    pricingMs: ms,
  };
}
