import type { Policy, PolicyServices } from 'passport-sms-otp';
import { readTotalSpend } from 'passport-sms-otp/policies';
import { z } from 'zod';

/** When the account's balance is reported. Amounts are decimal strings. */
export interface BalanceOptions {
  /** Called with each event. Must not throw. */
  readonly report: (event: BalanceEvent) => void;
  /** A lower balance is a warning. Raised to what 24 hours cost at the present rate. Default: 0. */
  readonly warnBelow?: string;
  /** A lower balance is critical. Raised to what four hours cost at the present rate. Default: 0. */
  readonly criticalBelow?: string;
  /** Seconds between two checks, 60 to 86,400. Default: 300. */
  readonly everySeconds?: number;
  /** How much the balance may fall without an explanation. Default: it is not reported. */
  readonly unexplained?: string;
}

/** Amounts are decimal strings in the gateway's currency. */
export type BalanceEvent =
  /** The balance fell below a level. */
  | {
      readonly type: 'balance-low';
      readonly level: 'warning' | 'critical';
      readonly balance: string;
    }
  | { readonly type: 'balance-recovered'; readonly balance: string }
  /** The balance fell by more than this installation has spent. */
  | { readonly type: 'unexplained-spend'; readonly spent: string; readonly explained: string };

/**
 * Adds to `spendLimits` a check of the account's balance: when a message is settled and the last
 * check is `everySeconds` ago, without a timer. Of all processes that share a store, one checks
 * each time, and what it saw is kept as a note in the store. It never denies a message.
 * @param limits What `spendLimits` returned: it counts the spend that explains a lower balance.
 * @throws {TypeError} that names the option.
 */
export function watchBalance(limits: Policy<unknown>, options: BalanceOptions): Policy<unknown> {
  const { report, everySeconds = 300 } = options;
  if (!Number.isInteger(everySeconds) || everySeconds < 60 || everySeconds > 86_400)
    throw new TypeError('watchBalance: everySeconds must be a whole number from 60 to 86400');
  const levels: BalanceLevels = {
    warnBelow: readOption('warnBelow', options.warnBelow ?? '0'),
    criticalBelow: readOption('criticalBelow', options.criticalBelow ?? '0'),
    unexplained:
      options.unexplained === undefined ? null : readOption('unexplained', options.unexplained),
  };
  let nextCheckAtMs = -Infinity;

  async function checkBalance(services: PolicyServices): Promise<void> {
    const at = services.now();
    if (at < nextCheckAtMs) return;
    nextCheckAtMs = at + everySeconds * 1000;
    const turn = { key: TURN_KEY, windowSeconds: everySeconds, max: 1 };
    const { refusedBy, counts } = await services.counters.charge([turn]);
    if (refusedBy !== null) {
      // Another process has checked; the next check may be this one's.
      nextCheckAtMs = at + (counts[0]?.resetSeconds ?? everySeconds) * 1000;
      return;
    }
    // Read before the balance: what is paid in between is explained at the next check.
    const spent = toMicros(await readTotalSpend(services.counters));
    const balance = toMicros((await services.gateway.otp.balance()).balance);
    if (spent === null || balance === null) return;
    const previous = parseState(await services.notes.read(STATE_KEY));
    const { state, events } = assessBalance(levels, previous, { balance, spent, at });
    await services.notes.write(STATE_KEY, JSON.stringify(state), STATE_SECONDS);
    for (const event of events) report(event);
  }

  return {
    ...limits,
    settle: async (context, settlement) => {
      // The message is counted as spent before the balance is read.
      await limits.settle?.(context, settlement);
      await checkBalance(context);
    },
  };
}

const TURN_KEY = 'balance-watch:turn';
const STATE_KEY = 'balance-watch:state';
/** Longer than an app is without any login, but not forever. */
const STATE_SECONDS = 40 * 86_400;

/** The levels of the options, in millionths. */
export interface BalanceLevels {
  readonly warnBelow: number;
  readonly criticalBelow: number;
  /** Null: unexplained spend is not reported. */
  readonly unexplained: number | null;
}

/** The state kept from one check to the next. Amounts are millionths. */
const stateSchema = z.strictObject({
  level: z.enum(['good', 'warning', 'critical']),
  balance: z.int(),
  /** The total spend when the balance was read. */
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

/** Returns null for a note that cannot be read: the watch then starts again. */
function parseState(note: string | null): BalanceState | null {
  try {
    return stateSchema.parse(JSON.parse(note ?? 'null'));
  } catch {
    return null;
  }
}

/** Returns the state after a reading, and the events to report. */
export function assessBalance(
  levels: BalanceLevels,
  previous: BalanceState | null,
  reading: BalanceReading,
): { readonly state: BalanceState; readonly events: readonly BalanceEvent[] } {
  const before = previous ?? { ...reading, level: 'good', gap: 0, burnPerHour: 0 };
  const explained = Math.max(0, reading.spent - before.spent);
  const fallen = before.balance - reading.balance;
  const burnPerHour = findBurn(before, reading, Math.max(explained, fallen));
  const level = findLevel(levels, before.level, reading.balance, burnPerHour);
  // Shrinks when an explanation comes late: a message is counted a moment after it was paid. A
  // total that has fallen was lost with the store.
  const isTotalLost = reading.spent < before.spent;
  const gap = isTotalLost ? 0 : Math.max(0, before.gap + fallen - explained);
  const isUnexplained = levels.unexplained !== null && gap > levels.unexplained;
  const events = listLevelEvents(before.level, level, toDecimal(reading.balance));
  if (isUnexplained)
    events.push({
      type: 'unexplained-spend',
      spent: toDecimal(explained + gap),
      explained: toDecimal(explained),
    });
  // Without the gap, so that the same spend is not reported twice.
  return { state: { ...reading, level, burnPerHour, gap: isUnexplained ? 0 : gap }, events };
}

function listLevelEvents(
  before: BalanceState['level'],
  level: BalanceState['level'],
  balance: string,
): BalanceEvent[] {
  if (level === before) return [];
  return [
    level === 'good'
      ? { type: 'balance-recovered', balance }
      : { type: 'balance-low', level, balance },
  ];
}

const HOUR_MS = 3_600_000;

/** Returns the spend per hour: a moving average over about the last hour. */
function findBurn(before: BalanceState, { at }: BalanceReading, spent: number): number {
  const hours = (at - before.at) / HOUR_MS;
  if (hours <= 0) return before.burnPerHour;
  const perHour = Math.max(0, spent) / hours;
  return Math.round(before.burnPerHour + (hours / (hours + 1)) * (perHour - before.burnPerHour));
}

/** A balance for fewer hours than these, at the present rate, is a warning or critical. */
const WARNING_HOURS = 24;
const CRITICAL_HOURS = 4;
/** A level ends a tenth above where it began, so that it does not flap. */
const HYSTERESIS = 10;

function findLevel(
  { warnBelow, criticalBelow }: BalanceLevels,
  before: BalanceState['level'],
  balance: number,
  burnPerHour: number,
): BalanceState['level'] {
  const isBelow = (limit: number, isInside: boolean): boolean =>
    balance < (isInside ? limit + limit / HYSTERESIS : limit);
  const criticalLimit = Math.max(criticalBelow, burnPerHour * CRITICAL_HOURS);
  if (isBelow(criticalLimit, before === 'critical')) return 'critical';
  const warningLimit = Math.max(warnBelow, burnPerHour * WARNING_HOURS);
  return isBelow(warningLimit, before !== 'good') ? 'warning' : 'good';
}

function readOption(name: string, amount: string): number {
  const micros = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(amount) ? toMicros(amount) : null;
  if (micros === null)
    throw new TypeError(
      `watchBalance: ${name} must be a decimal string with at most 9 digits before the point and ` +
        '6 after it',
    );
  return micros;
}

/**
 * Money is counted in whole millionths, never in fractions. Returns null for an amount that is not
 * a plain decimal or is too large to be exact.
 */
function toMicros(decimal: string): number | null {
  const [, sign, whole, fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(decimal) ?? [];
  const micros = Number(`${sign}${whole}${fraction.slice(0, 6).padEnd(6, '0')}`);
  return Number.isSafeInteger(micros) ? micros : null;
}

/** Formats millionths with four decimals, or with up to six where four are not exact. */
function toDecimal(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0{1,2}$/, '');
  return `${micros < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction}`;
}
