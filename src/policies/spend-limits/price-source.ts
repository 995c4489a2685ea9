import { waitAtMost } from '../../client/call-limiter';
import { originOf } from '../../limits/number-country';
import type { PolicyContext, PolicyServices } from '../../limits/policy';
import type { NetworkPrice, PriceList } from '../../protocol/account';
import type { CountryPrice } from '../../protocol/hlr';
import { loadRegions } from './country-names';
import {
  createPriceTable,
  findCountryPrice,
  findNetworkPrice,
  type FoundPrice,
  type PriceTable,
} from './price-table';
import type { FindPriceNetwork } from './spend-limits';

/** The joined price lists, kept for a while. */
export interface PriceSource {
  /** The newest table there is, or null. Never throws, and waits for nothing but the very first lists, a little. */
  read(tools: PolicyServices): Promise<PriceTable | null>;
}

/** A login waits so long for the first price lists; the fallback stands in for what comes later. */
const FIRST_WAIT_MS = 2_000;
/** After lists could not be had. */
const RETRY_SECONDS = 60;

/** What is told of lists that could not be had. */
const NO_LIST = { type: 'price-list-problem', problem: 'the price list could not be had', rows: 0 } as const;
const NO_LOOKUPS = { ...NO_LIST, problem: 'the price list of lookups could not be had' } as const;

/**
 * Keeps the price lists of one gateway: fresh for `refreshSeconds`, then used on while new ones are fetched, by one call at
 * a time. Old prices beat none, so a list that cannot be renewed is kept.
 */
export function createPriceSource(refreshSeconds: number, firstWaitMs = FIRST_WAIT_MS): PriceSource {
  let table: PriceTable | null = null;
  let nextLoadAtMs = -Infinity;
  let isLoading = false;
  let hasFailed = false;
  let patience: Promise<void> | undefined;

  async function load(tools: PolicyServices): Promise<void> {
    isLoading = true;
    // Whatever goes wrong with prices, a login goes on with what is known.
    const found = await fetchTable(tools).catch(() => null);
    isLoading = false;
    nextLoadAtMs = tools.now() + (found === null ? RETRY_SECONDS : refreshSeconds) * 1000;
    if (found === null && !hasFailed) tools.emit(NO_LIST);
    hasFailed = found === null;
    table = found ?? table;
    for (const problem of found?.problems ?? []) tools.emit({ type: 'price-list-problem', ...problem });
  }

  return {
    read: async (tools) => {
      if (!isLoading && tools.now() >= nextLoadAtMs) {
        const loading = load(tools);
        patience ??= waitAtMost(loading, firstWaitMs, () => new Error('late')).catch(goOn);
      }
      if (table === null) await patience;
      return table;
    },
  };
}

/** Null when there is no list of messages, or not one row in it that can be used. */
async function fetchTable(tools: PolicyServices): Promise<PriceTable | null> {
  const lists = await fetchLists(tools);
  if (lists === null) return null;
  const table = createPriceTable(lists.messages, lists.lookups, await loadRegions());
  const { networksByMcc, highestByCountry } = table;
  return networksByMcc.size + highestByCountry.size > 0 ? table : null;
}

interface Lists {
  readonly messages: PriceList<NetworkPrice>;
  readonly lookups: PriceList<CountryPrice> | null;
}

/** An account without lookups has no list of them: the table does without. */
async function fetchLists({ gateway, emit }: PolicyServices): Promise<Lists | null> {
  const [messages, lookups] = await Promise.allSettled([gateway.otp.pricing(), gateway.hlr.pricing()]);
  // The client tells why a call failed; what matters here is that there is no list.
  if (messages.status === 'rejected') return null;
  if (lookups.status === 'rejected') emit(NO_LOOKUPS);
  return { messages: messages.value, lookups: lookups.status === 'fulfilled' ? lookups.value : null };
}

function goOn(): void {
  // Who has waited long enough goes on without prices.
}

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
