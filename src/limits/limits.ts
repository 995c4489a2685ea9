import type { Counter, Purpose } from '../stores/store';
import type { AddressBlock } from './address-block';
import {
  DAY_SECONDS,
  doubling,
  failureKeys,
  guessCounters,
  OTHER_BROWSERS,
  readOnly,
  sideOf,
} from './failures';
import type { Limit, Limits } from './options';

/** One bucket of each side. */
const SIDES = [OTHER_BROWSERS, 'known'];

/** The longest gap between two sends. */
const LONGEST_GAP_SECONDS = 300;

/** What a send is counted by. Numbers and prefixes are HMACs already. */
export interface SendKeys {
  readonly user: string;
  /** Each known browser of a user is counted apart; all the others together are `OTHER_BROWSERS`. */
  readonly bucket: string;
  /** Whether there are known browsers: then the others have a smaller share of the day. */
  readonly hasKnownBrowsers: boolean;
  readonly purpose: Purpose;
  readonly number: string;
  readonly prefix: string;
  readonly addresses: readonly AddressBlock[];
  /** See `provenKeys`. */
  readonly provenKeys: readonly string[];
  /** True when the app says that the number is the user's. Counters for unproven numbers are left out then. */
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

/** A counter of a send with the limit that it stands for. */
export interface SendCounter {
  readonly limit: LimitName;
  readonly counter: Counter;
  /** True when it counts numbers, so that a number that was texted may be texted again however full it is. */
  readonly admitsSameNumber?: boolean;
  /** True when it counts the user's texts of the day since the last success. */
  readonly isUserDay?: boolean;
  /** True when it counts the sends of all users who have never entered a code that was texted to the number. */
  readonly isStranger?: boolean;
}

/**
 * Returns all counters that one send is charged to, in one round trip: all or none. The first one that refuses gives the
 * reason.
 * @param gapSeconds The first gap between two sends. Each next one is twice as long, up to 300 s, until a success.
 * @param random From 0 to 1. Spreads every gap after the first, so that waiting clients do not come back together.
 */
export function sendCounters(
  limits: Limits,
  keys: SendKeys,
  gapSeconds: number,
  random: number,
): readonly SendCounter[] {
  const { perNumber, perAddress, perPrefix, total } = limits;
  const { number, prefix, addresses } = keys;
  const stranger = strangerCounter(number, keys.provenKeys, perNumber.maxPerDayFromStrangers);
  return [
    ...readOnly(guessCounters(limits, keys.user, keys.bucket, 'sms')).map((counter, index) => {
      return { limit: index === 0 ? 'failures' : 'lock', counter } as const;
    }),
    { limit: 'gap', counter: gapCounter(keys, gapSeconds, random) },
    ...userCounters(limits.perUser, keys),
    ...(keys.isConfirmed ? [] : unprovenCounters(limits, keys)),
    { limit: 'per-number', counter: stranger, isStranger: true },
    ...addresses.map(({ block, factor }) => {
      const wider = { ...perAddress, max: perAddress.max * factor };
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
  return { key: gapKey(user, bucket), windowSeconds: DAY_SECONDS, lock: { every: 1, seconds } };
}

function userCounters(perUser: Limits['perUser'], keys: SendKeys): readonly SendCounter[] {
  const { user, bucket, purpose } = keys;
  const { maxPerDay } = perUser;
  const isShare = keys.hasKnownBrowsers && bucket === OTHER_BROWSERS;
  const inAll = isShare ? perUser.maxPerDayInOthers : perUser.maxPerDayInAll;
  const stepUps = isShare ? perUser.maxStepUpsPerDayInOthers : perUser.maxStepUpsPerDay;
  const perDay = (key: string, max: number): SendCounter =>
    limited('per-user', key, { max, perSeconds: DAY_SECONDS });
  const isStepUp = purpose === 'step-up' || purpose === 'transaction';
  return [
    { ...perDay(dayKey(user, bucket), maxPerDay), isUserDay: true },
    limited('per-user', shortKey(user, bucket), perUser),
    perDay(allKey(user, bucket), inAll),
    ...(isStepUp ? [perDay(stepUpsKey(user, bucket), stepUps)] : []),
  ];
}

/** The budgets of numbers that are not proven for the user. Proven ones are exempt, so that they tell a stranger nothing. */
function unprovenCounters(limits: Limits, keys: SendKeys): readonly SendCounter[] {
  const { perUser, perNumber, perAddress, perPrefix } = limits;
  const { user, number, prefix, purpose, addresses, provenKeys: exemptBy } = keys;
  const kind = purpose === 'enroll' ? 'enroll' : 'login';
  const perDay = (max: number): Limit => ({ max, perSeconds: DAY_SECONDS });
  // A number that was texted today is not another one.
  const texted = `texted:${user}:${number}`;
  const another = limited('per-user', unprovenNumbersKey(user), perDay(perUser.maxUnprovenNumbers));
  const counters = [
    limited('per-number', `sends:day:number:${kind}:${number}`, perDay(perNumber.maxPerDay)),
    limited('per-number', `sends:short:number:${kind}:${number}`, perNumber),
    { limit: 'per-user', counter: { key: texted, windowSeconds: DAY_SECONDS } } as const,
    ...addresses.map(({ block, factor }) => {
      const { maxUnproven, perSeconds } = perAddress;
      return limited('per-address', `sends:address-unproven:${block}`, {
        max: maxUnproven * factor,
        perSeconds,
      });
    }),
    limited('per-prefix', `sends:prefix-unproven:${kind}:${prefix}`, {
      max: perPrefix.maxUnproven,
      perSeconds: perPrefix.perSeconds,
    }),
  ];
  return [
    {
      ...another,
      counter: { ...another.counter, exemptBy: [...exemptBy, texted] },
      admitsSameNumber: true,
    },
    ...counters.map(({ limit, counter }) => ({ limit, counter: { ...counter, exemptBy } })),
  ];
}

/** Only who has entered a code that was texted to the number is exempt, whatever the app says of it. */
function strangerCounter(number: string, exemptBy: readonly string[], max: number): Counter {
  return { key: `sends:strangers:${number}`, windowSeconds: DAY_SECONDS, max, exemptBy };
}

function limited(limit: LimitName, key: string, { max, perSeconds: windowSeconds }: Limit): SendCounter {
  return { limit, counter: { key, windowSeconds, max } };
}

/** Counts the enrollments that a user begins. */
export function enrollmentCounter({ enrollments }: Limits, user: string): Counter {
  return limited('enrollments', enrollmentsKey(user), enrollments).counter;
}

/**
 * Records that the user has entered a code that was texted to the number. Each right code renews it for 400 days. It is a
 * fact about both: one user's proof tells another nothing.
 */
export function provenCounter(user: string, number: string): Counter {
  return { key: `proven:${user}:${number}`, windowSeconds: null };
}

/** Gives back the send of a challenge whose code may have been judged: the user's ten a day, and no total. */
export function lostSendCounter(user: string, bucket: string): Counter {
  return { key: dayKey(user, bucket), windowSeconds: DAY_SECONDS, amount: -1 };
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
  const stepUps = SIDES.map((side) => stepUpsKey(user, side));
  const inAll = [...totalKeys(user), ...stepUps, unprovenNumbersKey(user), enrollmentsKey(user)];
  return [...buckets.flatMap((bucket) => sinceSuccessKeys(user, bucket)), ...inAll];
}

/** Returns the keys of the day's totals of one user: of known browsers, and of all others. */
export function totalKeys(user: string): readonly string[] {
  return SIDES.map((side) => allKey(user, side));
}

function sinceSuccessKeys(user: string, bucket: string): readonly string[] {
  return [gapKey(user, bucket), dayKey(user, bucket), shortKey(user, bucket)];
}

function gapKey(user: string, bucket: string): string {
  return `sends:gap:${bucket}:${user}`;
}

function dayKey(user: string, bucket: string): string {
  return `sends:day:user:${bucket}:${user}`;
}

function shortKey(user: string, bucket: string): string {
  return `sends:short:user:${bucket}:${user}`;
}

/** All known browsers of a user share these two, and so do all others. */
function allKey(user: string, bucket: string): string {
  return `sends:all:${sideOf(bucket)}:${user}`;
}

function stepUpsKey(user: string, bucket: string): string {
  return `sends:step-ups:${sideOf(bucket)}:${user}`;
}

function unprovenNumbersKey(user: string): string {
  return `sends:unproven-numbers:${user}`;
}

function enrollmentsKey(user: string): string {
  return `enrollments:${user}`;
}
