import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import {
  GatewayClient,
  type GatewayClientOptions,
  type NumberForm,
  type NumbersAs,
} from '../client';
import { type CommandCall, type CommandOptions, readChoice, readText } from './command';
import { CommandFailure, WrongUsage } from './failures';

/** Options of every command that calls the gateway. */
export const GATEWAY_OPTIONS = {
  ca: { value: '<file>', help: 'additional certificate authority to trust, as PEM' },
  timeout: { value: '<seconds>', help: 'time limit of each call, 1 to 60' },
  'password-stdin': { help: 'read the password from standard input instead of SMS_OTP_PASSWORD' },
} satisfies CommandOptions;

/** The gateway, as described by the environment and the common options. */
export interface GatewayEnvironment extends Omit<GatewayClientOptions, 'variant' | 'baseUrl'> {
  readonly baseUrl: string;
  /** The certificate authorities to trust. Undefined: those of Node.js. */
  readonly authorities: readonly string[] | undefined;
  /** Null if SMS_OTP_VARIANT is not set. */
  readonly variant: 'A' | 'B' | null;
}

const MAX_TIMEOUT_SECONDS = 60;

/** @throws {WrongUsage} that names every missing variable. */
export async function readGatewayEnvironment(call: CommandCall): Promise<GatewayEnvironment> {
  const { env } = call.io;
  const password = call.args.isOn('password-stdin') ? await call.readLine() : env.SMS_OTP_PASSWORD;
  if (password === null) throw new CommandFailure('Standard input had no password.');

  const { SMS_OTP_BASE_URL: baseUrl, SMS_OTP_USERNAME: username } = env;
  const variant = readChoice('SMS_OTP_VARIANT', env.SMS_OTP_VARIANT, ['A', 'B']);
  const numbersAs = readNumbersAs(env.SMS_OTP_NUMBERS_AS);
  if (!baseUrl || !username || !password) {
    const given = {
      SMS_OTP_BASE_URL: baseUrl,
      SMS_OTP_USERNAME: username,
      SMS_OTP_PASSWORD: password,
    };
    const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]));
    throw new WrongUsage(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`);
  }

  const authorities = await readAuthorities(call);
  return {
    baseUrl,
    username,
    password,
    variant,
    numbersAs,
    timeoutMs: readTimeout(call.args),
    authorities,
    dispatcher: authorities && (await openDispatcher(authorities)),
  };
}

/** Reads the file of `--ca`. Its authorities are trusted besides the public ones. */
async function readAuthorities(call: CommandCall): Promise<readonly string[] | undefined> {
  const path = call.args.text('ca');
  if (path === undefined) return undefined;
  const pem = await readText(call.io.folder, path);
  if (isCertificate(pem)) return [...rootCertificates, pem];
  throw new WrongUsage('the file of --ca must contain certificates as PEM');
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return pem.includes('-----BEGIN CERTIFICATE-----');
  } catch {
    // Hide the platform's message, which would quote the file.
    return false;
  }
}

const CONNECT_MS = 3_000;

/** Opens the dispatcher. No environment variable turns the verification of certificates off. */
async function openDispatcher(authorities: readonly string[]): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: { ca: [...authorities], timeout: CONNECT_MS, rejectUnauthorized: true },
  });
}

const NUMBER_FORMS =
  /^(?<both>string|number)$|^mobile:(?<mobile>string|number),validity:(?<validity>string|number)$/;

/** Reads one form for both fields, or one for each: `mobile:string,validity:number`. */
function readNumbersAs(value: string | undefined): NumbersAs {
  if (!value) return 'string';

  const { both, mobile, validity } = NUMBER_FORMS.exec(value)?.groups ?? {};
  // The pattern allows only these words.
  if (both !== undefined) return both as NumberForm;
  if (mobile !== undefined)
    return { mobile: mobile as NumberForm, validity: validity as NumberForm };

  throw new WrongUsage(
    'SMS_OTP_NUMBERS_AS must be string or number, or mobile:string,validity:number (each either)',
  );
}

/** Returns the time limit of a call in milliseconds. Undefined: the default. */
function readTimeout(args: CommandCall['args']): number | undefined {
  if (args.text('timeout') === undefined) return undefined;
  return args.whole('timeout', { min: 1, max: MAX_TIMEOUT_SECONDS, fallback: 10 }) * 1_000;
}

/**
 * Calls `use` with a client for the account in the environment, then closes the client. Without
 * SMS_OTP_VARIANT the variant is A. Ctrl+C aborts running calls.
 */
export async function withGateway<const Result>(
  call: CommandCall,
  use: (client: GatewayClient) => Promise<Result>,
): Promise<Result> {
  const environment = await readGatewayEnvironment(call);
  const client = openGateway(environment);
  abortOnInterrupt(client, call.io.signal);
  try {
    return await use(client);
  } finally {
    await client.close(0);
    await environment.dispatcher?.destroy();
  }
}

/**
 * Creates a client. @throws {WrongUsage} for a wrong option. The client's message shows no value.
 */
export function openGateway(environment: GatewayEnvironment): GatewayClient {
  const { variant, authorities: _usedByDispatcher, ...options } = environment;
  try {
    return new GatewayClient({ ...options, variant: variant ?? 'A' });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Name the variable that the user has set instead of the client's option.
    throw new WrongUsage(error.message.replace(/^GatewayClient: baseUrl\b/, 'SMS_OTP_BASE_URL'));
  }
}

/** Aborts running calls on Ctrl+C. Their errors are not shown. */
export function abortOnInterrupt(client: GatewayClient, signal: AbortSignal): void {
  signal.addEventListener('abort', () => void client.close(0), { once: true });
}
