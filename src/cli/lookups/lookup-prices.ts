import type { CountryPrice } from '../../client';
import { toMicros } from '../../policies/prices/micros';
import { CommandFailure } from '../failures';

/** What a lookup of a number costs at most, in millionths. */
export type PriceOfLookup = (mobile: string) => number;

/** Dialling codes have at most so many digits. */
const LONGEST_CODE = 7;

/**
 * The price by the longest dialling code that fits, the highest where countries share one, and the highest of all for a
 * code the list does not have. HLR spec §2.
 * @throws {CommandFailure} for a list without a price: nothing could be bounded by it.
 */
export function createLookupPrices(pricing: readonly CountryPrice[]): PriceOfLookup {
  const highest = new Map<string, number>();
  for (const { countryCode, price } of pricing) {
    const [code, micros] = [countryCode.replace(/^\+/, ''), toMicros(price)];
    if (micros !== null && micros >= 0) highest.set(code, Math.max(micros, highest.get(code) ?? 0));
  }
  const dearest = Array.from(highest.values()).reduce((most, micros) => Math.max(most, micros), -1);
  if (dearest < 0)
    throw new CommandFailure('The gateway has no prices of lookups.', 'No budget can be kept without.');
  return (mobile) => {
    for (let length = LONGEST_CODE; length > 0; length -= 1) {
      const micros = highest.get(mobile.slice(1, 1 + length));
      if (micros !== undefined) return micros;
    }
    return dearest;
  };
}
