/**
 * Decimals of the account's currency: money is counted in millionths, as bigint and never as a
 * float.
 */
const DECIMALS = 6;
const SCALE = 10n ** BigInt(DECIMALS);

/** Returns true for a decimal amount with up to 12 digits before the point and 6 behind it. */
export function isDecimal(amount: string): boolean {
  return /^-?[0-9]{1,12}(\.[0-9]{1,6})?$/.test(amount);
}

/** Reads a decimal string as millionths. @throws {RangeError} if it is not an amount. */
export function toMillionths(amount: string): bigint {
  if (!isDecimal(amount))
    throw new RangeError('An amount is a decimal string with at most 6 decimals');
  const [whole = '', fraction = ''] = amount.replace('-', '').split('.');
  const millionths = BigInt(whole) * SCALE + BigInt(fraction.padEnd(DECIMALS, '0'));
  return amount.startsWith('-') ? -millionths : millionths;
}

/** Writes millionths with a fixed number of decimals, rounded half away from zero. */
export function toDecimal(millionths: bigint, decimals: number): string {
  const unit = 10n ** BigInt(DECIMALS - decimals);
  const size = millionths < 0n ? -millionths : millionths;
  const rounded = (size + unit / 2n) / unit;
  const digits = String(rounded).padStart(decimals + 1, '0');
  const sign = millionths < 0n && rounded > 0n ? '-' : '';
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? sign + digits : `${sign}${whole}.${digits.slice(-decimals)}`;
}

/** The account's balance: one for text messages and lookups. OTP spec §2, HLR spec §2. */
export class Ledger {
  #millionths: bigint;

  constructor(balance: string) {
    this.#millionths = toMillionths(balance);
  }

  balance(decimals: number): string {
    return toDecimal(this.#millionths, decimals);
  }

  covers(price: string): boolean {
    return this.#millionths >= toMillionths(price);
  }

  charge(price: string): void {
    this.#millionths -= toMillionths(price);
  }
}
