import type { Counter, CounterStore } from '../../stores/store';
import type { PolicyCharge, SendSettlement } from '../policy';
import { toMicros } from './micros';

/** All that this installation is known to have spent, in millionths, whatever it was spent on. No window. */
export const SPENT: Counter = { key: 'price-ceiling:spent', windowSeconds: null };

/** What was reserved for a send. */
export interface Reserved {
  readonly micros: number;
  readonly charges: readonly PolicyCharge[];
}

/**
 * Puts right what was reserved before the send: the true cost takes the place of the estimate, and what was not sent costs
 * nothing. What may have been sent keeps its reservation.
 */
export async function settle(
  counters: CounterStore,
  { micros, charges }: Reserved,
  settlement: SendSettlement,
): Promise<void> {
  const spent = readSpent(micros, settlement);
  const corrected = charges.map(({ counter }) => correct(counter, spent - micros));
  const changed = [...corrected, { ...SPENT, amount: spent }].filter(({ amount }) => amount !== 0);
  if (changed.length > 0) await counters.charge(changed);
}

/** A correction is never refused: the money is gone already. */
function correct({ key, windowSeconds }: Counter, amount: number): Counter & { readonly amount: number } {
  return { key, windowSeconds, amount };
}

/** What a send has cost. Variant A does not tell, so that the estimate stands. */
export function readSpent(reserved: number, settlement: SendSettlement): number {
  if (settlement.kind === 'not-sent') return 0;
  const cost = settlement.kind === 'sent' ? toMicros(settlement.cost) : null;
  return cost !== null && cost >= 0 ? cost : reserved;
}

/**
 * Tells the ledger of money that went to anything but a text message, such as a lookup, so that the fall of the balance is
 * explained. Never throws. @param cost a decimal; what is none counts as nothing.
 */
export async function recordSpend(counters: CounterStore, cost: string | null): Promise<void> {
  const amount = toMicros(cost) ?? 0;
  if (amount <= 0) return;
  try {
    await counters.charge([{ ...SPENT, amount }]);
  } catch {
    // The money is spent all the same. At worst it is told as unexplained.
  }
}
