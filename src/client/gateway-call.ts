import type { CallName } from './call-name';
import type { GatewayTimeouts } from './client-options';

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
