import { GatewayRejectedError } from '../../errors';
import { gatewayErrorName } from '../../protocol/error-codes';

/** OTP spec §7: service temporarily unavailable. */
const UNAVAILABLE = 2121;

/** OTP spec §7, HLR spec §7: the codes that say the account's user name or password is wrong. */
const CREDENTIAL_CODES: readonly (number | null)[] = [1002, 1003, 1004];

/**
 * True when the gateway itself did not work: there was no answer as documented, or one that says so. A wrong pin is an
 * answer like any other.
 * Not shown in OTP spec §7: which HTTP status carries which code. So a documented code is judged by what it says, and
 * the status only where there is none.
 * @param error What a request ended with.
 */
export function isGatewayFailure(error: unknown): boolean {
  if (!(error instanceof GatewayRejectedError)) return true;
  const { gatewayCode, httpStatus } = error;
  if (gatewayCode === UNAVAILABLE) return true;
  return (httpStatus === 429 || httpStatus >= 500) && gatewayErrorName(gatewayCode) === null;
}

/** True for error 1009, invalid access token. OTP spec §5. */
export function isTokenRefusal(error: unknown): boolean {
  return error instanceof GatewayRejectedError && error.gatewayCode === 1009;
}

/**
 * True when the gateway refused the credentials: 1004 from any call; 1002 and 1003 name parameters of the
 * authentication alone. HLR spec §5.
 */
export function isCredentialRefusal(error: unknown): error is GatewayRejectedError & { gatewayCode: number } {
  return error instanceof GatewayRejectedError && CREDENTIAL_CODES.includes(error.gatewayCode);
}

/** True for an answer that says no to a refresh token, 1005 or whatever else; not for a failure, not for credentials. */
export function isRefreshRefusal(error: unknown): boolean {
  return error instanceof GatewayRejectedError && !isGatewayFailure(error) && !isCredentialRefusal(error);
}
