import { GatewayRejectedError, GatewayResponseError, GatewayTimeoutError } from '../errors';
import { readEnvelope } from '../protocol/envelope';
import { gatewayErrorName } from '../protocol/error-codes';
import { type CallDeadline, remainingMs } from './call-limiter';
import type { CircuitBreaker } from './circuit-breaker';
import type { CallName } from './events';
import type { GatewayTimeouts } from './options';
import type { RawAnswer, RequestSender } from './transport';

/** One request to the gateway, and how its answer is read. */
export interface GatewayCall<Result> {
  readonly name: CallName;
  readonly method: 'GET' | 'POST';
  /** As in the documents; the path prefix of the base URL is put before it. */
  readonly path: string;
  /** The JSON text; null where the call has no body. */
  readonly body: string | null;
  /** Bytes that the answer may have. */
  readonly maxBytes: number;
  /** Reads the payload of a success; null when it is not as documented. */
  readonly read: (payload: unknown, hasPayload: boolean) => Result | null;
}

/** Bytes of an answer. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/** Bytes of a price list, which has a row for every network of the world. */
export const MAX_PRICE_LIST_BYTES = 8 * 1024 * 1024;

/** Milliseconds that each call is given. */
export function toLimits(timeouts: GatewayTimeouts): Readonly<Record<CallName, number>> {
  return {
    auth: timeouts.authMs,
    generate: timeouts.generateMs,
    validate: timeouts.validateMs,
    lookup: timeouts.lookupMs,
    balance: timeouts.balanceMs,
    'hlr-balance': timeouts.balanceMs,
    pricing: timeouts.pricingMs,
    'hlr-pricing': timeouts.pricingMs,
  };
}

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

/**
 * The result in an answer. Success is an exact predicate; everything else is an error.
 * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED: the answer has an error object, or is a 429 or 5xx of its own.
 * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: the answer is not as documented.
 */
function readAnswer<Result>(call: GatewayCall<Result>, { httpStatus, text }: RawAnswer): Result {
  const answer = readEnvelope(httpStatus, parseJson(text));
  if (answer.kind === 'rejected') {
    throw new GatewayRejectedError(call.name, answer.code, gatewayErrorName(answer.code), httpStatus);
  }
  const result = answer.kind === 'success' ? call.read(answer.payload, answer.hasPayload) : null;
  if (result === null)
    throw new GatewayResponseError(call.name, httpStatus, 'its members are not as expected');
  return result;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The platform's message would quote the text; undefined is no envelope, which says it all.
    return undefined;
  }
}

/** Sends a call once: its result, or an error of ours. The circuit breaker counts what came of it. */
export type Exchange = <Result>(
  call: GatewayCall<Result>,
  authorization: string | null,
  deadline: CallDeadline,
) => Promise<Result>;

/** Joins transport, reading and counting. */
export function createExchange(sender: RequestSender, breaker: CircuitBreaker): Exchange {
  return async function exchange(call, authorization, deadline) {
    const { name, maxBytes } = call;
    const { limitMs } = deadline;
    const leftMs = remainingMs(deadline);
    if (leftMs <= 0) throw new GatewayTimeoutError(name, limitMs, false);
    try {
      const answer = await sender.send(call, authorization, { call: name, maxBytes, limitMs, leftMs });
      const result = readAnswer(call, answer);
      breaker.record(false);
      return result;
    } catch (error) {
      breaker.record(isGatewayFailure(error));
      throw error;
    }
  };
}
