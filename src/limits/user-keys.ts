import { createHash } from 'node:crypto';
import type { Purpose } from '../stores/store';

/**
 * The bucket of all browsers that are not known. Each known browser of a user is a bucket named by
 * its id.
 */
export const OTHER_BROWSERS = 'others';

/** A side: all known browsers of a user together, or all of the user's other browsers together. */
export type Side = 'known' | 'others';

const SIDES: readonly Side[] = ['others', 'known'];

/**
 * Names the bucket of a known browser: its id, and the second since 1970 from which it is known,
 * both as in its cookie.
 */
export function toBucket(browserId: string, knownAt: number): string {
  return `${browserId}.${knownAt.toString(36)}`;
}

/** Returns the id of a known browser, as its counters are named; `OTHER_BROWSERS` stays. */
export function browserIdOf(bucket: string): string {
  return bucket.split('.', 1)[0] ?? bucket;
}

/** Returns the second since 1970 from which the browser of a bucket is known. */
export function knownAtOf(bucket: string): number {
  return parseInt(bucket.slice(browserIdOf(bucket).length + 1), 36);
}

/** Names where live texts are: one pending login of a user and place has them. */
export function placeOf(purpose: Purpose, bucket: string): string {
  return `${purpose}:${browserIdOf(bucket)}`;
}

/** Returns the side on which a browser is counted. */
export function sideOf(bucket: string): Side {
  return bucket === OTHER_BROWSERS ? 'others' : 'known';
}

/**
 * The keys of all counters that belong to one user. `unlockUser`, `enableUser` and `forgetUser`
 * know a user's counters from this file alone: a key that is made elsewhere would outlive them.
 */
export const USER_KEYS = {
  /** The hundred: attempts on one side since the user's last success. */
  attempts: (user: string, side: Side) => `failures:${side}:${user}`,
  /** The ten of one factor in all other browsers, and their lock. */
  lock: (user: string, method: string) => `locks:${user}:${method}`,
  /** The ten of one known browser. When it is full, the browser is not known any more. */
  browser: (user: string, bucket: string) => `browser:${browserIdOf(bucket)}:${user}`,
  /** Counts seconds since 1970: browsers that are known from then or earlier are known no more. */
  cutOff: (user: string) => `browsers:cut-off:${user}`,
  /** The sixty: attempts of other browsers in 30 days, which no success clears. */
  slow: (user: string) => `failures:slow:${user}`,
  /** Attempts at recovery codes in a day. They are watched, and close nothing. */
  recovery: (user: string) => `recovery:user:${user}`,
  gap: (user: string, bucket: string) => `sends:gap:${browserIdOf(bucket)}:${user}`,
  day: (user: string, bucket: string) => `sends:day:user:${browserIdOf(bucket)}:${user}`,
  short: (user: string, bucket: string) => `sends:short:user:${browserIdOf(bucket)}:${user}`,
  all: (user: string, side: Side) => `sends:all:${side}:${user}`,
  stepUps: (user: string, side: Side) => `sends:step-ups:${side}:${user}`,
  unprovenNumbers: (user: string) => `sends:unproven-numbers:${user}`,
  enrollments: (user: string) => `enrollments:${user}`,
  /** Above zero for 400 days after the user has entered a code that was texted to the number. */
  proven: (user: string, number: string) => `proven:${pairOf(user, number)}`,
  /** Above zero for a day after a text to a number that was not proven for the user. */
  texted: (user: string, number: string) => `texted:${pairOf(user, number)}`,
};

/**
 * Names a user and a number together, and neither of them: `number` is an HMAC already, so that
 * without the app's secret nobody finds the pair.
 */
function pairOf(user: string, number: string): string {
  const pair = JSON.stringify([user, number]);
  return createHash('sha256').update(pair).digest('base64url').slice(0, 22);
}

/** Returns the keys that a full success in one bucket clears: failures, locks and sends. */
export function keysClearedBySuccess(
  user: string,
  methods: readonly string[],
  bucket: string,
): readonly string[] {
  const own =
    bucket === OTHER_BROWSERS
      ? methods.map((method) => USER_KEYS.lock(user, method))
      : [USER_KEYS.browser(user, bucket)];
  return [...attemptKeys(user), ...own, ...sinceSuccessKeys(user, bucket)];
}

/** Returns the keys of the attempts of both sides since the user's last success. */
export function attemptKeys(user: string): readonly string[] {
  return SIDES.map((side) => USER_KEYS.attempts(user, side));
}

/** Returns the keys of what refuses a user's codes: of the attempts, and of every lock. */
export function failureKeys(user: string, methods: readonly string[]): readonly string[] {
  return [...attemptKeys(user), ...lockKeys(user, methods)];
}

/** Returns the keys of a user's locks: one per factor, and the day's lock after slow guessing. */
export function lockKeys(user: string, methods: readonly string[]): readonly string[] {
  return [...methods.map((method) => USER_KEYS.lock(user, method)), USER_KEYS.slow(user)];
}

/** Returns the keys of a user's texts of the day: of known browsers, and of all others. */
export function totalKeys(user: string): readonly string[] {
  return SIDES.map((side) => USER_KEYS.all(user, side));
}

/** Returns the keys of what is counted of some of a user's known browsers. */
export function browserKeys(user: string, browserIds: readonly string[]): readonly string[] {
  return browserIds.flatMap((id) => [USER_KEYS.browser(user, id), ...sinceSuccessKeys(user, id)]);
}

/**
 * Returns the keys of what is lifted from a user besides locks: all send budgets, and the ten of
 * each known browser.
 */
export function liftableKeys(user: string, browserIds: readonly string[]): readonly string[] {
  return [
    ...sinceSuccessKeys(user, OTHER_BROWSERS),
    ...browserKeys(user, browserIds),
    ...totalKeys(user),
    ...SIDES.map((side) => USER_KEYS.stepUps(user, side)),
    USER_KEYS.unprovenNumbers(user),
    USER_KEYS.enrollments(user),
  ];
}

function sinceSuccessKeys(user: string, bucket: string): readonly string[] {
  return [USER_KEYS.gap(user, bucket), USER_KEYS.day(user, bucket), USER_KEYS.short(user, bucket)];
}
