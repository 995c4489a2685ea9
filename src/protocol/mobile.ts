/**
 * The digits of an E.164 number as the wire carries them: 7 to 15, the first not zero, no plus. OTP spec §4, HLR spec §4.
 * One leading plus is taken off. Anything else gives null.
 * Not shown in OTP spec §4: how short a number may be; 7 digits are the least.
 */
export function toDigits(mobile: unknown): string | null {
  if (typeof mobile !== 'string') return null;
  const digits = mobile.startsWith('+') ? mobile.slice(1) : mobile;
  return /^[1-9][0-9]{6,14}$/.test(digits) ? digits : null;
}

/**
 * The digits of a number in an answer.
 * Not shown in OTP spec §2: whether `mobile` is a number or a string, and whether it has a plus. All are read.
 */
export function readDigits(mobile: unknown): string | null {
  return toDigits(typeof mobile === 'number' && Number.isSafeInteger(mobile) ? String(mobile) : mobile);
}
