import type { z } from 'zod';
import { callback, parseOptions, policyMode, strictOptions, wholeNumber } from '../../define-options';
import type { Policy, PolicyAnswer, PolicyContext, SendSettlement } from '../../limits/policy';
import type { FindNetwork } from '../network';
import { createBalanceWatch } from './balance-watch';
import { amount, budgetsSchema, readSpent, reserve, type Reserved, settle } from './budgets';
import { toDecimal } from './micros';
import { createPriceSource, estimatePrice, type PriceEstimate } from './price-source';
import type { PriceTable } from './price-table';

const balance = strictOptions({
  /** A lower balance is a warning. Raised to what 24 hours cost at the present rate. Default: 0. */
  warnBelow: amount.prefault('0'),
  /** A lower balance is critical. Raised to what four hours cost at the present rate. Default: 0. */
  criticalBelow: amount.prefault('0'),
  /** Seconds between two checks, 60 to 86,400. Default: 300. */
  everySeconds: wholeNumber(60, 86_400).default(300),
  /** How much the balance may fall without an explanation. Default: unexplained spend is not reported. */
  unexplained: amount.nullable().default(null),
});

/** When the account's balance is reported. Amounts are decimal strings. */
export type BalanceOptions = z.input<typeof balance>;

const schema = strictOptions({
  /** The price of a message whose price is unknown, a decimal string. */
  fallbackPrice: amount,
  /** A message that costs more is denied. Decimal string. Default: no limit. */
  maxPricePerMessage: amount.optional(),
  budgets: budgetsSchema.prefault({}),
  /** Default: the balance is not checked. */
  balance: balance.optional(),
  /** Seconds until price lists are fetched again, 21,600 to 86,400. Default: 21,600. */
  refreshSeconds: wholeNumber(21_600, 86_400).default(21_600),
  /** Returns the network of a number. A throw counts as null. Default: the most expensive network of the country counts. */
  networkOf: callback<FindNetwork>().optional(),
  /** Default: `report`. */
  mode: policyMode('report'),
});

/** Options of `spendLimits`. Unknown fields are errors. */
export type SpendLimitsOptions = z.input<typeof schema>;

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
  const checkBalance = balance && createBalanceWatch(balance, balance.everySeconds);
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
      await checkBalance?.(context);
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
