import type { z } from 'zod';
import { BoundedMap } from '../../bounded-map';
import {
  callback,
  parseOptions,
  policyMode,
  strictOptions,
  wholeNumber,
} from '../../define-options';
import { originOf, toKnownCountry } from '../../limits/number-country';
import type { NumberContext, Policy, PolicyContext, PolicyServices } from '../../limits/policy';
import { waitAtMost } from '../../stores/with-timeout';
import { type FindNetwork, findNetwork } from '../network';
import {
  addToBudgets,
  amount,
  budgetsSchema,
  claimReport,
  findProven,
  readSpent,
  recordSpend,
  reserve,
  type Reserved,
  settle,
  type SpentBudget,
} from './budgets';
import { toDecimal, toMicros } from './micros';
import {
  createPriceTable,
  findCountryPrice,
  findLookupPrice,
  findNetworkPrice,
  type FoundPrice,
  loadRegions,
  type PriceTable,
} from './price-table';

const schema = strictOptions({
  /** The price to assume if none is known: a decimal string above 0. */
  fallbackPrice: amount.refine((micros) => micros > 0, 'must be above 0'),
  /**
   * The highest price of a message, as a decimal string. Dearer messages are denied. Default: no
   * limit.
   */
  maxPricePerMessage: amount.optional(),
  budgets: budgetsSchema.prefault({}),
  /** Seconds until price lists are fetched again, 21,600 to 86,400. Default: 21,600. */
  refreshSeconds: wholeNumber(21_600, 86_400).default(21_600),
  /**
   * Returns the network of a number. If it throws, the network is unknown. Default: the price of
   * the country's most expensive network.
   */
  networkOf: callback<FindNetwork>().optional(),
  /** `enforce` or `report`. Default: `report`. */
  mode: policyMode('report'),
});

/** Options of `spendLimits`. Unknown fields are errors. */
export type SpendLimitsOptions = z.input<typeof schema>;

/**
 * Limits the cost of messages: of each message, and of all messages of a day or month in total, per
 * country and per user. The price comes from the gateway's price lists, without a lookup. It is
 * reserved together with the send, all or nothing, and corrected afterwards (variant B reports the
 * actual cost). So a budget is never exceeded by more than the messages in flight.
 *
 * Use one per app: two would count twice under the same keys.
 * @throws {TypeError} that names the option.
 * @see OTP spec §4, GET pricing
 */
export function spendLimits(options: SpendLimitsOptions): Policy<unknown> {
  const settings = parseOptions('spendLimits', schema, options);
  const { maxPricePerMessage = Infinity, budgets, fallbackPrice, networkOf, mode } = settings;
  const source = createPriceSource(settings.refreshSeconds);
  const sends = new WeakMap<PolicyContext<unknown>, Send>();
  const reportedTables = new WeakSet<PriceTable>();
  const reportedBudgets = new BoundedMap<string, true>(REMEMBERED_REPORTS);

  /**
   * Finds the price of a send once, so that the price that is checked is also reserved and settled,
   * for the day of the check.
   */
  async function findSend(context: PolicyContext<unknown>): Promise<Send> {
    const known = sends.get(context);
    if (known !== undefined) return known;

    const [price, isProven] = await Promise.all([findPrice(context), findProven(budgets, context)]);
    const { userId, now } = context;
    const reservation = { userId, nowMs: now(), isProven, ...price };
    const send = { ...price, charges: reserve(budgets, reservation) };
    sends.set(context, send);
    return send;
  }

  /**
   * Estimates the cost of a message: by its network if known, otherwise by its country, otherwise
   * by the fallback price.
   */
  async function findPrice(context: PolicyContext<unknown>): Promise<Omit<Send, 'charges'>> {
    const [table, origin] = await Promise.all([source.read(context), originOf(context)]);
    const { country } = origin;
    const fallback: FoundPrice = { micros: fallbackPrice, confidence: 7 };
    if (table === null) return { ...fallback, country, table };

    const network = await findNetwork(networkOf, context);
    const onNetwork = network && findNetworkPrice(table, network);
    // If the country is not known, use the highest price of the calling code.
    const known = toKnownCountry(origin);
    return {
      ...(onNetwork ?? findCountryPrice(table, known, context.mobile) ?? fallback),
      country,
      table,
    };
  }

  /** Returns the cost of a lookup. If the lookup does not report it, the price list has it. */
  async function findLookupCost(context: NumberContext, cost: string | null) {
    const { country } = await originOf(context);
    const table = cost === null ? await source.read(context) : null;
    const listed = table && findLookupPrice(table, country, context.mobile);
    return { country, micros: Math.max(0, toMicros(cost) ?? listed ?? 0) };
  }

  /** Emits once per day or month that a budget is nearly used up. */
  async function report(context: NumberContext, near: readonly SpentBudget[]): Promise<void> {
    const { userId, counters, emit } = context;
    for (const found of near) {
      const { counter, budget, scope, isProven } = found;
      if (reportedBudgets.get(counter.key) === true) continue;
      const isFirst = await claimReport(counters, found);
      reportedBudgets.set(counter.key, true);
      if (!isFirst) continue;

      const [spent, max] = [toDecimal(found.spent), toDecimal(counter.max)];
      emit({ type: 'budget-near', userId, budget, scope, isProven, spent, max });
    }
  }

  return {
    name: 'spend-limits',
    stage: 'send',
    mode,
    needsClient: true,
    needsLookup: networkOf !== undefined,
    check: async (context) => {
      // Find the price again: a lookup may have found the network meanwhile.
      sends.delete(context);
      const { micros, confidence, country } = await findSend(context);
      if (micros <= maxPricePerMessage) return 'allow';

      const most = toDecimal(maxPricePerMessage);
      const price = `the message costs ${toDecimal(micros)}, the limit is ${most}`;
      return {
        deny: 'denied',
        reasons: [price, `country ${country ?? 'unknown'}`, `confidence ${confidence}`],
      };
    },
    charges: async (context) => (await findSend(context)).charges,
    settle: async (context, settlement) => {
      const send = await findSend(context);
      const { table, confidence, micros } = send;

      // Prices of a list are the highest that a message costs. If one costs more, the list is
      // outdated or was misread.
      const hasCostMore = confidence !== 7 && readSpent(micros, settlement) > micros;
      if (table !== null && hasCostMore && !reportedTables.has(table)) {
        reportedTables.add(table);
        context.emit({
          type: 'price-list-problem',
          problem: 'a message cost more than its price',
          rows: 1,
        });
      }

      await report(context, await settle(context.counters, send, settlement));
    },
    spent: async (context, cost) => {
      const { counters, userId, now } = context;
      const { country, micros } = await findLookupCost(context, cost);
      if (cost === null) await recordSpend(counters, toDecimal(micros));
      // Treat the number as proven after a right code.
      const isProven = !('provenKeys' in context) || (await findProven(budgets, context));
      const charges = reserve(budgets, { userId, country, isProven, micros, nowMs: now() });
      await report(context, await addToBudgets(counters, charges, micros));
    },
  };
}

/**
 * The state of one send while the policy handles it: its highest price, and where that was found.
 */
interface Send extends FoundPrice, Reserved {
  /** The ISO code. Null for a number without a country. */
  readonly country: string | null;
  /** The table that the price was read from. Null without one. */
  readonly table: PriceTable | null;
}

/** How many reported budgets this process remembers. The store knows the others. */
const REMEMBERED_REPORTS = 1_000;

/** How long a login waits for the first price lists. After that the fallback price is used. */
const FIRST_WAIT_MS = 2_000;
/** The time until lists are fetched again after a failure. */
const RETRY_SECONDS = 60;

/**
 * Keeps the price lists of one gateway. After `refreshSeconds` the old lists stay in use while one
 * call fetches new ones. If that fails they are kept too, because old prices are better than none.
 */
export function createPriceSource(refreshSeconds: number, firstWaitMs = FIRST_WAIT_MS) {
  let table: PriceTable | null = null;
  let nextLoadAtMs = -Infinity;
  let isLoading = false;
  let hasFailed = false;
  let firstWait: Promise<void> | undefined;

  async function load(services: PolicyServices): Promise<void> {
    isLoading = true;
    // Ignore a failure: logins continue with the known prices.
    const found = await fetchTable(services).catch(() => null);

    isLoading = false;
    nextLoadAtMs = services.now() + (found === null ? RETRY_SECONDS : refreshSeconds) * 1000;
    if (found === null && !hasFailed) reportMissing(services, 'the price list');
    hasFailed = found === null;
    table = found ?? table;

    for (const problem of found?.problems ?? [])
      services.emit({ type: 'price-list-problem', ...problem });
  }

  return {
    /**
     * Returns the newest table. Null if there is none. Never throws, and waits briefly for the very
     * first lists only.
     */
    read: async (services: PolicyServices): Promise<PriceTable | null> => {
      if (!isLoading && services.now() >= nextLoadAtMs) {
        const loading = load(services);
        // After the first wait the fallback price is used until the lists arrive.
        firstWait ??= waitAtMost(loading, firstWaitMs, () => new Error('late')).catch(
          () => undefined,
        );
      }

      if (table === null) await firstWait;
      return table;
    },
  };
}

function reportMissing(services: PolicyServices, list: string): void {
  services.emit({ type: 'price-list-problem', problem: `${list} could not be fetched`, rows: 0 });
}

/** Returns null if there is no list of messages, or no usable row in it. */
async function fetchTable(services: PolicyServices): Promise<PriceTable | null> {
  const { otp, hlr } = services.gateway;
  const [messages, lookups] = await Promise.allSettled([otp.pricing(), hlr.pricing()]);
  // The client's events report why a call failed.
  if (messages.status === 'rejected') return null;
  // An account without lookups has no list of them. The table works without it.
  if (lookups.status === 'rejected') reportMissing(services, 'the price list of lookups');

  const countries = lookups.status === 'fulfilled' ? lookups.value : null;
  const table = createPriceTable(messages.value, countries, await loadRegions());
  return table.networksByMcc.size + table.highestByCountry.size > 0 ? table : null;
}
