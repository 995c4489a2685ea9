import type { GatewayCall } from './gateway-call';

/** Codes of answers that exclude that a text went out, unless the status is 5xx. OTP spec §7. */
const NOTHING_SENT: ReadonlySet<number> = new Set([
  ...[1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009],
  ...[2100, 2101, 2102, 2103, 2104, 2105, 2106, 2110, 2121],
]);

/**
 * Codes of answers that judge a pin, whatever their status: wrong, expired, consumed. OTP spec §7.
 */
const JUDGED: ReadonlySet<number> = new Set([2107, 2108, 2109, 2120]);

/** The OTP service is unavailable: it has neither sent nor judged. OTP spec §7. */
const UNAVAILABLE = 2121;

/**
 * Returns whether the gateway may have acted although it has answered with an error: texted at
 * generate, judged the pin at validate. The code is read before the status.
 * Not shown in OTP spec §7: whether a text can be out after an answer of 5xx, or of a code that is
 * not listed. So it may be.
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
