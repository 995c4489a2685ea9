import { GatewayRejectedError } from '../errors';
import { gatewayErrorName } from '../protocol/error-codes';
import type { CallName } from '../protocol/paths';

/** Describes one request to the gateway and how to read its answer. */
export interface GatewayCall<Result> {
  readonly name: CallName;
  readonly method: 'GET' | 'POST';
  /** The path as documented. The path prefix of the base URL is put before it. */
  readonly path: string;
  /** The body as JSON. Null if the call has none. */
  readonly body: string | null;
  /** The largest answer that is accepted, in bytes. */
  readonly maxBytes: number;
  /**
   * Reads the answer. It is a success only if it matches one exact form. Anything else is an error.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED: the answer has an error object, or is a
   * 429 or 5xx with an envelope.
   * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: the answer is not as documented.
   */
  readonly read: (answer: RawAnswer) => Result;
}

/** An answer whose head was as documented: a final status, and a JSON content type. */
export interface RawAnswer {
  readonly httpStatus: number;
  readonly body: string;
  /** Seconds of the header `Retry-After`, or null. */
  readonly retryAfterSeconds: number | null;
}

/** OTP spec §7: service temporarily unavailable. */
const UNAVAILABLE = 2121;

/** OTP spec §7, HLR spec §7: the codes for a wrong user name or password of the account. */
const CREDENTIAL_CODES: readonly (number | null)[] = [1002, 1003, 1004];

/**
 * Returns true if the gateway itself did not work: there was no answer as documented, or one that
 * reports a failure. A wrong pin is not a failure. Not shown in OTP spec §7: which HTTP status
 * carries which code. So a documented code decides, and the status only if there is none.
 * @param error The error of a request.
 */
export function isGatewayFailure(error: unknown): boolean {
  if (!(error instanceof GatewayRejectedError)) return true;
  const { gatewayCode, httpStatus } = error;
  if (gatewayCode === UNAVAILABLE) return true;
  return (httpStatus === 429 || httpStatus >= 500) && gatewayErrorName(gatewayCode) === null;
}

/** Returns true for error 1009, invalid access token. OTP spec §5. */
export function isTokenRefusal(error: unknown): boolean {
  return error instanceof GatewayRejectedError && error.gatewayCode === 1009;
}

/**
 * Returns true if the gateway rejected the credentials: 1004 from any call, or 1002 and 1003, which
 * name parameters of the authentication alone. HLR spec §5.
 */
export function isCredentialRefusal(
  error: unknown,
): error is GatewayRejectedError & { gatewayCode: number } {
  return error instanceof GatewayRejectedError && CREDENTIAL_CODES.includes(error.gatewayCode);
}

/**
 * Returns true if the gateway rejected a refresh token, with 1005 or another code. False for
 * failures and rejected credentials.
 */
export function isRefreshRefusal(error: unknown): boolean {
  return (
    error instanceof GatewayRejectedError && !isGatewayFailure(error) && !isCredentialRefusal(error)
  );
}
