import type { Counter, CounterStore, Purpose } from '../stores/store';
import type { AddressBlock } from './address-block';
import {
  browserKey,
  DAY_SECONDS,
  doubling,
  failureKeys,
  guessCounters,
  lockKey,
  OTHER_BROWSERS,
  readKeys,
  readOnly,
  sideOf,
  slowKey,
  createCounter,
} from './failures';
import type { Limit, Limits } from './options';

/** One bucket of each side. */
const SIDES = [OTHER_BROWSERS, 'known'];

const LONGEST_GAP_SECONDS = 300;

/** What a send is counted by. Numbers and prefixes are HMACs already. */
export interface SendKeys {
  readonly user: string;
  /**
   * Each known browser of a user is counted apart; all the others together are `OTHER_BROWSERS`.
   */
  readonly bucket: string;
  /** Whether there are known browsers: then the others have a smaller share of the day. */
  readonly hasKnownBrowsers: boolean;
  readonly purpose: Purpose;
  readonly number: string;
  readonly prefix: string;
  readonly addresses: readonly AddressBlock[];
  /** See `provenKeys`. */
  readonly provenKeys: readonly string[];
  /**
   * True when the app says that the number is the user's. Counters for unproven numbers are left
   * out then.
   */
  readonly isConfirmed: boolean;
}

/** The limits that can refuse, as events name them. */
export type LimitName =
  | 'failures'
  | 'lock'
  | 'gap'
  | 'per-login'
  | 'per-user'
  | 'per-number'
  | 'per-address'
  | 'per-prefix'
  | 'total'
  | 'enrollments'
  | 'without-text';

export interface SendCounter {
  readonly limit: LimitName;
  readonly counter: Counter;
  readonly role: SendRole | undefined;
}

/**
 * What a charge is read for, beside refusing. `user-day` counts the user's texts of the day since
 * the last success, `strangers` the sends of all users who have never entered a code that was
 * texted to the number. `numbers` counts numbers: one that was texted may be texted again however
 * full it is.
 */
type SendRole = 'user-day' | 'strangers' | 'numbers';

/**
 * Returns all counters that one send is charged to, in one round trip: all or none. The first one
 * that refuses gives the reason.
 * @param gapSeconds The first gap between two sends. Each next one is twice as long, up to 300 s,
 * until a success.
 * @param random From 0 to 1. Spreads every gap after the first, so that waiting clients do not come
 * back together.
 */
export function sendCounters(
  limits: Limits,
  keys: SendKeys,
  gapSeconds: number,
  random: number,
): readonly SendCounter[] {
  const { perNumber, perAddress, perPrefix, total } = limits;
  const { user, bucket, number, prefix, provenKeys } = keys;
  const failures = readOnly(guessCounters(limits, user, bucket, 'sms'));
  const fromStrangers = perDay(perNumber.maxPerDayFromStrangers);
  return [
    ...failures.map((counter, index) => toSendCounter(index === 0 ? 'failures' : 'lock', counter)),
    toSendCounter('gap', gapCounter(keys, gapSeconds, random)),
    ...userCounters(limits.perUser, keys),
    ...(keys.isConfirmed ? [] : unprovenCounters(limits, keys)),
    // Only who has entered a code that was texted to the number is exempt, whatever the app says of
    // it.
    limited('per-number', `sends:strangers:${number}`, fromStrangers, provenKeys, 'strangers'),
    ...keys.addresses.map(({ block, factor }) => {
      const wider = { max: perAddress.max * factor, perSeconds: perAddress.perSeconds };
      return limited('per-address', `sends:address:${block}`, wider);
    }),
    limited('per-prefix', `sends:prefix:${prefix}`, perPrefix),
    limited('total', 'sends:total', total),
  ];
}

function gapCounter({ user, bucket }: SendKeys, gapSeconds: number, random: number): Counter {
  const seconds = doubling(gapSeconds, LONGEST_GAP_SECONDS).map((gap, index) =>
    index === 0 ? gap : Math.min(LONGEST_GAP_SECONDS, Math.round(gap * (1 + random / 10))),
  );
  return createCounter(KEYS.gap(user, bucket), DAY_SECONDS, { lock: { every: 1, seconds } });
}

function userCounters(perUser: Limits['perUser'], keys: SendKeys): readonly SendCounter[] {
  const { user, bucket, purpose } = keys;
  const isShare = keys.hasKnownBrowsers && bucket === OTHER_BROWSERS;
  const inAll = isShare ? perUser.maxPerDayInOthers : perUser.maxPerDayInAll;
  const stepUps = isShare ? perUser.maxStepUpsPerDayInOthers : perUser.maxStepUpsPerDay;
  const isStepUp = purpose === 'step-up' || purpose === 'transaction';
  return [
    limited('per-user', KEYS.day(user, bucket), perDay(perUser.maxPerDay), undefined, 'user-day'),
    limited('per-user', KEYS.short(user, bucket), perUser),
    limited('per-user', KEYS.all(user, bucket), perDay(inAll)),
    ...(isStepUp ? [limited('per-user', KEYS.stepUps(user, bucket), perDay(stepUps))] : []),
  ];
}

/**
 * The budgets of numbers that are not proven for the user. Proven ones are exempt, so that they
 * reveal nothing to a stranger.
 */
function unprovenCounters(limits: Limits, keys: SendKeys): readonly SendCounter[] {
  const { perUser, perNumber, perAddress, perPrefix } = limits;
  const { user, number, prefix, purpose, provenKeys } = keys;
  const kind = purpose === 'enroll' ? 'enroll' : 'login';
  const inPrefix = { max: perPrefix.maxUnproven, perSeconds: perPrefix.perSeconds };
  // A number that was texted today is not another one.
  const texted = `texted:${user}:${number}`;
  const known = [...provenKeys, texted];
  return [
    limited(
      'per-user',
      KEYS.unprovenNumbers(user),
      perDay(perUser.maxUnprovenNumbers),
      known,
      'numbers',
    ),
    limited(
      'per-number',
      `sends:day:number:${kind}:${number}`,
      perDay(perNumber.maxPerDay),
      provenKeys,
    ),
    limited('per-number', `sends:short:number:${kind}:${number}`, perNumber, provenKeys),
    toSendCounter('per-user', createCounter(texted, DAY_SECONDS, { exemptBy: provenKeys })),
    ...keys.addresses.map(({ block, factor }) => {
      const wider = { max: perAddress.maxUnproven * factor, perSeconds: perAddress.perSeconds };
      return limited('per-address', `sends:address-unproven:${block}`, wider, provenKeys);
    }),
    limited('per-prefix', `sends:prefix-unproven:${kind}:${prefix}`, inPrefix, provenKeys),
  ];
}

function perDay(max: number): Limit {
  return { max, perSeconds: DAY_SECONDS };
}

function limited(
  limit: LimitName,
  key: string,
  { max, perSeconds }: Limit,
  exemptBy?: readonly string[],
  role?: SendRole,
): SendCounter {
  return toSendCounter(limit, createCounter(key, perSeconds, { max, exemptBy }), role);
}

function toSendCounter(limit: LimitName, counter: Counter, role?: SendRole): SendCounter {
  return { limit, counter, role };
}

export function enrollmentCounter({ enrollments }: Limits, user: string): Counter {
  return limited('enrollments', KEYS.enrollments(user), enrollments).counter;
}

/**
 * Records that the user has entered a code that was texted to the number. Each right code renews it
 * for 400 days. It is a fact about both: one user's proof does not count for another.
 */
export function provenCounter(user: string, number: string): Counter {
  return createCounter(`proven:${user}:${number}`, null);
}

/**
 * Gives back the send of a challenge whose code may have been judged: the user's ten a day, and no
 * total.
 */
export function lostSendCounter(user: string, bucket: string): Counter {
  return createCounter(KEYS.day(user, bucket), DAY_SECONDS, { amount: -1 });
}

/**
 * Returns the keys that a full success of the user in one bucket clears.
 * @param methods The factors whose locks it lifts.
 */
export function keysClearedBySuccess(
  user: string,
  methods: readonly string[],
  bucket: string,
): readonly string[] {
  return [...failureKeys(user, methods, bucket), ...sinceSuccessKeys(user, bucket)];
}

/** Returns the keys of all send budgets of one user. */
export function sendKeys(user: string, browserIds: readonly string[]): readonly string[] {
  const buckets = [OTHER_BROWSERS, ...browserIds];
  const stepUps = SIDES.map((side) => KEYS.stepUps(user, side));
  const inAll = [
    ...totalKeys(user),
    ...stepUps,
    KEYS.unprovenNumbers(user),
    KEYS.enrollments(user),
  ];
  return [...buckets.flatMap((bucket) => sinceSuccessKeys(user, bucket)), ...inAll];
}

/** Returns the keys of the day's totals of one user: of known browsers, and of all others. */
function totalKeys(user: string): readonly string[] {
  return SIDES.map((side) => KEYS.all(user, side));
}

function sinceSuccessKeys(user: string, bucket: string): readonly string[] {
  return [KEYS.gap(user, bucket), KEYS.day(user, bucket), KEYS.short(user, bucket)];
}

/** What was lifted from a user. */
export interface LiftedLimits {
  /** What was locked: factors by name, and `other-browsers` after slow guessing. */
  readonly locks: readonly string[];
  /** Texts that counted toward the day's totals. */
  readonly sends: number;
  /**
   * Failures since the last success. They stay counted: when they have disabled codes, `enableUser`
   * enables them.
   */
  readonly failures: number;
}

/**
 * Lifts the locks and send budgets of a user in all browsers. Each lock's count stays: the next
 * lock comes as it would have.
 */
export async function liftLimits(
  counters: CounterStore,
  user: string,
  methods: readonly string[],
  browserIds: readonly string[],
): Promise<LiftedLimits> {
  const locks = new Map([
    ...methods.map((method) => [method, lockKey(user, method)] as const),
    ['other-browsers', slowKey(user)],
  ]);
  const totals = totalKeys(user);
  const failures = failureKeys(user, [], OTHER_BROWSERS);
  const keys = [...locks.values(), ...totals, ...failures];
  const { counts } = await counters.charge(readKeys(keys));
  await Promise.all([...locks.values()].map((key) => counters.lock(key, 0)));
  await counters.clear([
    ...sendKeys(user, browserIds),
    ...browserIds.map((browserId) => browserKey(user, browserId)),
  ]);
  const sum = (from: number, length: number): number =>
    counts.slice(from, from + length).reduce((total, { count }) => total + count, 0);
  return {
    locks: [...locks.keys()].filter((_name, index) => (counts[index]?.lockedSeconds ?? 0) > 0),
    sends: sum(locks.size, totals.length),
    failures: sum(locks.size + totals.length, failures.length),
  };
}

/** Makes browsers of a user unknown for so many seconds, whatever their cookies say. */
export async function fillBrowsers(
  counters: CounterStore,
  user: string,
  browserIds: readonly string[],
  seconds: number,
): Promise<void> {
  await Promise.all(browserIds.map((id) => counters.lock(browserKey(user, id), seconds)));
}

/**
 * The keys of a user's counters. All known browsers of a user share `all` and `stepUps`, and so do
 * all others.
 */
const KEYS = {
  gap: (user: string, bucket: string) => `sends:gap:${bucket}:${user}`,
  day: (user: string, bucket: string) => `sends:day:user:${bucket}:${user}`,
  short: (user: string, bucket: string) => `sends:short:user:${bucket}:${user}`,
  all: (user: string, bucket: string) => `sends:all:${sideOf(bucket)}:${user}`,
  stepUps: (user: string, bucket: string) => `sends:step-ups:${sideOf(bucket)}:${user}`,
  unprovenNumbers: (user: string) => `sends:unproven-numbers:${user}`,
  enrollments: (user: string) => `enrollments:${user}`,
};
