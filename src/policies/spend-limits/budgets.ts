import { withTerritories } from '../../limits/built-in';
import type { PolicyCharge, SendSettlement } from '../../limits/policy';
import type { Counter, CounterStore } from '../../stores/store';
import { toMicros } from './micros';

/** All that this installation is known to have spent, in millionths, whatever it was spent on. No window. */
export const SPENT: Counter = { key: 'spend-limits:spent', windowSeconds: null };

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

/** Amounts that may be spent, in millionths. Days and months are those of UTC. */
export interface Budgets {
  readonly daily?: number | undefined;
  readonly monthly?: number | undefined;
  /** One amount for each country, or an amount by ISO code. */
  readonly dailyPerCountry?: CountryBudget | undefined;
  readonly monthlyPerCountry?: CountryBudget | undefined;
  readonly dailyPerUser?: number | undefined;
  readonly monthlyPerUser?: number | undefined;
}

export type CountryBudget = number | Readonly<Record<string, number>>;

/** What is reserved for one message. */
export interface Reservation {
  readonly userId: string;
  /** ISO code; null for a number without a country. Those share the budget of one country. */
  readonly country: string | null;
  readonly micros: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

interface Period {
  readonly name: 'daily' | 'monthly';
  /** Names the day or month in keys. */
  readonly key: string;
  readonly windowSeconds: number;
}

/** A counter outlives its day by so much: processes whose clocks differ must not find it empty before the day is over. */
const CLOCK_SKEW_SECONDS = 600;

/** The counters of all budgets that a message counts for. A message that costs nothing counts for none. */
export function reserve(budgets: Budgets, reservation: Reservation): readonly PolicyCharge[] {
  if (reservation.micros === 0) return [];
  const { daily, monthly, dailyPerCountry, monthlyPerCountry, dailyPerUser, monthlyPerUser } = budgets;
  const [day, month] = findPeriods(reservation.nowMs);
  const { country, userId } = reservation;
  const plan: readonly (readonly [Period, string, number | undefined])[] = [
    [day, 'all', daily],
    [month, 'all', monthly],
    [day, ...findCountryBudget(country, dailyPerCountry)],
    [month, ...findCountryBudget(country, monthlyPerCountry)],
    [day, `user:${userId}`, dailyPerUser],
    [month, `user:${userId}`, monthlyPerUser],
  ];
  return plan.flatMap(([period, scope, max]) =>
    max === undefined ? [] : [toCharge(period, scope, max, reservation.micros)],
  );
}

function toCharge(
  { name, key, windowSeconds }: Period,
  scope: string,
  max: number,
  amount: number,
): PolicyCharge {
  const [kind = ''] = scope.split(':');
  return {
    counter: { key: `spend-limits:${key}:${scope}`, windowSeconds, amount, max },
    reason: kind === 'all' ? `the ${name} budget` : `the ${name} budget of the ${kind}`,
  };
}

/**
 * Whose budget a number draws on, and how much that is. A record bounds the countries it names, and with each the
 * territories that share its numbering, as one; others are free.
 */
function findCountryBudget(
  country: string | null,
  budget: CountryBudget | undefined,
): readonly [scope: string, amount: number | undefined] {
  if (typeof budget !== 'object') return [`country:${country ?? 'none'}`, budget];
  const named = Object.entries(budget);
  const [owner, amount] =
    named.find(([code]) => code === country) ??
    named.find(([code]) => withTerritories(code).some((territory) => territory === country)) ??
    [];
  return [`country:${owner ?? 'none'}`, amount];
}

function findPeriods(nowMs: number): readonly [Period, Period] {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const text = now.toISOString();
  const until = (endMs: number): number => Math.ceil((endMs - nowMs) / 1000) + CLOCK_SKEW_SECONDS;
  return [
    { name: 'daily', key: text.slice(0, 10), windowSeconds: until(Date.UTC(year, month, day + 1)) },
    { name: 'monthly', key: text.slice(0, 7), windowSeconds: until(Date.UTC(year, month + 1)) },
  ];
}
