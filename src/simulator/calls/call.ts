import { toDigits } from '../../protocol/mobile';
import { type CallName, PATHS } from '../../protocol/paths';
import type { Readings } from '../readings';
import { toDecimal, toMillionths } from '../state/ledger';

/** The calls of both documents. */
export const CALLS = Object.keys(PATHS) as CallName[];

export type Call = CallName;

/** The body of a request: an object with unchecked fields. */
export type Body = Readonly<Record<string, unknown>>;

/** A request without its transport. */
export interface CallRequest {
  /** The parsed body. Null if it was not a JSON object. */
  readonly body: Body | null;
  /** The token of the Authorization header. Null if there is none. */
  readonly bearer: string | null;
  /** The id or number at the end of the path. Empty if the call has none. */
  readonly subject: string;
}

export type Outcome = Done | RefusedCall;

export interface Done {
  readonly kind: 'done';
  readonly httpStatus: number;
  readonly payload: unknown;
}

export interface RefusedCall {
  readonly kind: 'refused';
  readonly code: number;
  /** Codes of further broken rules, listed after the first. */
  readonly furtherCodes?: readonly number[];
  /** A status that overrides the readings. */
  readonly httpStatus?: number;
  /** True if the request had no JSON object: HTTP 400. */
  readonly isUnreadable?: boolean;
}

/** Stands for a success without a payload. */
export const NO_PAYLOAD = Symbol('no payload');

export function done(payload: unknown, httpStatus = 200): Outcome {
  return { kind: 'done', httpStatus, payload };
}

export function refuse(code: number, furtherCodes: readonly number[] = []): Outcome {
  return { kind: 'refused', code, furtherCodes };
}

/**
 * A JSON number written digit by digit: a double cannot represent one above 2^53, nor the trailing
 * zeros of a price.
 */
export class NumberLiteral {
  constructor(readonly digits: string) {}
}

/** Formats a number for an answer. OTP spec §2, HLR spec §2. */
export function formatMobile(digits: string, readings: Readings): unknown {
  if (readings.mobileAs === 'number') return new NumberLiteral(digits);
  return readings.mobileAs === 'plus' ? `+${digits}` : digits;
}

/** Formats an OTP id of B, which is a JSON number of any size. OTP spec §2. */
export function formatOtpId(id: string, readings: Readings): unknown {
  return readings.idAs === 'number' ? new NumberLiteral(id) : id;
}

/** Formats `mcc`, `mnc`, `imsi`, `msc` or `countrycode`. OTP spec §2, HLR spec §2. */
export function formatNetworkCode(code: string, readings: Readings): unknown {
  const isNumber = readings.networkCodesAs === 'number' && /^\+?[0-9]+$/.test(code);
  return isNumber ? new NumberLiteral(String(BigInt(code.replace('+', '')))) : code;
}

/** Formats an amount with as many decimals as the readings have. OTP spec §2, HLR spec §2. */
export function formatAmount(amount: string, readings: Readings): string {
  return toDecimal(toMillionths(amount), readings.moneyDecimals);
}

/** Formats the cost of an OTP. OTP spec §2. */
export function formatCost(amount: string, readings: Readings): unknown {
  const formatted = formatAmount(amount, readings);
  return readings.costAs === 'number' ? new NumberLiteral(formatted) : formatted;
}

/** Reads a number in a request as digits, or null. OTP spec §4, HLR spec §4. */
export function readMobile(value: unknown, readings: Readings): string | null {
  const hasPlus = typeof value === 'string' && value.startsWith('+');
  if (hasPlus) return readings.acceptsPlus ? toDigits(value) : null;
  return toDigits(readNumeric(value, formOf('mobile', readings)));
}

/** Reads a whole number of seconds, or null. */
export function readSeconds(value: unknown, readings: Readings): number | null {
  const digits = readNumeric(value, formOf('validity', readings));
  return digits === null ? null : Number(digits);
}

type NumericForm = Extract<Readings['numericMembers'], string>;

function formOf(field: 'mobile' | 'validity', readings: Readings): NumericForm {
  const { numericMembers } = readings;
  return typeof numericMembers === 'string' ? numericMembers : numericMembers[field];
}

/**
 * Returns a "numeric" field as digits. Null if it is malformed or has the other form. OTP spec §4.
 */
function readNumeric(value: unknown, form: NumericForm): string | null {
  if (typeof value === 'number') {
    const isWhole = Number.isSafeInteger(value) && value >= 0;
    return form !== 'string' && isWhole ? String(value) : null;
  }
  const isDigits = typeof value === 'string' && /^[0-9]{1,15}$/.test(value);
  return form !== 'number' && isDigits ? value : null;
}
