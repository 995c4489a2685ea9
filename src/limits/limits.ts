import type { Counter } from '../stores/store';
import type { Limit, Limits, SendLimit } from './options';

export const DAY_SECONDS = 86_400;

/** Failures of a user in 30 days from which `guessing-slowly` is emitted. */
export const SLOW_GUESSING_FAILURES = 60;

/** Attempts at recovery codes in one pending login, and per day from one address block. */
const MAX_RECOVERY_ATTEMPTS = 5;
export const MAX_RECOVERY_ATTEMPTS_PER_DAY = 10;

/** The longest gap between two sends. */
const LONGEST_GAP_SECONDS = 300;

/** What a send is counted by. Numbers and prefixes are HMACs already. */
export interface SendKeys {
  readonly user: string;
  readonly number: string;
  readonly prefix: string;
  readonly address: string;
}

/** What a counter of a send limits. Decides the reason that is given when the counter refuses. */
export type SendCounterRole = 'failures' | 'lock' | 'gap' | 'limit' | 'new-number';

/** A counter of a send with its role. */
export interface SendCounter {
  readonly role: SendCounterRole;
  readonly counter: Counter;
}

/**
 * Returns all counters that one send is charged to, in one round trip: all or none.
 * @param gapSeconds The first gap between two sends. Each next one is twice as long, up to 300 s, until a success.
 * @param random From 0 to 1. Spreads every gap after the first, so that waiting clients do not come back together.
 */
export function sendCounters(
  limits: Limits,
  keys: SendKeys,
  gapSeconds: number,
  random: number,
): readonly SendCounter[] {
  const gaps = doubling(gapSeconds, LONGEST_GAP_SECONDS).map((gap, index) =>
    index === 0 ? gap : Math.min(LONGEST_GAP_SECONDS, Math.round(gap * (1 + random / 10))),
  );
  const { perUser, perNumber, perAddress, perPrefix, total } = limits;
  return [
    { role: 'failures', counter: { ...failureCounter(limits, keys.user), isOnlyRead: true } },
    { role: 'lock', counter: { ...lockCounter(limits, keys.user, 'sms'), isOnlyRead: true } },
    ...userOrNumberCounters(`user:${keys.user}`, perUser, gaps),
    ...userOrNumberCounters(`number:${keys.number}`, perNumber, gaps),
    limited(`sends:address:${keys.address}`, perAddress),
    newNumberCounter(keys, perPrefix),
    limited(`sends:prefix:${keys.prefix}`, perPrefix),
    limited('sends:total', total),
  ];
}

function userOrNumberCounters(
  subject: string,
  { max, perSeconds, maxPerDay, maxPerDayInAll }: SendLimit,
  gaps: readonly number[],
): readonly SendCounter[] {
  const day = { key: `sends:day:${subject}`, windowSeconds: DAY_SECONDS, max: maxPerDay };
  return [
    { role: 'gap', counter: { ...day, lock: { every: 1, seconds: gaps } } },
    limited(`sends:short:${subject}`, { max, perSeconds }),
    limited(`sends:all:${subject}`, { max: maxPerDayInAll, perSeconds: DAY_SECONDS }),
  ];
}

/** The tighter budget of a prefix. Numbers on which a code was once right are exempt. */
function newNumberCounter({ prefix, number }: SendKeys, perPrefix: Limits['perPrefix']): SendCounter {
  const { maxNeverVerified: max, perSeconds: windowSeconds } = perPrefix;
  const exemptBy = verifiedNumberCounter(number).key;
  return {
    role: 'new-number',
    counter: { key: `sends:prefix-new:${prefix}`, windowSeconds, max, exemptBy },
  };
}

function limited(key: string, { max, perSeconds: windowSeconds }: Limit): SendCounter {
  return { role: 'limit', counter: { key, windowSeconds, max } };
}

/**
 * Counts a user's attempts at codes that can be guessed (texts and typed factors) since the user's last success, in any
 * session. Without a window. When it is full, these factors are disabled for the user.
 */
export function failureCounter({ failures }: Limits, user: string): Counter {
  return { key: failuresKey(user), windowSeconds: null, max: failures.disableAfter };
}

/** Locks one factor of a user after each ten failures, for twice as long each time. A lock of one factor closes no other. */
export function lockCounter({ failures }: Limits, user: string, method: string): Counter {
  const { max, perSeconds } = failures;
  const lock = { every: max, seconds: doubling(perSeconds, DAY_SECONDS) };
  return { key: lockKey(user, method), windowSeconds: null, lock };
}

/** Counts a user's failures in 30 days. A success does not clear it, so that slow guessing shows. */
export function slowFailureCounter(user: string): Counter {
  return { key: `failures:slow:${user}`, windowSeconds: 30 * DAY_SECONDS };
}

/**
 * Limits attempts at a user's recovery codes: per pending login, and per day from one address block, so that no one at
 * another address can close recovery. The last counter is only watched.
 */
export function recoveryCounters(user: string, pendingId: string, address: string): readonly Counter[] {
  return [
    { key: `recovery:login:${pendingId}`, windowSeconds: 900, max: MAX_RECOVERY_ATTEMPTS },
    {
      key: `recovery:address:${user}:${address}`,
      windowSeconds: DAY_SECONDS,
      max: MAX_RECOVERY_ATTEMPTS_PER_DAY,
    },
    { key: `recovery:${user}`, windowSeconds: DAY_SECONDS },
  ];
}

/** Records that a code was right on this number. */
export function verifiedNumberCounter(number: string): Counter {
  return { key: `verified:number:${number}`, windowSeconds: null };
}

/**
 * Returns the keys that a full success of the user clears.
 * @param methods The factors whose locks it lifts.
 * @param number Null when the success proved no number.
 */
export function keysClearedBySuccess(
  user: string,
  methods: readonly string[],
  number: string | null,
): readonly string[] {
  const ofUser = [...failureKeys(user, methods), ...sinceSuccessKeys(`user:${user}`)];
  return number === null ? ofUser : [...ofUser, ...sinceSuccessKeys(`number:${number}`)];
}

/** Returns the keys of all counters of one user. */
export function keysOfUser(
  user: string,
  methods: readonly string[],
): { readonly failures: readonly string[]; readonly sends: readonly string[] } {
  const subject = `user:${user}`;
  return {
    failures: failureKeys(user, methods),
    sends: [...sinceSuccessKeys(subject), `sends:all:${subject}`],
  };
}

function failureKeys(user: string, methods: readonly string[]): readonly string[] {
  return [failuresKey(user), ...methods.map((method) => lockKey(user, method))];
}

export function lockKey(user: string, method: string): string {
  return `locks:${user}:${method}`;
}

function failuresKey(user: string): string {
  return `failures:${user}`;
}

function sinceSuccessKeys(subject: string): readonly string[] {
  return [`sends:day:${subject}`, `sends:short:${subject}`];
}

/** `doubling(30, 300)` is 30, 60, 120, 240, 300. */
function doubling(first: number, last: number): readonly number[] {
  return first >= last ? [last] : [first, ...doubling(first * 2, last)];
}
