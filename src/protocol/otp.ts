import { measureTemplate } from './message-length';
import { toDigits } from './mobile';
import type { Variant } from './paths';

/** Seconds of pin validity when the request names none. OTP spec §4, §8. */
export const DEFAULT_VALIDITY_SECONDS = 600;

/** The range variant A enforces with error 2110. OTP spec §8. The range of B is not shown. */
export const VALIDITY_RANGE_SECONDS = { min: 120, max: 1800 } as const;

/** OTP spec §4: the sender and the message when the request names none. */
export const DEFAULT_SENDER = 'SECUREPIN';
export const DEFAULT_MESSAGE = 'Please do not share your password pin. Your password pin is: [PIN]';

/** OTP spec §8: characters of a reference code, A only. */
export const REFERENCE_CODE_MAX = 50;

/** What `generate` takes. */
export interface GenerateInput {
  /** E.164, with or without one leading plus. */
  readonly mobile: string;
  /** 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits. Default: the gateway's (SECUREPIN). */
  readonly sender?: string | undefined;
  /** Seconds of pin validity. Default: the gateway's (600). A: 120 to 1800. */
  readonly validitySeconds?: number | undefined;
  /** Text with exactly one `[PIN]`, at most 160 GSM 7-bit septets or 70 UCS-2 units. Default: the gateway's. */
  readonly message?: string | undefined;
  /** The caller's own reference, up to 50 characters. Variant A only. */
  readonly referenceCode?: string | undefined;
}

/** A JSON number or a string of digits. Not shown in OTP spec §4: which form "numeric" means. */
export type NumbersAs = 'string' | 'number';

/** OTP spec §4, body of POST generate. */
export interface GenerateBody {
  readonly mobile: string | number;
  readonly sender?: string;
  readonly validity?: string | number;
  readonly message?: string;
  readonly reference_code?: string;
}

/** OTP spec §4, sender rule. */
export function isSender(sender: string): boolean {
  if (typeof sender !== 'string') return false;
  return /^[A-Za-z0-9 .-]{2,11}$/.test(sender) || /^[0-9]{14}$/.test(sender);
}

/**
 * Checks a generate request with the gateway's own rules and makes its body. OTP spec §4, §8.
 * @throws {TypeError} that names the member and never shows its value.
 */
export function toGenerateBody(
  variant: Variant,
  input: GenerateInput,
  numbersAs: NumbersAs,
  maxPinDigits: number,
): GenerateBody {
  const { sender, validitySeconds, message, referenceCode } = input;
  const numeric = numbersAs === 'number' ? Number : String;
  const mobile = numeric(requireDigits(input.mobile));
  checkSender(sender);
  checkValidity(variant, validitySeconds);
  checkMessage(message, maxPinDigits);
  checkReferenceCode(variant, referenceCode);
  return {
    mobile,
    ...(sender !== undefined && { sender }),
    ...(validitySeconds !== undefined && { validity: numeric(validitySeconds) }),
    ...(message !== undefined && { message }),
    ...(referenceCode !== undefined && { reference_code: referenceCode }),
  };
}

/** The digits of a number handed in by the caller. @throws {TypeError} when it is not an E.164 number. */
export function requireDigits(mobile: string): string {
  const digits = toDigits(mobile);
  if (digits === null)
    throw new TypeError('mobile must be an E.164 number: 7 to 15 digits, with or without a plus');
  return digits;
}

function checkSender(sender: string | undefined): void {
  if (sender !== undefined && !isSender(sender)) {
    throw new TypeError('sender must be 2 to 11 letters, digits, spaces, hyphens and dots, or 14 digits');
  }
}

/** Not shown in OTP spec §8: the range of B. 1 to 1800 seconds are admitted. */
function checkValidity(variant: Variant, seconds: number | undefined): void {
  if (seconds === undefined) return;
  const { min, max } = variant === 'A' ? VALIDITY_RANGE_SECONDS : { min: 1, max: VALIDITY_RANGE_SECONDS.max };
  if (!Number.isInteger(seconds) || seconds < min || seconds > max) {
    throw new TypeError(`validitySeconds must be a whole number from ${min} to ${max}`);
  }
}

function checkMessage(message: string | undefined, maxPinDigits: number): void {
  if (message === undefined) return;
  if (typeof message !== 'string') throw new TypeError('message must be a string');
  const problem = measureTemplate(message, maxPinDigits).problem;
  if (problem !== null) throw new TypeError(`message ${problem}`);
}

function checkReferenceCode(variant: Variant, referenceCode: string | undefined): void {
  if (referenceCode === undefined) return;
  if (variant === 'B') throw new TypeError('referenceCode exists in variant A only');
  if (typeof referenceCode !== 'string' || referenceCode.length > REFERENCE_CODE_MAX) {
    throw new TypeError(`referenceCode must be a string of at most ${REFERENCE_CODE_MAX} characters`);
  }
}

/** OTP spec §4, body of POST validate/{id}. */
export interface ValidateBody {
  readonly mobile: string | number;
  readonly pin: string;
}

/**
 * Checks a validate request and makes its body. OTP spec §4: the pin is a string of digits.
 * Not shown in OTP spec §4: how many; 4 to 10 are admitted.
 * @throws {TypeError} that names the member and never shows its value.
 */
export function toValidateBody(mobile: string, pin: string, numbersAs: NumbersAs): ValidateBody {
  const digits = requireDigits(mobile);
  if (typeof pin !== 'string' || !/^[0-9]{4,10}$/.test(pin))
    throw new TypeError('pin must be a string of 4 to 10 digits');
  return { mobile: numbersAs === 'number' ? Number(digits) : digits, pin };
}
