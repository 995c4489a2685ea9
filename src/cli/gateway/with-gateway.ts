import { GatewayClient, type GatewayClientOptions, type GatewayTimeouts } from '../../client';
import { readText, readWhole } from '../args/read-values';
import type { CommandCall, CommandOptions } from '../command';
import { blameUsage, CommandFailure, UsageError } from '../failures';

/** What every command that talks to the gateway takes. */
export const GATEWAY_OPTIONS = {
  ca: { value: '<file>', help: 'certificate authority to trust besides the public ones, as PEM' },
  timeout: { value: '<seconds>', help: 'give each call so long, 1 to 60' },
  'password-stdin': { help: 'read the password from standard input instead of SMS_OTP_PASSWORD' },
} satisfies CommandOptions;

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

/**
 * Runs something with a client for the account of the environment, and closes it. Without SMS_OTP_VARIANT it is A.
 * @param onInterrupt What Ctrl+C does to calls under way: they end, or they are waited for.
 */
export async function withGateway<Result>(
  call: CommandCall,
  use: (client: GatewayClient) => Promise<Result>,
  onInterrupt: 'end' | 'finish' = 'end',
): Promise<Result> {
  const client = await openGateway(await readGatewaySettings(call));
  if (onInterrupt === 'end') endOnInterrupt(client, call.io.signal);
  try {
    return await use(client);
  } finally {
    await client.close(0);
  }
}

/** @throws {UsageError} when an option is wrong, in the client's own words, which show no value. */
export async function openGateway({ variant, ...settings }: GatewaySettings): Promise<GatewayClient> {
  try {
    return await blameUsage(() => new GatewayClient({ ...settings, variant: variant ?? 'A' }));
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(nameVariable(error.message)) : error;
  }
}

/** The user knows the variable, not the option. */
function nameVariable(message: string): string {
  return message
    .replace(/^GatewayClient: baseUrl\b/, 'SMS_OTP_BASE_URL')
    .replace(/^GatewayClient: ca\b/, 'the file of --ca');
}

/** Ends calls that are under way when Ctrl+C comes; what they throw then is not shown. */
export function endOnInterrupt(client: GatewayClient, signal: AbortSignal): void {
  signal.addEventListener('abort', () => void client.close(0), { once: true });
}
