import { readDecimal } from '../../protocol/envelope';

/** Money is counted in millionths of the account's currency, as whole numbers and never as fractions. */
const DECIMALS = 6;
/** Prices of the documents have so many. OTP spec §2. */
const SHOWN_DECIMALS = 4;

/**
 * Reads an amount as millionths, or null when it is no plain decimal or too large to count exactly (nine thousand million
 * units). What is finer than a millionth counts as a whole one, so that no price is taken for less than it is.
 *
 * Not shown in OTP spec §2: `cost` as number or string; both are read.
 */
export function toMicros(amount: unknown): number | null {
  const text = readDecimal(amount);
  if (text === null) return null;
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const rest = /[1-9]/.test(fraction.slice(DECIMALS)) ? 1n : 0n;
  const size = BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0')) + rest;
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return Number(text.startsWith('-') ? -size : size);
}

/** Writes millionths as a decimal with four decimals, or up to six where four do not say it all. */
export function toDecimal(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0{1,2}$/, '');
  const sign = micros < 0 ? '-' : '';
  return `${sign}${digits.slice(0, -DECIMALS)}.${fraction.padEnd(SHOWN_DECIMALS, '0')}`;
}
