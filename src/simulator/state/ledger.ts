import { toDecimal, toMillionths } from './money';

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
