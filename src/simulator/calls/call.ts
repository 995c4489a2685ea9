import { toDigits } from '../../protocol/mobile';
import { NumberLiteral } from '../http/answer';
import type { Readings } from '../readings';
import type { World } from '../state';
import { toDecimal, toMillionths } from '../state/ledger';

/** The calls of both documents. OTP spec §4, HLR spec §4. */
export const CALLS = [
  'auth',
  'generate',
  'validate',
  'balance',
  'pricing',
  'lookup',
  'hlr-balance',
  'hlr-pricing',
] as const;

export type Call = (typeof CALLS)[number];

/** A request once transport is out of the way. */
export interface CallRequest {
  /** The parsed body; null when it was no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** The token of the Authorization header; null when there is none. */
  readonly bearer: string | null;
  /** The id or the number at the end of the path; empty where the call has none. */
  readonly subject: string;
}

/** What a call comes to. */
export type Outcome = Done | Refused;

export interface Done {
  readonly kind: 'done';
  readonly httpStatus: 200 | 201;
  readonly payload: unknown;
}

export interface Refused {
  readonly kind: 'refused';
  readonly code: number;
  /** A status that stands whatever the readings say. */
  readonly httpStatus?: number;
  /** The request had no JSON object: HTTP 400. */
  readonly isUnreadable?: boolean;
}

/** A success that has no payload at all. */
export const NO_PAYLOAD = Symbol('no payload');

/** One call as a function of the world it changes. */
export type Handler = (world: World, request: CallRequest) => Outcome;

export function done(payload: unknown, httpStatus: 200 | 201 = 200): Outcome {
  return { kind: 'done', httpStatus, payload };
}

export function refuse(code: number): Outcome {
  return { kind: 'refused', code };
}

/** A number in an answer. OTP spec §2, HLR spec §2. */
export function showMobile(digits: string, { mobileAs }: Readings): unknown {
  if (mobileAs === 'number') return new NumberLiteral(digits);
  return mobileAs === 'plus' ? `+${digits}` : digits;
}

/** An OTP id of B, which is a JSON number of any size. OTP spec §2. */
export function showOtpId(id: string, { idAs }: Readings): unknown {
  return idAs === 'number' ? new NumberLiteral(id) : id;
}

/** An amount with as many decimals as this reading has. OTP spec §2, HLR spec §2. */
export function showAmount(amount: string, { moneyDecimals }: Readings): string {
  return toDecimal(toMillionths(amount), moneyDecimals);
}

/** The cost of an OTP. OTP spec §2. */
export function showCost(amount: string, readings: Readings): unknown {
  const shown = showAmount(amount, readings);
  return readings.costAs === 'number' ? new NumberLiteral(shown) : shown;
}

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
