import { z } from 'zod';
import {
  byCountry,
  callback,
  parseOptions,
  policyMode,
  strictOptions,
  wholeNumber,
} from '../../define-options';
import type { Policy, PolicyAnswer, PolicyContext, PolicyMode, SendSettlement } from '../../limits/policy';
import type { FindNetwork } from '../network';
import { createBalanceWatch } from './balance-watch';
import { readSpent, reserve, type Reserved, settle } from './budgets';
import { toDecimal, toMicros } from './micros';
import { createPriceSource, estimatePrice, type PriceEstimate } from './price-source';
import type { PriceTable } from './price-table';

/**
 * One amount for each country, or amounts by ISO code. The latter do not limit other countries, and count territories with
 * the country whose numbering plan they share, unless they are named too.
 */
export type CountryAmount = string | Readonly<Record<string, string>>;

/** Amounts are decimal strings in the gateway's currency. Days and months are those of UTC. Default: no limit. */
export interface SpendBudgets {
  readonly daily?: string | undefined;
  readonly monthly?: string | undefined;
  readonly dailyPerCountry?: CountryAmount | undefined;
  readonly monthlyPerCountry?: CountryAmount | undefined;
  readonly dailyPerUser?: string | undefined;
  readonly monthlyPerUser?: string | undefined;
}

/** When the account's balance is reported. Amounts are decimal strings. */
export interface BalanceOptions {
  /** A lower balance is a warning. Raised to what 24 hours cost at the present rate. Default: 0. */
  readonly warnBelow?: string | undefined;
  /** A lower balance is critical. Raised to what four hours cost at the present rate. Default: 0. */
  readonly criticalBelow?: string | undefined;
  /** Seconds between two checks, 60 to 86,400. Default: 300. */
  readonly everySeconds?: number | undefined;
  /** How much the balance may fall without an explanation. Default: unexplained spend is not reported. */
  readonly unexplained?: string | undefined;
}

/** Options of `spendLimits`. Unknown fields are errors. */
export interface SpendLimitsOptions {
  /** The price of a message whose price is unknown, a decimal string. */
  readonly fallbackPrice: string;
  /** A message that costs more is denied. Decimal string. Default: no limit. */
  readonly maxPricePerMessage?: string | undefined;
  readonly budgets?: SpendBudgets | undefined;
  /** Default: the balance is not checked. */
  readonly balance?: BalanceOptions | undefined;
  /** Seconds until price lists are fetched again, 21,600 to 86,400. Default: 21,600. */
  readonly refreshSeconds?: number | undefined;
  /** Returns the network of a number. A throw counts as null. Default: the most expensive network of the country counts. */
  readonly networkOf?: FindNetwork | undefined;
  /** Default: `report`. */
  readonly mode?: PolicyMode | undefined;
}

const AMOUNT = 'must be a decimal string with at most 9 digits before the point and 6 after it';

const amount = z
  .string(AMOUNT)
  .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, AMOUNT)
  // The pattern matches nothing that `toMicros` cannot read.
  .transform((decimal) => toMicros(decimal) ?? 0);

const COUNTRY_AMOUNT = 'must be a decimal string, or a record of them by ISO 3166-1 codes';

const countryAmount = z.union([amount, byCountry(amount, COUNTRY_AMOUNT)], COUNTRY_AMOUNT);

const budgets = strictOptions({
  daily: amount.optional(),
  monthly: amount.optional(),
  dailyPerCountry: countryAmount.optional(),
  monthlyPerCountry: countryAmount.optional(),
  dailyPerUser: amount.optional(),
  monthlyPerUser: amount.optional(),
});

const balance = strictOptions({
  warnBelow: amount.prefault('0'),
  criticalBelow: amount.prefault('0'),
  everySeconds: wholeNumber(60, 86_400).default(300),
  unexplained: amount.nullable().default(null),
});

const schema = strictOptions({
  fallbackPrice: amount,
  maxPricePerMessage: amount.optional(),
  budgets: budgets.prefault({}),
  balance: balance.optional(),
  refreshSeconds: wholeNumber(21_600, 86_400).default(21_600),
  networkOf: callback<FindNetwork>().optional(),
  mode: policyMode('report'),
});

/**
 * Limits what messages cost: each message, and all messages of a day or month, in total, per country and per user. The
 * price comes from the gateway's price lists, without a lookup. It is reserved together with the send, all or nothing, and
 * corrected afterwards (variant B reports the actual cost), so that a budget is never exceeded by more than the messages in
 * flight. Can also report a low balance, and a balance that falls by more than this installation has spent.
 *
 * Use one per app: two would count twice under the same keys.
 * @throws {TypeError} that names the option.
 * @see OTP spec §4, GET pricing and GET balance
 */
export function spendLimits(options: SpendLimitsOptions): Policy<unknown> {
  const settings = parseOptions('spendLimits', schema, options);
  const { maxPricePerMessage = Infinity, budgets, balance, fallbackPrice, networkOf, mode } = settings;
  const source = createPriceSource(settings.refreshSeconds);
  const watch = balance && createBalanceWatch(balance, balance.everySeconds);
  const sends = new WeakMap<PolicyContext<unknown>, Send>();
  const reportedTables = new WeakSet<PriceTable>();

  /** The price that was checked is also the one that is reserved and settled, on the day it was checked. */
  async function findSend(context: PolicyContext<unknown>): Promise<Send> {
    const known = sends.get(context);
    if (known !== undefined) return known;
    const price = await estimatePrice(source, fallbackPrice, networkOf, context);
    const { micros, country } = price;
    const charges = reserve(budgets, { userId: context.userId, country, micros, nowMs: context.now() });
    const send = { price, reserved: { micros, charges } };
    sends.set(context, send);
    return send;
  }

  /** Prices of a list are the most a message costs. If one costs more, the list is outdated or was misread. */
  function reportHigherCost(
    { price: { table, micros, confidence } }: Send,
    context: PolicyContext<unknown>,
    settlement: SendSettlement,
  ): void {
    if (table === null || confidence === 7 || reportedTables.has(table)) return;
    if (readSpent(micros, settlement) <= micros) return;
    reportedTables.add(table);
    context.emit({ type: 'price-list-problem', problem: 'a message cost more than its price', rows: 1 });
  }

  return {
    name: 'spend-limits',
    stage: 'send',
    mode,
    check: async (context) => checkPrice((await findSend(context)).price, maxPricePerMessage),
    charges: async (context) => (await findSend(context)).reserved.charges,
    settle: async (context, settlement) => {
      const send = await findSend(context);
      reportHigherCost(send, context, settlement);
      await settle(context.counters, send.reserved, settlement);
      await watch?.check(context);
    },
  };
}

/** What is known about one send while the policy handles it. */
interface Send {
  readonly price: PriceEstimate;
  readonly reserved: Reserved;
}

function checkPrice({ micros, confidence, country }: PriceEstimate, maxMicros: number): PolicyAnswer {
  if (micros <= maxMicros) return 'allow';
  const price = `the message costs ${toDecimal(micros)}, the most is ${toDecimal(maxMicros)}`;
  return { deny: 'denied', reasons: [price, `country ${country ?? 'unknown'}`, `confidence ${confidence}`] };
}
