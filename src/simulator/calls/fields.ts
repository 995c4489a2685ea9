import { toDigits } from '../../protocol/mobile';
import { NumberLiteral } from '../http/answer';
import type { Readings } from '../readings';
import { toDecimal, toMillionths } from '../state/ledger';

/** Formats a number for an answer. OTP spec §2, HLR spec §2. */
export function formatMobile(digits: string, { mobileAs }: Readings): unknown {
  if (mobileAs === 'number') return new NumberLiteral(digits);
  return mobileAs === 'plus' ? `+${digits}` : digits;
}

/** Formats an OTP id of B, which is a JSON number of any size. OTP spec §2. */
export function formatOtpId(id: string, { idAs }: Readings): unknown {
  return idAs === 'number' ? new NumberLiteral(id) : id;
}

/** Formats `mcc`, `mnc`, `imsi`, `msc` or `countrycode`. OTP spec §2, HLR spec §2. */
export function formatNetworkCode(code: string, { networkCodesAs }: Readings): unknown {
  const isNumber = networkCodesAs === 'number' && /^\+?[0-9]+$/.test(code);
  return isNumber ? new NumberLiteral(String(BigInt(code.replace('+', '')))) : code;
}

/** Formats an amount with as many decimals as the readings have. OTP spec §2, HLR spec §2. */
export function formatAmount(amount: string, { moneyDecimals }: Readings): string {
  return toDecimal(toMillionths(amount), moneyDecimals);
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

function formOf(field: 'mobile' | 'validity', { numericMembers }: Readings): NumericForm {
  return typeof numericMembers === 'string' ? numericMembers : numericMembers[field];
}

/** Returns a "numeric" field as digits; null when it is malformed or has the other form. OTP spec §4. */
function readNumeric(value: unknown, form: NumericForm): string | null {
  if (typeof value === 'number') {
    const isWhole = Number.isSafeInteger(value) && value >= 0;
    return form !== 'string' && isWhole ? String(value) : null;
  }
  const isDigits = typeof value === 'string' && /^[0-9]{1,15}$/.test(value);
  return form !== 'number' && isDigits ? value : null;
}
