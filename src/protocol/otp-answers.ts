import { isRecord, readDecimal, readText, readWholeNumber } from './envelope';
import { readDigits } from './mobile';
import type { Variant } from './paths';

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
