import {
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  SmsOtpError,
  StoreError,
  toSafeCause,
} from '../errors';

/** An error of a command, with what to do about it. */
abstract class AdvisedError extends Error {
  constructor(
    message: string,
    readonly advice: string | null = null,
  ) {
    super(message);
  }
}

/** The command line is wrong: exit code 2. The message never repeats the value of an argument. */
export class UsageError extends AdvisedError {
  override readonly name = 'UsageError';
}

/** A check or a call failed: exit code 1. */
export class CommandFailure extends AdvisedError {
  override readonly name = 'CommandFailure';
}

/** Turns the `TypeError`s of a call into usage errors. They show no value, and the input comes from the command line. */
export async function withUsageErrors<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

/** An error as a user reads it. */
export interface Explanation {
  readonly message: string;
  readonly advice: string | null;
  readonly exitCode: 1 | 2;
}

/** Returns what went wrong and what to do about it. Of third-party errors only allow-listed words are repeated. */
export function explain(error: unknown): Explanation {
  if (error instanceof AdvisedError) {
    const { message, advice } = error;
    return { message, advice, exitCode: error instanceof UsageError ? 2 : 1 };
  }
  if (error instanceof SmsOtpError) {
    const code = error.cause?.code ?? null;
    const isSaid = code === null || error.message.endsWith(code);
    const message = isSaid ? error.message : `${error.message}: ${code}`;
    return { message, advice: adviseOn(error), exitCode: 1 };
  }
  const { name, code } = toSafeCause(error);
  return {
    message: `Unexpected error (${code ?? name})`,
    advice: 'This is a bug of the command; please report it with what you did.',
    exitCode: 1,
  };
}

function adviseOn(error: SmsOtpError): string | null {
  if (error instanceof GatewayUnreachableError) return adviseOnCause(error.cause?.code ?? null);
  if (error instanceof GatewayTimeoutError) {
    return 'Try again; if it persists, check the network between here and the gateway, or raise --timeout.';
  }
  if (error instanceof GatewayResponseError) {
    return error.message.endsWith('a redirect')
      ? 'Set SMS_OTP_BASE_URL to the address it redirects to; redirects are never followed with credentials.'
      : 'Something other than the gateway answers: a proxy, a login page, another server. Check SMS_OTP_BASE_URL.';
  }
  if (error instanceof GatewayRejectedError) return adviseOnCode(error.gatewayCode);
  if (error instanceof GatewayBusyError) return `Try again in ${error.retryAfterSeconds} s.`;
  if (error instanceof StoreError) {
    return "Check that the server is running and that --prefix matches the app's.";
  }
  return null;
}

const HOST = 'The host name cannot be resolved. Check the host in SMS_OTP_BASE_URL, and the DNS of this machine.';
const PORT = 'The server does not speak TLS on this port. Check the port in SMS_OTP_BASE_URL.';
const TRUST = 'This machine does not trust the issuer of the certificate. Pass its authority with --ca <file>.';

/** What to do when no connection could be made. */
const ADVICE_BY_CAUSE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Check host and port in SMS_OTP_BASE_URL.',
  ENOTFOUND: HOST,
  EAI_AGAIN: HOST,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate is for another name. Set SMS_OTP_BASE_URL to the host name it was issued for.',
  CERT_HAS_EXPIRED: "The certificate has expired. The gateway's operator has to renew it.",
  ERR_SSL_WRONG_VERSION_NUMBER: PORT,
  EPROTO: PORT,
};

/** Returns what to do when no connection could be made, by the platform's error code. */
export function adviseOnCause(code: string | null): string {
  if (code !== null && /SELF_SIGNED|UNABLE_TO/.test(code)) return TRUST;
  const otherwise = 'Check SMS_OTP_BASE_URL, and whether a firewall or a proxy blocks the way to the gateway.';
  return ADVICE_BY_CAUSE[code ?? ''] ?? otherwise;
}

const CREDENTIALS = 'Set SMS_OTP_USERNAME and SMS_OTP_PASSWORD to those of the API account.';
const LATER = "Try again later; if it persists, ask the gateway's operator.";
const NUMBER = 'Check the number; it needs its country code.';
const NUMBERS_AS = 'Some gateways want JSON numbers: set SMS_OTP_NUMBERS_AS=number (or string).';

/** What to do about an error code of the gateway. OTP spec §7, HLR spec §7. */
const ADVICE: Readonly<Record<number, string>> = {
  1001: LATER,
  1002: CREDENTIALS,
  1003: CREDENTIALS,
  1004: CREDENTIALS,
  1006: 'Top up the account.',
  1007: 'The gateway has no such path. Check SMS_OTP_BASE_URL and SMS_OTP_VARIANT; doctor finds the variant.',
  1009: 'Another system logs in with the same account; give each its own, or use variant A, which shares a token.',
  1221: NUMBER,
  1222: LATER,
  2002: LATER,
  2003: NUMBER,
  2004: "Ask the gateway's operator to enable number lookups for the account.",
  2005: 'The gateway cannot look up numbers of this network.',
  2100: "Ask the gateway's operator to enable the OTP service for the account.",
  2101: NUMBER,
  2102: "The account may not text this destination; ask the gateway's operator.",
  2103: `${NUMBER} ${NUMBERS_AS}`,
  2104: 'Check --sender.',
  2105: 'Check --message.',
  2106: 'Make --message shorter.',
  2107: 'The code, the id or the number is wrong, or the code has expired or was used. Send another one.',
  2108: 'The code has expired. Send another one.',
  2109: 'The code was used already. Send another one.',
  2110: `Check --validity. ${NUMBERS_AS}`,
  2120: 'The code is wrong.',
  // Variant A has no code for an account without permission, and may answer with this one.
  2121: "Try again later; if it persists, ask the gateway's operator, also whether the OTP service is enabled for the account.",
};

export function adviseOnCode(gatewayCode: number | null): string {
  return ADVICE[gatewayCode ?? 0] ?? LATER;
}
