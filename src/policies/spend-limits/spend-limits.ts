import { z } from 'zod';
import {
  byCountry,
  callback,
  parseOptions,
  policyMode,
  strictOptions,
  wholeNumber,
} from '../../define-options';
import {
  type Policy,
  type PolicyAnswer,
  type PolicyContext,
  type PolicyMode,
  type SendSettlement,
} from '../../limits/policy';
import { createBalanceWatch } from './balance-watch';
import { readSpent, reserve, type Reserved, settle } from './budgets';
import { toDecimal, toMicros } from './micros';
import { createPriceEstimate, createPriceSource, type PriceEstimate } from './price-source';
import type { Network, PriceTable } from './price-table';

/** Finds the network of a number, from a lookup that was made before; null when none is known. */
export type FindPriceNetwork = (
  context: PolicyContext<unknown>,
) => Network | null | undefined | Promise<Network | null | undefined>;

/**
 * One amount that each country may cost, or an amount by ISO code. The latter leaves other countries unbounded, and counts
 * territories with the country whose numbering they share, unless they are named too.
 */
export type CountryAmount = string | Readonly<Record<string, string>>;

/** Amounts are decimal strings in the gateway's currency. Days and months are those of UTC. Left out: no bound. */
export interface SpendBudgets {
  readonly daily?: string | undefined;
  readonly monthly?: string | undefined;
  readonly dailyPerCountry?: CountryAmount | undefined;
  readonly monthlyPerCountry?: CountryAmount | undefined;
  readonly dailyPerUser?: string | undefined;
  readonly monthlyPerUser?: string | undefined;
}

/** When the account's balance is told of. Amounts are decimal strings. */
export interface BalanceOptions {
  /** The least that is no warning. More when a day at the present rate costs more. Default: 0. */
  readonly warnBelow?: string | undefined;
  /** The least that is not critical. More when four hours at the present rate cost more. Default: 0. */
  readonly criticalBelow?: string | undefined;
  /** Seconds between two looks, 60 to 86,400. Default: 300. */
  readonly everySeconds?: number | undefined;
  /** What the balance may fall by without an explanation. Left out: unexplained spend is not told. */
  readonly unexplained?: string | undefined;
}

/** What `spendLimits` is made of. */
export interface SpendLimitsOptions {
  /** What a message counts as whose price is not known, a decimal string. */
  readonly fallbackPrice: string;
  /** A message that costs more is denied. Decimal string. */
  readonly maxPricePerMessage?: string | undefined;
  readonly budgets?: SpendBudgets | undefined;
  /** Left out: the balance is not looked at. */
  readonly balance?: BalanceOptions | undefined;
  /** Seconds after which price lists are fetched again, 21,600 to 86,400. Default: 21,600. */
  readonly refreshSeconds?: number | undefined;
  /** A throw counts as null. Default: no network is known, and the dearest one of a country counts. */
  networkOf?(context: PolicyContext<unknown>): ReturnType<FindPriceNetwork>;
  /** Default: `record`. */
  readonly mode?: PolicyMode | undefined;
}

const AMOUNT = 'must be a decimal string with at most 9 digits before the point and 6 after it';

const amount = z
  .string(AMOUNT)
  .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, AMOUNT)
  // The pattern admits nothing that cannot be counted.
  .transform((text) => toMicros(text) ?? 0);

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
  networkOf: callback<FindPriceNetwork>().optional(),
  mode: policyMode('report'),
});

/** The options, checked and complete, with amounts in millionths. */
export type PriceSettings = z.output<typeof schema>;

/** @throws {TypeError} that names the option and never shows a value. */
function readPriceOptions(options: SpendLimitsOptions): PriceSettings {
  return parseOptions('spendLimits', schema, options);
}

export type { Network } from './price-table';

/** What is known of one send on its way through the policy. */
interface Send {
  readonly price: PriceEstimate;
  readonly reserved: Reserved;
}

/**
 * Bounds what text messages cost: each by itself, and all of them in a day or a month, of the app, a country, a user. What a
 * message will cost is read from the gateway's price lists, which need no lookup; it is reserved with the send, all or
 * nothing, and put right afterwards (variant B tells the true cost), so that a budget is never exceeded by more than the
 * messages in flight. It also tells when the balance runs low, and when it falls by more than was sent for.
 *
 * Use one for an app: two would count twice under the same keys.
 * @throws {TypeError} that names the option.
 * @see OTP spec §4, GET pricing and GET balance
 */
export function spendLimits(options: SpendLimitsOptions): Policy<unknown> {
  const settings = readPriceOptions(options);
  const { maxPricePerMessage = Infinity, budgets, balance, fallbackPrice, mode } = settings;
  const source = createPriceSource(settings.refreshSeconds);
  const estimate = createPriceEstimate(source, fallbackPrice, settings.networkOf);
  const watch = balance && createBalanceWatch(balance, balance.everySeconds);
  const sends = new WeakMap<PolicyContext<unknown>, Send>();
  const toldDearer = new WeakSet<PriceTable>();

  /** The price that was judged is the one that is reserved and settled, on the day it was judged. */
  async function open(context: PolicyContext<unknown>): Promise<Send> {
    const known = sends.get(context);
    if (known !== undefined) return known;
    const price = await estimate(context);
    const { micros, country } = price;
    const charges = reserve(budgets, { userId: context.userId, country, micros, nowMs: context.now() });
    const send = { price, reserved: { micros, charges } };
    sends.set(context, send);
    return send;
  }

  /** What a list says is the most a message costs; when one has cost more, the list is old or was read wrongly. */
  function tellIfDearer(
    { price: { table, micros, confidence } }: Send,
    context: PolicyContext<unknown>,
    settlement: SendSettlement,
  ): void {
    if (table === null || confidence === 7 || toldDearer.has(table)) return;
    if (readSpent(micros, settlement) <= micros) return;
    toldDearer.add(table);
    context.emit({ type: 'price-list-problem', problem: 'a message cost more than its price', rows: 1 });
  }

  return {
    name: 'spend-limits',
    stage: 'send',
    mode,
    check: async (context) => judgePrice((await open(context)).price, maxPricePerMessage),
    charges: async (context) => (await open(context)).reserved.charges,
    settle: async (context, settlement) => {
      const send = await open(context);
      tellIfDearer(send, context, settlement);
      await settle(context.counters, send.reserved, settlement);
      await watch?.look(context);
    },
  };
}

function judgePrice({ micros, confidence, country }: PriceEstimate, maxMicros: number): PolicyAnswer {
  if (micros <= maxMicros) return 'allow';
  const price = `the message costs ${toDecimal(micros)}, the most is ${toDecimal(maxMicros)}`;
  return { deny: 'denied', reasons: [price, `country ${country ?? 'unknown'}`, `confidence ${confidence}`] };
}
