import {
  GatewayRejectedError,
  isGatewayError,
  readFields,
  SmsOtpError,
  StoreError,
} from '../errors';
import { toSafeCause } from '../foreign-error';
import advice = require('./advice.json');

/**
 * The advice in advice.json: by the platform's code of a failed connection, by the code of a
 * store's server, and by the gateway's code.
 */
const {
  causes: CAUSES,
  stores: STORES,
  codes: CODES,
}: Record<'causes' | 'stores' | 'codes', Readonly<Record<string, string>>> = advice;

/** The base class of a command's errors, with advice. */
abstract class AdvisedError extends Error {
  /** A stable code, as `--json` writes it. */
  abstract readonly code: string;

  constructor(
    message: string,
    readonly advice: string | null = null,
  ) {
    super(message);
  }
}

/** The command line is wrong: exit code 2. The message never repeats the value of an argument. */
export class WrongUsage extends AdvisedError {
  override readonly name = 'WrongUsage';
  readonly code = 'ERR_WRONG_USAGE';
}

/** A check or a call failed: exit code 1. */
export class CommandFailure extends AdvisedError {
  override readonly name = 'CommandFailure';

  constructor(
    message: string,
    advice: string | null = null,
    readonly code: 'ERR_COMMAND_FAILED' | 'ERR_FILE' | 'ERR_STORE' = 'ERR_COMMAND_FAILED',
  ) {
    super(message, advice);
  }
}

/**
 * Returns why a server did not start.
 * @param advice What to do if its port is in use.
 */
export function toStartFailure(error: unknown, advice: string): CommandFailure {
  const { message, code } = readFields(error);
  if (code === 'EADDRINUSE') return new CommandFailure('The port is in use.', advice);
  if (code === 'EACCES')
    return new CommandFailure('You have no permission to use this port.', 'Use one above 1023.');
  // Show the simulator's message: it contains no value.
  return new CommandFailure(String(message));
}

/**
 * Converts the `TypeError`s of a call into usage errors: the input comes from the command line.
 * They show no value.
 */
export async function withUsageErrors<Result>(
  call: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TypeError) throw new WrongUsage(error.message);
    throw error;
  }
}

/** What went wrong and what to do. `--json` writes all of it except the exit code. */
interface Explanation {
  /** A stable code that scripts can compare. */
  readonly code: string;
  /** The gateway's error code, if it rejected a request with one. */
  readonly gatewayCode?: number;
  readonly message: string;
  readonly advice: string | null;
  readonly exitCode: 1 | 2;
}

/**
 * Returns what went wrong and what to do. Of third-party errors only allow-listed words are
 * repeated.
 */
export function explain(error: unknown): Explanation {
  if (error instanceof AdvisedError) {
    const { code, message, advice } = error;
    return { code, message, advice, exitCode: error instanceof WrongUsage ? 2 : 1 };
  }

  if (error instanceof SmsOtpError) {
    const { code } = error;
    const cause = error.cause?.code ?? null;
    const isSaid = cause === null || error.message.endsWith(cause);
    const message = isSaid ? error.message : `${error.message}: ${cause}`;
    return { code, ...readGatewayCode(error), message, advice: adviseOn(error), exitCode: 1 };
  }

  const { name, code } = toSafeCause(error);
  return {
    code: 'ERR_UNEXPECTED',
    message: `Unexpected error (${code ?? name})`,
    advice: 'This is a bug of the command. Please report it and what you did.',
    exitCode: 1,
  };
}

function readGatewayCode(error: SmsOtpError): { readonly gatewayCode?: number } {
  const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
  return code === null ? {} : { gatewayCode: code };
}

function adviseOn(error: SmsOtpError): string | null {
  if (error instanceof StoreError) {
    const otherwise = "Check that the server is running and that --prefix matches the app's.";
    return adviseOnStore(error.problem) ?? otherwise;
  }
  if (!isGatewayError(error)) return null;

  switch (error.code) {
    case 'ERR_GATEWAY_UNREACHABLE':
      return adviseOnCause(error.cause?.code ?? null);
    case 'ERR_GATEWAY_TIMEOUT':
      return (
        'Try again; if it persists, check the network between here and the gateway, or raise ' +
        '--timeout.'
      );
    case 'ERR_GATEWAY_RESPONSE':
      return error.message.endsWith('a redirect')
        ? 'Set SMS_OTP_BASE_URL to the address it redirects to; redirects are never followed ' +
            'with credentials.'
        : 'Something other than the gateway answers: a proxy, a login page, another server. ' +
            'Check SMS_OTP_BASE_URL.';
    case 'ERR_GATEWAY_REJECTED':
      return adviseOnCode(error.gatewayCode);
    case 'ERR_GATEWAY_BUSY':
      return `Try again in ${error.retryAfterSeconds} s.`;
    case 'ERR_GATEWAY_ABORTED':
      return null;
  }
}

const TRUST =
  'This machine does not trust the issuer of the certificate. Pass its authority with --ca <file>.';

/** Returns the advice for a failed connection, by the platform's error code. */
export function adviseOnCause(code: string | null): string {
  if (code !== null && /SELF_SIGNED|UNABLE_TO/.test(code)) return TRUST;
  const otherwise =
    'Check SMS_OTP_BASE_URL, and whether a firewall or a proxy blocks the way to the gateway.';
  return CAUSES[code ?? ''] ?? otherwise;
}

/** Returns the advice for an answer of a store's server. Null for one that is not listed. */
export function adviseOnStore(problem: string | null): string | null {
  return STORES[problem ?? ''] ?? null;
}

const LATER = "Try again later; if it persists, ask the gateway's operator.";

/** Returns the advice for an error code of the gateway. OTP spec §7, HLR spec §7. */
export function adviseOnCode(gatewayCode: number | null): string {
  return CODES[gatewayCode ?? 0] ?? LATER;
}
