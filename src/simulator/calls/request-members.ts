import { toDigits } from '../../protocol/mobile';
import type { Readings } from '../readings';

/**
 * A "numeric" member of a request as digits; null when it is odd or not in the form this reading takes. OTP
 * spec §4.
 */
function readNumeric(value: unknown, { numericMembers }: Readings): string | null {
  if (typeof value === 'number') {
    const isWhole = Number.isSafeInteger(value) && value >= 0;
    return numericMembers !== 'string' && isWhole ? String(value) : null;
  }
  const isDigits = typeof value === 'string' && /^[0-9]{1,15}$/.test(value);
  return numericMembers !== 'number' && isDigits ? value : null;
}

/** A number in a request as digits, or null. OTP spec §4, HLR spec §4. */
export function readMobile(value: unknown, readings: Readings): string | null {
  const hasPlus = typeof value === 'string' && value.startsWith('+');
  if (hasPlus) return readings.acceptsPlus ? toDigits(value) : null;
  return toDigits(readNumeric(value, readings));
}

/** A whole number of seconds, or null. */
export function readSeconds(value: unknown, readings: Readings): number | null {
  const digits = readNumeric(value, readings);
  return digits === null ? null : Number(digits);
}
