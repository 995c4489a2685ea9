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
import type { ExitCode } from './command';
import { CommandFailure, UsageError } from './failures';

/** What to do when no connection came about, by the platform's code. */
export function adviseOnCause(code: string | null): string {
  if (code === 'ECONNREFUSED') return 'Nothing listens there. Look at host and port in SMS_OTP_BASE_URL.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'The name has no address. Look at the host in SMS_OTP_BASE_URL, and at the DNS of this machine.';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return 'The certificate is for another name. Set SMS_OTP_BASE_URL to the host name it was made for.';
  }
  if (code === 'CERT_HAS_EXPIRED')
    return "The certificate has expired. The gateway's operator has to renew it.";
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO') {
    return 'It does not speak TLS there. Look at the port in SMS_OTP_BASE_URL.';
  }
  if (code !== null && /SELF_SIGNED|UNABLE_TO/.test(code)) {
    return 'Nobody this machine trusts vouches for the certificate. Give its authority with --ca <file>.';
  }
  return 'Look at SMS_OTP_BASE_URL, and whether a firewall or a proxy stands between here and the gateway.';
}

const CREDENTIALS = 'Set SMS_OTP_USERNAME and SMS_OTP_PASSWORD to those of the API account.';
const NO_OTP = "Ask the gateway's operator to switch the OTP service on for the account.";
const NO_LOOKUP = "Ask the gateway's operator to switch number lookups on for the account.";
const LATER = "Try again later; if it stays so, ask the gateway's operator.";
const NUMBER = 'Look at the number; it needs its country code.';

/** What to do about an error the gateway answers with. OTP spec §7, HLR spec §7. */
const ADVICE: Readonly<Record<number, string>> = {
  1001: LATER,
  1002: CREDENTIALS,
  1003: CREDENTIALS,
  1004: CREDENTIALS,
  1006: 'Top the account up.',
  1007: 'The gateway has no such path. Look at SMS_OTP_BASE_URL and SMS_OTP_VARIANT; doctor finds the variant out.',
  1009: 'Somebody else logs in with the same account; give each its own, or use variant A, which shares a token.',
  1221: NUMBER,
  1222: LATER,
  2002: LATER,
  2003: NUMBER,
  2004: NO_LOOKUP,
  2005: 'The gateway cannot look up numbers of this network.',
  2100: NO_OTP,
  2101: NUMBER,
  2102: "The account may not text this destination; ask the gateway's operator.",
  2103: NUMBER,
  2104: 'Look at --sender.',
  2105: 'Look at --message.',
  2106: 'Make --message shorter.',
  2107: 'The code, the id or the number is wrong, or the code has expired or was used. Send another one.',
  2108: 'The code has expired. Send another one.',
  2109: 'The code was used already. Send another one.',
  2110: 'Look at --validity.',
  2120: 'The code is wrong.',
  2121: LATER,
};

export function adviseOnCode(gatewayCode: number | null): string {
  return ADVICE[gatewayCode ?? 0] ?? LATER;
}

/** An error as people read it. */
export interface Explanation {
  readonly message: string;
  readonly advice: string | null;
  readonly exitCode: ExitCode;
}

/** What went wrong and what to do about it. Of foreign errors only known words are repeated. */
export function explain(error: unknown): Explanation {
  if (error instanceof UsageError) return { message: error.message, advice: error.advice, exitCode: 2 };
  if (error instanceof CommandFailure) return { message: error.message, advice: error.advice, exitCode: 1 };
  if (error instanceof SmsOtpError) {
    return { message: messageOf(error), advice: adviseOn(error), exitCode: 1 };
  }
  const { name, code } = toSafeCause(error);
  return {
    message: `Something unexpected happened (${code ?? name})`,
    advice: 'This is an error of the command itself; please report what you did.',
    exitCode: 1,
  };
}

function messageOf(error: SmsOtpError): string {
  const code = error.cause?.code ?? null;
  return code === null ? error.message : `${error.message}: ${code}`;
}

/** What to do about an error of the library's. */
function adviseOn(error: SmsOtpError): string | null {
  if (error instanceof GatewayUnreachableError) return adviseOnCause(error.cause?.code ?? null);
  if (error instanceof GatewayTimeoutError) {
    return 'Try again; if it stays so, look at the network between here and the gateway, or raise --timeout.';
  }
  if (error instanceof GatewayResponseError) return adviseOnAnswer(error);
  if (error instanceof GatewayRejectedError) return adviseOnCode(error.gatewayCode);
  if (error instanceof GatewayBusyError) return `Try again in ${error.retryAfterSeconds} s.`;
  if (error instanceof StoreError) return "Look whether the server runs and whether the prefix is the app's.";
  return null;
}

function adviseOnAnswer({ message }: GatewayResponseError): string {
  if (message.endsWith('a redirect')) {
    return 'Set SMS_OTP_BASE_URL to the address it redirects to; redirects are never followed with credentials.';
  }
  return 'Something else than the gateway answers: a proxy, a login page, another server. Look at SMS_OTP_BASE_URL.';
}
