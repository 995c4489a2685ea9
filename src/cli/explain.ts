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
import { adviseOnCode } from './gateway/advice-by-code';
import { adviseOnCause } from './gateway/advice-by-cause';

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
