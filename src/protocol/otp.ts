import { isRecord, readDecimal, readText, readWholeNumber } from './envelope';
import { isSender, measureTemplate } from './message-length';
import { readDigits, toDigits } from './mobile';
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

/** OTP spec §2, OTP object of variant A. Members the login does not decide on are null when missing or odd. */
export interface GeneratedA {
  readonly variant: 'A';
  readonly id: string;
  /** E.164 with plus. */
  readonly mobile: string;
  readonly sender: string | null;
  readonly validitySeconds: number | null;
  /** The text with `[PIN]` still in it. Not shown in OTP spec §2: `message` or `imessaged`; either is read. */
  readonly message: string | null;
  readonly referenceCode: string | null;
}

/** OTP spec §2, OTP object of variant B. */
export interface GeneratedB {
  readonly variant: 'B';
  readonly id: string;
  /** E.164 with plus. */
  readonly mobile: string;
  /** Decimal string. */
  readonly cost: string | null;
  /** As it came. Not shown in OTP spec §2: unit and epoch of `valid_until`, so nothing may be decided by it. */
  readonly validUntilRaw: unknown;
}

export type Generated = GeneratedA | GeneratedB;

/**
 * An OTP id that is safe in a URL path, or null. OTP spec §2.
 * A: any text of up to 256 characters without control characters, never "." or "..". B: a safe positive integer.
 * Not shown in OTP spec §2: whether B's id comes as a number or as digits; both are read, and whole numbers in A too.
 * A number beyond 2^53 has been rounded by the parser already and is refused.
 */
export function readOtpId(variant: Variant, id: unknown): string | null {
  const text = typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : id;
  if (typeof text !== 'string') return null;
  if (variant === 'B')
    return /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? text : null;
  const isSafe =
    text.length > 0 && text.length <= 256 && text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text);
  return isSafe && text !== '.' && text !== '..' ? text : null;
}

/** Reads the payload of a generate answer; null when id or number are not those of the request. OTP spec §2. */
export function readGenerated(variant: Variant, payload: unknown, askedDigits: string): Generated | null {
  if (!isRecord(payload)) return null;
  const id = readOtpId(variant, payload.id);
  if (id === null || readDigits(payload.mobile) !== askedDigits) return null;
  const mobile = `+${askedDigits}`;
  if (variant === 'B') {
    return {
      variant,
      id,
      mobile,
      cost: readDecimal(payload.cost),
      validUntilRaw: payload.valid_until ?? null,
    };
  }
  return {
    variant,
    id,
    mobile,
    sender: readText(payload.sender),
    validitySeconds: readWholeNumber(payload.validity),
    message: readText(payload.message) ?? readText(payload.imessaged),
    referenceCode: readText(payload.reference_code),
  };
}

/**
 * True when the payload of a validate answer says success: the empty string. OTP spec §4.
 * Not shown in OTP spec §1: null or an empty object in its place; both count. A missing member does not, unless it is accepted.
 */
export function isValidated(payload: unknown, hasPayload: boolean, acceptMissing: boolean): boolean {
  if (!hasPayload) return acceptMissing;
  return payload === '' || payload === null || (isRecord(payload) && Object.keys(payload).length === 0);
}
