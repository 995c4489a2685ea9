import { readDecimal } from '../../protocol/values';

/** Decimals of the account's currency that are counted: money is counted in whole millionths. */
const DECIMALS = 6;
/** The number of decimals of the prices in the documents. OTP spec §2. */
const SHOWN_DECIMALS = 4;

/**
 * Returns an amount in millionths. Null if it is not a plain decimal or too large to be exact (nine
 * thousand million units). A fraction of a millionth is rounded up, so that no price is read too
 * low.
 *
 * Not shown in OTP spec §2: `cost` as number or string; both are read.
 */
export function toMicros(amount: unknown): number | null {
  const decimal = readDecimal(amount);
  if (decimal === null) return null;
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.');
  const rest = /[1-9]/.test(fraction.slice(DECIMALS)) ? 1n : 0n;
  const size = BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0')) + rest;
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return Number(decimal.startsWith('-') ? -size : size);
}

/** Formats millionths with four decimals, or with up to six if four are not exact. */
export function toDecimal(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0{1,2}$/, '');
  const sign = micros < 0 ? '-' : '';
  return `${sign}${digits.slice(0, -DECIMALS)}.${fraction.padEnd(SHOWN_DECIMALS, '0')}`;
}
