import { waitAtMost } from '../../stores/with-timeout';
import { originOf } from '../../limits/number-country';
import type { PolicyContext, PolicyServices } from '../../limits/policy';
import { type FindNetwork, findNetwork } from '../network';
import { loadRegions } from './country-names';
import {
  createPriceTable,
  findCountryPrice,
  findNetworkPrice,
  type FoundPrice,
  type PriceTable,
} from './price-table';

/** The joined price lists, cached. */
export interface PriceSource {
  /** Returns the newest table, or null if there is none. Never throws, and waits only for the very first lists, briefly. */
  read(services: PolicyServices): Promise<PriceTable | null>;
}

/** How long a login waits for the first price lists. After that the fallback price counts. */
const FIRST_WAIT_MS = 2_000;
/** The time until lists are fetched again after a failure. */
const RETRY_SECONDS = 60;

const NO_LIST = {
  type: 'price-list-problem',
  problem: 'the price list could not be fetched',
  rows: 0,
} as const;
const NO_LOOKUPS = { ...NO_LIST, problem: 'the price list of lookups could not be fetched' } as const;

/**
 * Keeps the price lists of one gateway. After `refreshSeconds` they stay in use while one call fetches new ones. Lists that
 * cannot be renewed are kept, because old prices are better than none.
 */
export function createPriceSource(refreshSeconds: number, firstWaitMs = FIRST_WAIT_MS): PriceSource {
  let table: PriceTable | null = null;
  let nextLoadAtMs = -Infinity;
  let isLoading = false;
  let hasFailed = false;
  let firstWait: Promise<void> | undefined;

  async function load(services: PolicyServices): Promise<void> {
    isLoading = true;
    // Logins continue with the prices that are known, whatever goes wrong here.
    const found = await fetchTable(services).catch(() => null);
    isLoading = false;
    nextLoadAtMs = services.now() + (found === null ? RETRY_SECONDS : refreshSeconds) * 1000;
    if (found === null && !hasFailed) services.emit(NO_LIST);
    hasFailed = found === null;
    table = found ?? table;
    for (const problem of found?.problems ?? []) services.emit({ type: 'price-list-problem', ...problem });
  }

  return {
    read: async (services) => {
      if (!isLoading && services.now() >= nextLoadAtMs) {
        const loading = load(services);
        firstWait ??= waitAtMost(loading, firstWaitMs, () => new Error('late')).catch(continueWithoutPrices);
      }
      if (table === null) await firstWait;
      return table;
    },
  };
}

function continueWithoutPrices(): void {
  // The first wait is over: the fallback price counts until the lists arrive.
}

/** Returns null when there is no list of messages, or no usable row in it. */
async function fetchTable({ gateway, emit }: PolicyServices): Promise<PriceTable | null> {
  const [messages, lookups] = await Promise.allSettled([gateway.otp.pricing(), gateway.hlr.pricing()]);
  // The client's events report why a call failed; here it only matters that there is no list.
  if (messages.status === 'rejected') return null;
  // An account without lookups has no list of them; the table works without it.
  if (lookups.status === 'rejected') emit(NO_LOOKUPS);
  const countries = lookups.status === 'fulfilled' ? lookups.value : null;
  const table = createPriceTable(messages.value, countries, await loadRegions());
  return table.networksByMcc.size + table.highestByCountry.size > 0 ? table : null;
}

/** What a message costs at most, and how that was found. */
export interface PriceEstimate extends FoundPrice {
  /** ISO code; null for a number without a country. */
  readonly country: string | null;
  /** The table it was read from; null without one. */
  readonly table: PriceTable | null;
}

/** Estimates what a message costs: by its network if known, otherwise by its country, otherwise the fallback price. */
export async function estimatePrice(
  source: PriceSource,
  fallbackMicros: number,
  networkOf: FindNetwork | undefined,
  context: PolicyContext<unknown>,
): Promise<PriceEstimate> {
  const [table, { country }] = await Promise.all([source.read(context), originOf(context)]);
  const fallback: FoundPrice = { micros: fallbackMicros, confidence: 7 };
  if (table === null) return { ...fallback, country, table };
  const network = await findNetwork(networkOf, context);
  const onNetwork = network && findNetworkPrice(table, network);
  return { ...(onNetwork ?? findCountryPrice(table, country, context.mobile) ?? fallback), country, table };
}
