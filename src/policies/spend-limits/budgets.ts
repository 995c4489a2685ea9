import { z } from 'zod';
import { byCountry, strictOptions } from '../../define-options';
import { withTerritories } from '../../limits/built-in';
import { chargeRows, readKeys } from '../../limits/charge';
import type { PolicyCharge, PolicyContext, SendSettlement } from '../../limits/policy';
import type { Counter, CounterStore } from '../../stores/store';
import { toDecimal, toMicros } from './micros';

const AMOUNT = 'must be a decimal string with at most 9 digits before the point and 6 after it';

/** The schema of an amount: a decimal string, converted to millionths. */
export const amount = z
  .string(AMOUNT)
  .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/, AMOUNT)
  // `toMicros` can read everything that the pattern matches.
  .transform((decimal) => toMicros(decimal) ?? 0);

const COUNTRY_AMOUNT = 'must be a decimal string, or a record of them by ISO 3166-1 codes';

const countryAmount = z.union([amount, byCountry(amount, COUNTRY_AMOUNT)], COUNTRY_AMOUNT);

/**
 * One amount for each country, or amounts by ISO code. Amounts by code do not limit other
 * countries. They include territories that share the country's numbering plan, unless these are
 * named too.
 */
export type CountryAmount = z.input<typeof countryAmount>;

export const budgetsSchema = strictOptions({
  daily: amount.optional(),
  monthly: amount.optional(),
  dailyPerCountry: countryAmount.optional(),
  monthlyPerCountry: countryAmount.optional(),
  dailyPerUser: amount.optional(),
  monthlyPerUser: amount.optional(),
});

/**
 * Amounts are decimal strings in the gateway's currency. Days and months are those of UTC. Default:
 * no limit.
 */
export type SpendBudgets = z.input<typeof budgetsSchema>;

/** The budgets in millionths. */
export type Budgets = z.output<typeof budgetsSchema>;

/** A message whose price is to be reserved. */
interface Reservation {
  readonly userId: string;
  /**
   * The ISO code. Null for a number without a country: all such numbers share the budget of one
   * country.
   */
  readonly country: string | null;
  /** Whether the user has entered a code that was sent to the number. */
  readonly isProven: boolean;
  readonly micros: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** A budget that a message is charged to. */
export interface BudgetCharge extends PolicyCharge {
  readonly counter: Counter & { readonly max: number };
  readonly budget: Period['name'];
  /** `all`, `country FR` or `user`. */
  readonly scope: string;
  readonly isProven: boolean;
}

/**
 * Returns the counters of all budgets that a message is charged to. Messages to proven numbers have
 * their own budgets, so that messages to unproven numbers cannot use these up.
 */
export function reserve(budgets: Budgets, message: Reservation): readonly BudgetCharge[] {
  const { userId, country, isProven } = message;
  const [day, month] = findPeriods(message.nowMs);
  const plan: readonly (readonly [Period, string, number | undefined])[] = [
    [day, 'all', budgets.daily],
    [month, 'all', budgets.monthly],
    [day, ...findCountryBudget(country, budgets.dailyPerCountry)],
    [month, ...findCountryBudget(country, budgets.monthlyPerCountry)],
    [day, `user:${userId}`, budgets.dailyPerUser],
    [month, `user:${userId}`, budgets.monthlyPerUser],
  ];

  const side = isProven ? 'proven:' : '';
  return plan.flatMap(([{ name, key, windowSeconds }, scope, max]) => {
    if (max === undefined) return [];
    const [kind = '', ...rest] = scope.split(':');
    const of = kind === 'all' ? '' : ` of the ${kind}`;
    const reason = `the ${name} budget${of}${isProven ? ', proven numbers' : ''}`;
    const counter = { key: `spend-limits:${key}:${side}${scope}`, windowSeconds };

    return {
      counter: { ...counter, amount: message.micros, max },
      reason,
      budget: name,
      scope: kind === 'country' ? `country ${rest.join(':')}` : kind,
      isProven,
    };
  });
}

/**
 * Returns whether the context's number is proven for its user. False if no budget needs to know.
 */
export async function findProven(
  budgets: Budgets,
  context: Pick<PolicyContext, 'counters' | 'provenKeys'>,
): Promise<boolean> {
  if (Object.values(budgets).every((budget) => budget === undefined)) return false;
  const readCount = await readKeys(context.counters, context.provenKeys);
  return context.provenKeys.some((key) => readCount(key).count > 0);
}

/**
 * Returns the budget that a number is charged to, and its amount. A record limits each country that
 * it names, with the territories that share the country's numbering plan. Other countries are not
 * limited.
 */
function findCountryBudget(
  country: string | null,
  budget: Budgets['dailyPerCountry'],
): readonly [scope: string, amount: number | undefined] {
  if (typeof budget !== 'object') return [`country:${country ?? 'none'}`, budget];
  const named = Object.entries(budget);
  const [owner, amount] =
    named.find(([code]) => code === country) ??
    named.find(([code]) => withTerritories(code).some((territory) => territory === country)) ??
    [];
  return [`country:${owner ?? 'none'}`, amount];
}

interface Period {
  readonly name: 'daily' | 'monthly';
  /** Identifies the day or month in store keys. */
  readonly key: string;
  readonly windowSeconds: number;
}

/**
 * How long a counter outlives its day, so that a process with a slow clock does not find it empty
 * too early.
 */
const CLOCK_SKEW_SECONDS = 600;

function findPeriods(nowMs: number): readonly [Period, Period] {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const date = now.toISOString();
  const until = (endMs: number): number => Math.ceil((endMs - nowMs) / 1000) + CLOCK_SKEW_SECONDS;

  return [
    { name: 'daily', key: date.slice(0, 10), windowSeconds: until(Date.UTC(year, month, day + 1)) },
    { name: 'monthly', key: date.slice(0, 7), windowSeconds: until(Date.UTC(year, month + 1)) },
  ];
}

/** The reservation of a send. */
export interface Reserved {
  readonly micros: number;
  readonly charges: readonly BudgetCharge[];
}

/**
 * The money that this installation is known to have spent on messages and lookups, in millionths.
 * Has no window.
 */
const SPENT: Counter = { key: 'spend-limits:spent', windowSeconds: null };

/**
 * Corrects the sum that was reserved before the send: the actual cost replaces the estimate, and a
 * message that was not sent costs nothing. A message that may have been sent keeps its reservation.
 * Returns the budgets of which four fifths are used up.
 */
export async function settle(
  counters: CounterStore,
  reserved: Reserved,
  settlement: SendSettlement,
): Promise<readonly SpentBudget[]> {
  const { micros, charges } = reserved;
  const spent = readSpent(micros, settlement);
  const total = spent === 0 ? [] : [{ counter: { ...SPENT, amount: spent } }];
  return addToBudgets(counters, charges, spent - micros, total);
}

/** A budget and the used part of it, in millionths. */
export interface SpentBudget extends BudgetCharge {
  readonly spent: number;
}

/** The used part of a budget from which it is reported: four fifths. */
const NEAR = 0.8;

/**
 * Charges budgets with money that is already spent, so it is never refused. Returns the budgets of
 * which four fifths are used up.
 * @param more Counters to charge in the same store call.
 */
export async function addToBudgets(
  counters: CounterStore,
  charges: readonly BudgetCharge[],
  amount: number,
  more: readonly { readonly counter: Counter }[] = [],
): Promise<readonly SpentBudget[]> {
  const added = charges.map((charge) => {
    // Charge without a maximum, because the money is spent already.
    const { key, windowSeconds } = charge.counter;
    return { counter: { key, windowSeconds, amount }, charge };
  });

  if (added.length + more.length === 0) return [];
  const { rows } = await chargeRows(counters, [...added, ...more]);

  return rows.flatMap(({ row, count }) => {
    const charge = 'charge' in row ? row.charge : null;
    const isNear = charge !== null && count.count >= NEAR * charge.counter.max;
    return isNear ? [{ ...charge, spent: count.count }] : [];
  });
}

/** Returns whether this is the first report of a budget in its day or month. */
export async function claimReport(counters: CounterStore, charge: BudgetCharge): Promise<boolean> {
  const { key, windowSeconds } = charge.counter;
  const { refusedBy } = await counters.charge([{ key: `${key}:near`, windowSeconds, max: 1 }]);
  return refusedBy === null;
}

/** Returns the cost of a send. Variant A does not report it, so the estimate counts. */
export function readSpent(reserved: number, settlement: SendSettlement): number {
  if (settlement.kind === 'not-sent') return 0;
  const cost = settlement.kind === 'sent' ? toMicros(settlement.cost) : null;
  return cost !== null && cost >= 0 ? cost : reserved;
}

/**
 * Records money that was not spent on a message, such as the cost of a lookup, so that the fall of
 * the balance is explained. Never throws.
 * @param cost A decimal string. Anything else counts as nothing.
 */
export async function recordSpend(counters: CounterStore, cost: string | null): Promise<void> {
  const amount = toMicros(cost) ?? 0;
  if (amount <= 0) return;
  try {
    await counters.charge([{ ...SPENT, amount }]);
  } catch {
    // Ignore the error: the money is spent in any case. At worst the fall of the balance is
    // reported as unexplained.
  }
}

/**
 * Returns all money that this installation is known to have spent, as a decimal string in the
 * gateway's currency: messages that `spendLimits` has settled, and lookups of `numberLookups`. In
 * variant A messages count with their estimate. The sum never falls. It starts again 400 days after
 * the last payment, and when the store loses its data.
 *
 * Makes one round trip.
 * @param counters The counters, as in a policy's context.
 * @throws {StoreError} `ERR_STORE`
 */
export async function readTotalSpend(counters: CounterStore): Promise<string> {
  const readCount = await readKeys(counters, [SPENT.key]);
  return toDecimal(readCount(SPENT.key).count);
}
