import type { GatewayCall } from './gateway-call';

/**
 * Codes of answers that rule out that a message was sent, unless the status is 5xx. OTP spec §7.
 */
const NOTHING_SENT: ReadonlySet<number> = new Set([
  ...[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009],
  ...[2100, 2101, 2102, 2103, 2104, 2105, 2106, 2110, 2121],
]);

/**
 * Codes of answers that mean that the pin was checked, with any status: wrong, expired, used. OTP
 * spec §7.
 */
const JUDGED: ReadonlySet<number> = new Set([2107, 2108, 2109, 2120]);

/** The OTP service is unavailable: it has sent nothing and checked nothing. OTP spec §7. */
const UNAVAILABLE = 2121;

/**
 * Returns whether the gateway may have acted although it answered with an error: sent a message at
 * generate, checked the pin at validate. The code decides before the status. Not shown in OTP spec
 * §7: whether a message can have been sent after an answer of 5xx, or of a code that is not listed.
 * So the function returns true.
 */
export function mayHaveActed(
  call: GatewayCall<unknown>['name'],
  code: number | null,
  httpStatus: number,
): boolean {
  if (call === 'validate') {
    if (JUDGED.has(code ?? 0)) return true;
    return code !== UNAVAILABLE && httpStatus !== 429 && httpStatus !== 503;
  }
  if (call !== 'generate') return true;
  if (code === UNAVAILABLE && (httpStatus === 500 || httpStatus === 503)) return false;
  return httpStatus >= 500 || !(NOTHING_SENT.has(code ?? 0) || httpStatus === 429);
}
