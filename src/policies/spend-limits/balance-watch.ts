import { z } from 'zod';
import type { PolicyEvent, PolicyTools } from '../../limits/policy';
import { parseJson } from '../../stores/check-values';
import { SPENT } from './budgets';
import { toDecimal, toMicros } from './micros';

/** When the balance is told of. Amounts are millionths. */
export interface BalanceAlarms {
  readonly warnBelow: number;
  readonly criticalBelow: number;
  /** What the balance may fall by without an explanation; null: that is never told. */
  readonly unexplained: number | null;
}

/** What is known of the balance since the last look. Amounts are millionths. */
export interface BalanceState {
  readonly level: 'good' | 'warning' | 'critical';
  readonly balance: number;
  /** What the ledger had when the balance was read. */
  readonly spent: number;
  /** What the balance has fallen by without an explanation. */
  readonly gap: number;
  readonly burnPerHour: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** One look at the account. */
export type BalanceReading = Pick<BalanceState, 'balance' | 'spent' | 'at'>;

const HOUR_MS = 3_600_000;
/** Money for so many hours, at the present rate, is little; and very little. */
const WARNING_HOURS = 24;
const CRITICAL_HOURS = 4;
/** A level is left again only a tenth above where it began, so that it does not flap. */
const HYSTERESIS = 10;

/** What a look at the balance changes, and what of it is told. */
export function judgeBalance(
  alarms: BalanceAlarms,
  previous: BalanceState | null,
  reading: BalanceReading,
): { readonly state: BalanceState; readonly events: readonly PolicyEvent[] } {
  const explained = Math.max(0, reading.spent - (previous?.spent ?? reading.spent));
  const fallen = (previous?.balance ?? reading.balance) - reading.balance;
  const burnPerHour = findBurn(previous, reading, Math.max(explained, fallen));
  const level = findLevel(alarms, previous?.level ?? 'good', reading.balance, burnPerHour);
  const gap = findGap(previous, reading, fallen - explained);
  const isUnexplained = alarms.unexplained !== null && gap > alarms.unexplained;
  // What has been told is not told again.
  const state = { ...reading, level, burnPerHour, gap: isUnexplained ? 0 : gap };
  const events = level === (previous?.level ?? 'good') ? [] : [toLevelEvent(level, reading.balance)];
  return { state, events: isUnexplained ? [...events, toSpendEvent(explained, gap)] : events };
}

/** Grows by what nobody explains and shrinks again by what is explained late: a message counts a moment after it was paid. */
function findGap(previous: BalanceState | null, { spent }: BalanceReading, unexplained: number): number {
  const isLedgerLost = previous === null || spent < previous.spent;
  return isLedgerLost ? 0 : Math.max(0, previous.gap + unexplained);
}

/** What is spent in an hour: the mean of about the last hour, the newest weighing most. */
function findBurn(previous: BalanceState | null, { at }: BalanceReading, spent: number): number {
  const hours = previous === null ? 0 : (at - previous.at) / HOUR_MS;
  const before = previous?.burnPerHour ?? 0;
  if (hours <= 0) return before;
  return Math.round(before + (hours / (hours + 1)) * (Math.max(0, spent) / hours - before));
}

function findLevel(
  { warnBelow, criticalBelow }: BalanceAlarms,
  previous: BalanceState['level'],
  balance: number,
  burnPerHour: number,
): BalanceState['level'] {
  const isBelow = (mark: number, isInside: boolean): boolean =>
    balance < (isInside ? mark + mark / HYSTERESIS : mark);
  const criticalMark = Math.max(criticalBelow, burnPerHour * CRITICAL_HOURS);
  if (isBelow(criticalMark, previous === 'critical')) return 'critical';
  return isBelow(Math.max(warnBelow, burnPerHour * WARNING_HOURS), previous !== 'good') ? 'warning' : 'good';
}

function toLevelEvent(level: BalanceState['level'], balance: number): PolicyEvent {
  const shown = toDecimal(balance);
  return level === 'good'
    ? { type: 'balance-recovered', balance: shown }
    : { type: 'balance-low', level, balance: shown };
}

function toSpendEvent(explained: number, gap: number): PolicyEvent {
  return { type: 'unexplained-spend', spent: toDecimal(explained + gap), explained: toDecimal(explained) };
}

/** Looks at the balance now and then, without a timer of its own. */
export interface BalanceWatch {
  /** Reads the balance when it is time to. @throws what store and gateway throw. */
  look(tools: PolicyTools): Promise<void>;
}

const STATE_KEY = 'spend-limits:balance';
/** Longer than anybody is without a login, and not for ever. */
const STATE_TTL_SECONDS = 40 * 86_400;

const whole = z.int();
const stateSchema = z.strictObject({
  level: z.enum(['good', 'warning', 'critical']),
  balance: whole,
  spent: whole,
  gap: whole,
  burnPerHour: whole,
  at: z.number(),
}) satisfies z.ZodType<BalanceState>;

/**
 * Of all processes that share a store one looks each time. What it saw is a note in the store; a store without notes leaves
 * each process with its own memory, so that several may tell the same.
 */
export function createBalanceWatch(alarms: BalanceAlarms, everySeconds: number): BalanceWatch {
  let nextLookAtMs = -Infinity;
  let own: BalanceState | null = null;
  const turn = { key: `${STATE_KEY}-turn`, windowSeconds: everySeconds, max: 1 };

  return {
    look: async (tools) => {
      const at = tools.now();
      if (at < nextLookAtMs) return;
      nextLookAtMs = at + everySeconds * 1000;
      const { refusedBy, counts } = await tools.counters.charge([turn, { ...SPENT, isOnlyRead: true }]);
      if (refusedBy !== null) {
        // Another process has looked: this one may be the next.
        nextLookAtMs = at + (counts[0]?.resetSeconds ?? everySeconds) * 1000;
        return;
      }
      // Read after the ledger: what is paid in between is explained at the next look.
      const balance = toMicros((await tools.gateway.otp.balance()).balance);
      if (balance === null) return;
      const reading = { balance, spent: counts[1]?.count ?? 0, at };
      const { state, events } = judgeBalance(alarms, (await readState(tools)) ?? own, reading);
      own = state;
      await tools.notes?.write(STATE_KEY, JSON.stringify(state), STATE_TTL_SECONDS);
      for (const event of events) tools.emit(event);
    },
  };
}

async function readState({ notes }: PolicyTools): Promise<BalanceState | null> {
  const parsed = stateSchema.safeParse(parseJson(await notes?.read(STATE_KEY)));
  // A note that cannot be read is no note: the watch begins anew.
  return parsed.success ? parsed.data : null;
}
