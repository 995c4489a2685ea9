import type { Policy, PolicyAnswer, PolicyContext, SendSettlement } from './policy';
import { createBalanceWatch } from './prices/balance-watch';
import { reserve } from './prices/budgets';
import { createPriceEstimate, type PriceEstimate } from './prices/estimate-price';
import { toDecimal } from './prices/micros';
import { readPriceOptions, type PriceCeilingOptions } from './prices/price-options';
import { createPriceSource } from './prices/price-source';
import type { PriceTable } from './prices/price-table';
import { readSpent, settle, type Reserved } from './prices/spend-ledger';

export type { Network } from './prices/find-price';
export type {
  BalanceOptions,
  CountryAmount,
  PriceBudgets,
  PriceCeilingOptions,
} from './prices/price-options';

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
export function priceCeiling(options: PriceCeilingOptions): Policy<unknown> {
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
    name: 'price-ceiling',
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
  return { deny: 'denied', because: [price, `country ${country ?? 'unknown'}`, `confidence ${confidence}`] };
}
