import { z } from 'zod';
import type { PolicyEvent, PolicyServices } from '../../limits/policy';
import { parseJson } from '../../stores/check-values';
import { SPENT } from './budgets';
import { toDecimal, toMicros } from './micros';

/** When the balance is reported. Amounts are millionths. */
export interface BalanceLevels {
  readonly warnBelow: number;
  readonly criticalBelow: number;
  /** How much the balance may fall without an explanation; null: that is never reported. */
  readonly unexplained: number | null;
}

/** What is known since the last check. Amounts are millionths. */
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
 * Returns a function that checks the balance when it is due, without a timer of its own. It throws what store and gateway
 * throw.
 *
 * Of all processes that share a store, one checks the balance each time and keeps what it saw as a note in the store. With
 * a store without notes each process only remembers its own checks, so that several may emit the same event.
 */
export function createBalanceWatch(levels: BalanceLevels, everySeconds: number) {
  let nextCheckAtMs = -Infinity;
  let own: BalanceState | null = null;
  const turn = { key: `${STATE_KEY}-turn`, windowSeconds: everySeconds, max: 1 };

  return async function checkBalance(services: PolicyServices): Promise<void> {
    const at = services.now();
    if (at < nextCheckAtMs) return;
    nextCheckAtMs = at + everySeconds * 1000;
    const { refusedBy, counts } = await services.counters.charge([turn, { ...SPENT, isOnlyRead: true }]);
    if (refusedBy !== null) {
      // Another process has checked; the next check may be this one's.
      nextCheckAtMs = at + (counts[0]?.resetSeconds ?? everySeconds) * 1000;
      return;
    }
    // Read after the counter: what is paid in between is explained at the next check.
    const balance = toMicros((await services.gateway.otp.balance()).balance);
    if (balance === null) return;
    const reading = { balance, spent: counts[1]?.count ?? 0, at };
    const { state, events } = assessBalance(levels, (await readState(services)) ?? own, reading);
    own = state;
    await services.notes?.write(STATE_KEY, JSON.stringify(state), STATE_TTL_SECONDS);
    for (const event of events) services.emit(event);
  };
}

async function readState({ notes }: PolicyServices): Promise<BalanceState | null> {
  // With a note that cannot be read, the watch begins anew.
  return stateSchema.safeParse(parseJson(await notes?.read(STATE_KEY))).data ?? null;
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
): { readonly state: BalanceState; readonly events: readonly PolicyEvent[] } {
  const explained = Math.max(0, reading.spent - (previous?.spent ?? reading.spent));
  const fallen = (previous?.balance ?? reading.balance) - reading.balance;
  const burnPerHour = findBurn(previous, reading, Math.max(explained, fallen));
  const level = findLevel(levels, previous?.level ?? 'good', reading.balance, burnPerHour);
  const gap = findGap(previous, reading, fallen - explained);
  const isUnexplained = levels.unexplained !== null && gap > levels.unexplained;
  // What has been reported is not reported again.
  const state = { ...reading, level, burnPerHour, gap: isUnexplained ? 0 : gap };
  const events = level === (previous?.level ?? 'good') ? [] : [toLevelEvent(level, reading.balance)];
  return { state, events: isUnexplained ? [...events, toSpendEvent(explained, gap)] : events };
}

/** Grows by unexplained amounts and shrinks when an explanation comes late: a message is counted a moment after it was paid. */
function findGap(previous: BalanceState | null, { spent }: BalanceReading, unexplained: number): number {
  const isCounterLost = previous === null || spent < previous.spent;
  return isCounterLost ? 0 : Math.max(0, previous.gap + unexplained);
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
  return isBelow(Math.max(warnBelow, burnPerHour * WARNING_HOURS), previous !== 'good') ? 'warning' : 'good';
}

function toLevelEvent(level: BalanceState['level'], balance: number): PolicyEvent {
  const amount = toDecimal(balance);
  return level === 'good'
    ? { type: 'balance-recovered', balance: amount }
    : { type: 'balance-low', level, balance: amount };
}

function toSpendEvent(explained: number, gap: number): PolicyEvent {
  return { type: 'unexplained-spend', spent: toDecimal(explained + gap), explained: toDecimal(explained) };
}
