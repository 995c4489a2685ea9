/**
 * The bucket of all browsers that are not known. Each known browser of a user is a bucket named by
 * its id.
 */
export const OTHER_BROWSERS = 'others';

/** A side: all known browsers of a user together, or all of the user's other browsers together. */
export type Side = 'known' | 'others';

const SIDES: readonly Side[] = ['others', 'known'];

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
  /** The ten of one known browser. When it is full or locked, the browser is not known any more. */
  browser: (user: string, browserId: string) => `browser:${browserId}:${user}`,
  /** The sixty: attempts of other browsers in 30 days, which no success clears. */
  slow: (user: string) => `failures:slow:${user}`,
  /** Attempts at recovery codes in a day. They are watched, and close nothing. */
  recovery: (user: string) => `recovery:user:${user}`,
  /** Recorded when the last one of a set of recovery codes was spent. */
  spentCodes: (user: string) => `recovery:spent:${user}`,
  gap: (user: string, bucket: string) => `sends:gap:${bucket}:${user}`,
  day: (user: string, bucket: string) => `sends:day:user:${bucket}:${user}`,
  short: (user: string, bucket: string) => `sends:short:user:${bucket}:${user}`,
  all: (user: string, side: Side) => `sends:all:${side}:${user}`,
  stepUps: (user: string, side: Side) => `sends:step-ups:${side}:${user}`,
  unprovenNumbers: (user: string) => `sends:unproven-numbers:${user}`,
  enrollments: (user: string) => `enrollments:${user}`,
  /** Above zero for 400 days after the user has entered a code that was texted to the number. */
  proven: (user: string, number: string) => `proven:${user}:${number}`,
  /** Above zero for a day after a text to a number that was not proven for the user. */
  texted: (user: string, number: string) => `texted:${user}:${number}`,
};

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

/** Returns the keys of what keeps a user's codes disabled, which `enableUser` clears. */
export function disablingKeys(user: string, methods: readonly string[]): readonly string[] {
  return [...failureKeys(user, methods), USER_KEYS.spentCodes(user)];
}

/** Returns the keys of a user's locks: one per factor, and the day's lock after slow guessing. */
export function lockKeys(user: string, methods: readonly string[]): readonly string[] {
  return [...methods.map((method) => USER_KEYS.lock(user, method)), USER_KEYS.slow(user)];
}

/** Returns the keys of a user's texts of the day: of known browsers, and of all others. */
export function totalKeys(user: string): readonly string[] {
  return SIDES.map((side) => USER_KEYS.all(user, side));
}

/** Returns the keys of all send budgets of one user. */
export function sendKeys(user: string, browserIds: readonly string[]): readonly string[] {
  return [
    ...[OTHER_BROWSERS, ...browserIds].flatMap((bucket) => sinceSuccessKeys(user, bucket)),
    ...totalKeys(user),
    ...SIDES.map((side) => USER_KEYS.stepUps(user, side)),
    USER_KEYS.unprovenNumbers(user),
    USER_KEYS.enrollments(user),
  ];
}

function sinceSuccessKeys(user: string, bucket: string): readonly string[] {
  return [USER_KEYS.gap(user, bucket), USER_KEYS.day(user, bucket), USER_KEYS.short(user, bucket)];
}
