/**
 * Returns the digits of an E.164 number as requests contain them: 7 to 15 digits, the first not
 * zero, no plus. One leading plus is removed. Null if it is invalid. OTP spec §4, HLR spec §4.
 *
 * Not shown in OTP spec §4: how few digits a number may have. 7 are required.
 */
export function toDigits(mobile: unknown): string | null {
  if (typeof mobile !== 'string') return null;
  const digits = mobile.startsWith('+') ? mobile.slice(1) : mobile;
  return /^[1-9][0-9]{6,14}$/.test(digits) ? digits : null;
}

/**
 * Returns the digits of a number in an answer, or null. Not shown in OTP spec §2: whether `mobile`
 * is a number or a string, and whether it has a plus. All forms are read.
 */
export function readDigits(mobile: unknown): string | null {
  return toDigits(
    typeof mobile === 'number' && Number.isSafeInteger(mobile) ? String(mobile) : mobile,
  );
}

/** The message for an invalid number of the caller. It follows the field's name. */
export const MOBILE_PROBLEM = 'must be an E.164 number: 7 to 15 digits, with or without a plus';
