import type { Counter } from '../stores/store';
import type { Limits } from './options';

export const DAY_SECONDS = 86_400;

/**
 * The bucket of all browsers that are not known. Each known browser of a user is a bucket of its
 * own, named by its id.
 */
export const OTHER_BROWSERS = 'others';

/**
 * Failures of other browsers in 30 days from which `guessing-slowly` is emitted and each one locks
 * them for a day.
 */
export const SLOW_GUESSING_FAILURES = 60;

/** Attempts at recovery codes in one pending login, and per day from one address block. */
const MAX_RECOVERY_ATTEMPTS = 5;
export const MAX_RECOVERY_ATTEMPTS_PER_DAY = 10;

/**
 * Makes a counter. All have the same fields in the same order: a charge reads a dozen of them, and
 * engines read those fast.
 */
export function createCounter(
  key: string,
  windowSeconds: number | null,
  { amount, max, isOnlyRead, exemptBy, lock }: Partial<Counter> = {},
): Counter {
  return { key, windowSeconds, amount, max, isOnlyRead, exemptBy, lock };
}

/**
 * Returns what one attempt at a code that can be guessed is charged to. First the attempts of all
 * known browsers, or of all others; then what closes this browser, or this factor in all others;
 * last, for others, the failures of 30 days.
 */
export function guessCounters(
  limits: Limits,
  user: string,
  bucket: string,
  method: string,
): readonly Counter[] {
  const { failures } = limits;
  const side = createCounter(failuresKey(user, bucket), null, { max: failures.disableAfter });
  if (bucket !== OTHER_BROWSERS)
    return [side, createCounter(browserKey(user, bucket), null, { max: failures.max })];
  const lock = { every: failures.max, seconds: doubling(failures.perSeconds, DAY_SECONDS) };
  return [
    side,
    createCounter(lockKey(user, method), null, { lock }),
    createCounter(slowKey(user), 30 * DAY_SECONDS),
  ];
}

/** Returns counters that refuse like the given ones, and count nothing. */
export function readOnly(counters: readonly Counter[]): readonly Counter[] {
  return counters.map(({ key, windowSeconds, amount, max, exemptBy, lock }) =>
    createCounter(key, windowSeconds, { amount, max, exemptBy, lock, isOnlyRead: true }),
  );
}

/** Returns counters that report what is counted under these keys, and neither count nor refuse. */
export function readKeys(keys: readonly string[]): readonly Counter[] {
  return keys.map((key) => createCounter(key, null, { isOnlyRead: true }));
}

/** Returns the counter that gives back what was charged to another one. */
export function giveBackOf({ key, windowSeconds }: Counter): Counter {
  return createCounter(key, windowSeconds, { amount: -1 });
}

/**
 * Limits attempts at a user's recovery codes: per pending login, and per day from one address
 * block, so that no one at another address can close recovery. The last counter is only watched.
 */
export function recoveryCounters(
  user: string,
  pendingId: string,
  address: string,
): readonly Counter[] {
  return [
    createCounter(`recovery:login:${pendingId}`, 900, { max: MAX_RECOVERY_ATTEMPTS }),
    // No address block has a space in it.
    createCounter(`recovery:address:${address} ${user}`, DAY_SECONDS, {
      max: MAX_RECOVERY_ATTEMPTS_PER_DAY,
    }),
    createCounter(`recovery:user:${user}`, DAY_SECONDS),
  ];
}

/** Records that a user has spent the last one of a set of recovery codes. */
export function spentCodesCounter(user: string): Counter {
  return createCounter(`recovery:spent:${user}`, null);
}

/**
 * Counts the responses to a challenge of ours: it outlives the challenge, so that only the first
 * one is looked at.
 */
export function usedChallengeCounter(challenge: string): Counter {
  return createCounter(`challenge:${challenge}`, 900, { max: 1 });
}

/**
 * Returns the keys of the failures that a success in one bucket clears: those of both sides, and
 * the bucket's own.
 */
export function failureKeys(
  user: string,
  methods: readonly string[],
  bucket: string,
): readonly string[] {
  const own =
    bucket === OTHER_BROWSERS
      ? methods.map((method) => lockKey(user, method))
      : [browserKey(user, bucket)];
  return [failuresKey(user, OTHER_BROWSERS), failuresKey(user, 'known'), ...own];
}

/**
 * Counts attempts of all known browsers of a user together, or of all others, since the user's last
 * success.
 */
function failuresKey(user: string, bucket: string): string {
  return `failures:${sideOf(bucket)}:${user}`;
}

/** All known browsers of a user are one side, all others the other. */
export function sideOf(bucket: string): 'known' | 'others' {
  return bucket === OTHER_BROWSERS ? OTHER_BROWSERS : 'known';
}

/**
 * Counts a factor's failures in other browsers, and locks it. A lock of one factor closes no other.
 */
export function lockKey(user: string, method: string): string {
  return `locks:${user}:${method}`;
}

/**
 * Counts the failures of one known browser. When it is full or locked, the browser is not known any
 * more.
 */
export function browserKey(user: string, browserId: string): string {
  return `browser:${browserId}:${user}`;
}

/**
 * Takes a right code in another browser off the failures of 30 days: like every attempt, it was
 * charged before it was judged.
 */
export function rightCodeCounters(user: string, bucket: string): readonly Counter[] {
  if (bucket !== OTHER_BROWSERS) return [];
  return [createCounter(slowKey(user), 30 * DAY_SECONDS, { amount: -1 })];
}

/**
 * Counts the failures of other browsers in 30 days. A success does not clear it, so that slow
 * guessing shows.
 */
export function slowKey(user: string): string {
  return `failures:slow:${user}`;
}

/** `doubling(30, 300)` is 30, 60, 120, 240, 300. */
export function doubling(first: number, last: number): readonly number[] {
  const steps: number[] = [];
  for (let step = first; step < last; step *= 2) steps.push(step);
  return [...steps, last];
}
