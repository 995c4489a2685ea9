import { originOf } from '../number-country';
import type { PolicyContext } from '../policy';
import { findCountryPrice, findNetworkPrice, type FoundPrice } from './find-price';
import type { FindPriceNetwork } from './price-options';
import type { PriceSource } from './price-source';
import type { PriceTable } from './price-table';

/** What a message will cost at worst, and how that is known. */
export interface PriceEstimate extends FoundPrice {
  /** ISO code; null for a number without a country. */
  readonly country: string | null;
  /** The list it was read from; null without one. */
  readonly table: PriceTable | null;
}

/** Estimates what a message costs: by its network where that is known, else by its country, else by the fallback. */
export function createPriceEstimate(
  source: PriceSource,
  fallbackMicros: number,
  networkOf: FindPriceNetwork | undefined,
): (context: PolicyContext<unknown>) => Promise<PriceEstimate> {
  return async (context) => {
    const { mobile } = context;
    const [table, { country }] = await Promise.all([source.read(context), originOf(context)]);
    const unknown: FoundPrice = { micros: fallbackMicros, confidence: 7 };
    if (table === null) return { ...unknown, country, table };
    const network = await findNetwork(networkOf, context);
    const onNetwork = network == null ? null : findNetworkPrice(table, network);
    return { ...(onNetwork ?? findCountryPrice(table, country, mobile) ?? unknown), country, table };
  };
}

async function findNetwork(
  networkOf: FindPriceNetwork | undefined,
  context: PolicyContext<unknown>,
): Promise<Awaited<ReturnType<FindPriceNetwork>>> {
  try {
    return await networkOf?.(context);
  } catch {
    // The dearest network of the country stands in for one that cannot be found out.
    return null;
  }
}
