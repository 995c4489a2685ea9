import { z } from 'zod';
import { strictOptions, wholeNumber } from '../../define-options';
import { chargeRows } from '../../limits/charge';
import type { PolicyEvent, PolicyServices } from '../../limits/policy';
import { parseJson } from '../../stores/check-values';
import { amount, SPENT } from './budgets';
import { toDecimal, toMicros } from './micros';

export const balanceSchema = strictOptions({
  /** A lower balance is a warning. Raised to what 24 hours cost at the present rate. Default: 0. */
  warnBelow: amount.prefault('0'),
  /**
   * A lower balance is critical. Raised to what four hours cost at the present rate. Default: 0.
   */
  criticalBelow: amount.prefault('0'),
  /** Seconds between two checks, 60 to 86,400. Default: 300. */
  everySeconds: wholeNumber(60, 86_400).default(300),
  /**
   * How much the balance may fall without an explanation. Default: unexplained spend is not
   * reported.
   */
  unexplained: amount.nullable().default(null),
});

/** When the account's balance is reported. Amounts are decimal strings. */
export type BalanceOptions = z.input<typeof balanceSchema>;

/** The levels of the options. Amounts are millionths. */
export type BalanceLevels = Omit<z.output<typeof balanceSchema>, 'everySeconds'>;

/** The state kept from one check to the next. Amounts are millionths. */
const stateSchema = z.strictObject({
  level: z.enum(['good', 'warning', 'critical']),
  balance: z.int(),
  /** The value of `SPENT` when the balance was read. */
  spent: z.int(),
  /** How much the balance has fallen without an explanation. */
  gap: z.int(),
  burnPerHour: z.int(),
  /** Milliseconds since 1970. */
  at: z.number(),
});

export type BalanceState = Readonly<z.output<typeof stateSchema>>;

/** One reading of the account. */
export type BalanceReading = Pick<BalanceState, 'balance' | 'spent' | 'at'>;

const STATE_KEY = 'spend-limits:balance';
/** Longer than an app is without any login, but not forever. */
const STATE_TTL_SECONDS = 40 * 86_400;

/**
 * Returns a function that checks the balance when it is due, without a timer of its own. It throws
 * what store and gateway throw.
 *
 * Of all processes that share a store, one checks the balance each time and keeps what it saw as a
 * note in the store. With a store without notes each process only remembers its own checks, so that
 * several may emit the same event.
 */
export function createBalanceWatch({ everySeconds, ...levels }: z.output<typeof balanceSchema>) {
  let nextCheckAtMs = -Infinity;
  let own: BalanceState | null = null;
  const turn = {
    counter: { key: `${STATE_KEY}-turn`, windowSeconds: everySeconds, max: 1 },
  };
  const spent = { counter: { ...SPENT, isOnlyRead: true } };

  return async function checkBalance(services: PolicyServices): Promise<void> {
    const at = services.now();
    if (at < nextCheckAtMs) return;
    nextCheckAtMs = at + everySeconds * 1000;
    const { refusedBy, rows } = await chargeRows(services.counters, [turn, spent]);
    if (refusedBy !== null) {
      // Another process has checked; the next check may be this one's.
      nextCheckAtMs = at + (refusedBy.count.resetSeconds ?? everySeconds) * 1000;
      return;
    }
    // Read after the counter: what is paid in between is explained at the next check.
    const balance = toMicros((await services.gateway.otp.balance()).balance);
    if (balance === null) return;
    const spentBefore = rows.find(({ row }) => row === spent)?.count.count ?? 0;
    const reading = { balance, spent: spentBefore, at };
    // With a note that cannot be read, the watch begins anew.
    const noted = stateSchema.safeParse(parseJson(await services.notes?.read(STATE_KEY))).data;
    const { state, events } = assessBalance(levels, noted ?? own, reading);
    own = state;
    await services.notes?.write(STATE_KEY, JSON.stringify(state), STATE_TTL_SECONDS);
    for (const event of events) services.emit(event);
  };
}

const HOUR_MS = 3_600_000;
/** A balance for fewer hours than these, at the present rate, is a warning or critical. */
const WARNING_HOURS = 24;
const CRITICAL_HOURS = 4;
/** A level ends a tenth above where it began, so that it does not flap. */
const HYSTERESIS = 10;

/** Returns the state after a reading, and the events to emit. */
export function assessBalance(
  levels: BalanceLevels,
  previous: BalanceState | null,
  reading: BalanceReading,
) {
  const explained = Math.max(0, reading.spent - (previous?.spent ?? reading.spent));
  const fallen = (previous?.balance ?? reading.balance) - reading.balance;
  const burnPerHour = findBurn(previous, reading, Math.max(explained, fallen));
  const level = findLevel(levels, previous?.level ?? 'good', reading.balance, burnPerHour);
  const isCounterLost = previous === null || reading.spent < previous.spent;
  // Shrinks when an explanation comes late: a message is counted a moment after it was paid.
  const gap = isCounterLost ? 0 : Math.max(0, previous.gap + fallen - explained);
  const isUnexplained = levels.unexplained !== null && gap > levels.unexplained;
  // Reset the gap, so that the same spend is not reported twice.
  const state = { ...reading, level, burnPerHour, gap: isUnexplained ? 0 : gap };
  const events: PolicyEvent[] = [];
  const amount = toDecimal(reading.balance);
  if (level === 'good' && (previous?.level ?? 'good') !== 'good')
    events.push({ type: 'balance-recovered', balance: amount });
  if (level !== 'good' && level !== previous?.level)
    events.push({ type: 'balance-low', level, balance: amount });
  if (isUnexplained)
    events.push({
      type: 'unexplained-spend',
      spent: toDecimal(explained + gap),
      explained: toDecimal(explained),
    });
  return { state, events };
}

/** Returns the spend per hour: a moving average over about the last hour. */
function findBurn(previous: BalanceState | null, { at }: BalanceReading, spent: number): number {
  const hours = previous === null ? 0 : (at - previous.at) / HOUR_MS;
  const before = previous?.burnPerHour ?? 0;
  if (hours <= 0) return before;
  return Math.round(before + (hours / (hours + 1)) * (Math.max(0, spent) / hours - before));
}

function findLevel(
  { warnBelow, criticalBelow }: BalanceLevels,
  previous: BalanceState['level'],
  balance: number,
  burnPerHour: number,
): BalanceState['level'] {
  const isBelow = (limit: number, isInside: boolean): boolean =>
    balance < (isInside ? limit + limit / HYSTERESIS : limit);
  const criticalLimit = Math.max(criticalBelow, burnPerHour * CRITICAL_HOURS);
  if (isBelow(criticalLimit, previous === 'critical')) return 'critical';
  return isBelow(Math.max(warnBelow, burnPerHour * WARNING_HOURS), previous !== 'good')
    ? 'warning'
    : 'good';
}
