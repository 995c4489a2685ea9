import type { GatewayRejectedError } from '../errors';
import type { Variant } from '../protocol/paths';

/**
 * What a rejected validate call means. OTP spec §7.
 * - `wrong`: the pin is not right; the challenge lives on. A cannot tell wrong from expired and consumed (2107).
 * - `over`: expired (2108) or consumed (2109); the challenge ends. Never success, and never told apart by the user.
 * - `not-judged`: the gateway did not look at the pin; the challenge lives on and the error is passed on.
 */
export type PinRejection = 'wrong' | 'over' | 'not-judged';

const WRONG: Readonly<Record<Variant, readonly number[]>> = { A: [2107], B: [2107, 2120] };
const OVER: readonly number[] = [2108, 2109];

/** Reads the gateway's code. The HTTP status decides nothing: which code comes with which status is not shown. */
export function readPinRejection(variant: Variant, { gatewayCode }: GatewayRejectedError): PinRejection {
  if (gatewayCode === null) return 'not-judged';
  if (WRONG[variant].includes(gatewayCode)) return 'wrong';
  return OVER.includes(gatewayCode) ? 'over' : 'not-judged';
}
