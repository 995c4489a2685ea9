import type { Counter, Purpose } from '../stores/store';
import { type AddressBlock, perBlock } from './address-block';
import { doubling, guessGuards } from './attempts';
import { createCounter, DAY_SECONDS } from './charge';
import type { SendBudget } from './give-back';
import type { Limits } from './options';
import { OTHER_BROWSERS, type Side, sideOf, USER_KEYS } from './user-keys';

const LONGEST_GAP_SECONDS = 300;

const TEN_MINUTES = 600;
const HOUR_SECONDS = 3600;

/** Messages per day to one user in known browsers, or in all where none is known. */
const DAY_IN_ALL = 40;

/** The same in browsers that are not known, where some are. */
const DAY_IN_OTHERS = 20;

/** Messages of the day that step-ups and transactions leave to logins. */
const LEFT_FOR_LOGINS = 10;

const UNPROVEN_NUMBERS_PER_DAY = 5;

/** Messages per day to one number, to users who have never entered a code sent to it. */
const FROM_STRANGERS = 60;

/** At most `max` in a window. */
interface Limit {
  readonly max: number;
  readonly seconds: number;
}

/** The keys that a send is counted by. Numbers and prefixes are HMACs already. */
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
  /** See `PolicyContext.provenKeys`. */
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

/** Something that a send is counted in. */
export interface SendRow {
  readonly limit: LimitName;
  readonly counter: Counter;
  /** Null: it is only read. */
  readonly budget: SendBudget | null;
  readonly role: SendRole | undefined;
}

/**
 * What a limit's count is used for besides refusing. `user-day`: the user's texts of the day since
 * the last success. `strangers`: the sends of all users who have never entered a code that was
 * texted to the number. `numbers` counts distinct numbers: one already texted today does not count
 * again. `shared`: a limit of all users. `shared-unproven`: the part of it for unproven numbers.
 */
type SendRole = 'user-day' | 'strangers' | 'numbers' | 'shared' | 'shared-unproven';

/**
 * Returns everything that one send is counted in, to be charged in one call: all or none. The first
 * row that refuses gives the reason.
 * @param gapSeconds The first gap between two sends. Each next one is twice as long, up to 300 s,
 * until a success.
 * @param random From 0 to 1. Spreads every gap after the first, so that waiting clients do not come
 * back together.
 */
export function sendRows(
  limits: Limits,
  keys: SendKeys,
  gapSeconds: number,
  random: number,
): readonly SendRow[] {
  const { user, bucket, hasKnownBrowsers, number, provenKeys } = keys;
  const fromStrangers = perDay(FROM_STRANGERS);
  return [
    ...guessGuards({ limits, hasKnownBrowsers }, user, bucket).map(({ limit, counter }) =>
      toRow(limit, counter, null),
    ),
    toRow('gap', gapCounter(keys, gapSeconds, random), 'gap'),
    ...userRows(limits.perUser, keys),
    ...(keys.isConfirmed ? [] : unprovenRows(limits, keys)),
    // Exempts users who have entered a code texted to this number. `isConfirmed` is not enough
    // here.
    inTotal('per-number', `sends:strangers:${number}`, fromStrangers, provenKeys, 'strangers'),
    ...sharedRows('sends', limits, keys),
  ];
}

/** What is counted in limits that all users share: messages, or the lookups before them. */
type SharedFamily = 'sends' | 'lookups';

/** The keys of the limits that all users share. */
type SharedKeys = Pick<SendKeys, 'purpose' | 'prefix' | 'addresses' | 'provenKeys' | 'isConfirmed'>;

/**
 * Returns the counters of one paid lookup about a number. Lookups have the shared limits of
 * messages and are counted apart from them, because a lookup may show that no message is sent.
 */
export function lookupCounters(limits: Limits, keys: SharedKeys): readonly Counter[] {
  const rows = [
    ...(keys.isConfirmed ? [] : unprovenSharedRows('lookups', limits, keys)),
    ...sharedRows('lookups', limits, keys),
  ];
  return rows.map(({ counter }) => counter);
}

/** The limits that all users share: per address block, per prefix and in all. */
function sharedRows(
  family: SharedFamily,
  { perAddress, perPrefix, total }: Limits,
  { addresses, prefix }: SharedKeys,
): readonly SendRow[] {
  return [
    ...perBlock(addresses, `${family}:address`, perHour(perAddress.max)).map((counter) =>
      toRow('per-address', counter, 'total', 'shared'),
    ),
    inTotal(
      'per-prefix',
      `${family}:prefix:${prefix}`,
      perHour(perPrefix.max),
      undefined,
      'shared',
    ),
    toRow('total', toCounter(`${family}:total`, perHour(total.max)), 'in-all', 'shared'),
  ];
}

/** The part of the shared limits that numbers may use which are not proven for the user. */
function unprovenSharedRows(
  family: SharedFamily,
  { perAddress, perPrefix }: Limits,
  { addresses, prefix, purpose, provenKeys }: SharedKeys,
): readonly SendRow[] {
  const inPrefix = perHour(perPrefix.maxUnproven);
  const inAddress = perHour(perAddress.maxUnproven);
  const prefixKey = `${family}:prefix-unproven:${kindOf(purpose)}:${prefix}`;
  return [
    ...perBlock(addresses, `${family}:address-unproven`, inAddress, provenKeys).map((counter) =>
      toRow('per-address', counter, 'total', 'shared-unproven'),
    ),
    inTotal('per-prefix', prefixKey, inPrefix, provenKeys, 'shared-unproven'),
  ];
}

/** Enrollments are counted apart from all else. */
function kindOf(purpose: Purpose): 'enroll' | 'login' {
  return purpose === 'enroll' ? 'enroll' : 'login';
}

function gapCounter({ user, bucket }: SendKeys, gapSeconds: number, random: number): Counter {
  const seconds = doubling(gapSeconds, LONGEST_GAP_SECONDS).map((gap, index) =>
    index === 0 ? gap : Math.min(LONGEST_GAP_SECONDS, Math.round(gap * (1 + random / 10))),
  );
  return createCounter(USER_KEYS.gap(user, bucket), DAY_SECONDS, { lock: { every: 1, seconds } });
}

function userRows(perUser: Limits['perUser'], keys: SendKeys): readonly SendRow[] {
  const { user, bucket, purpose } = keys;
  const side = sideOf(bucket);
  const isShare = keys.hasKnownBrowsers && bucket === OTHER_BROWSERS;
  // A smaller total would make a higher `maxPerDay` useless in other browsers.
  const inAll = isShare ? Math.max(DAY_IN_OTHERS, perUser.maxPerDay) : DAY_IN_ALL;
  const stepUps = inAll - LEFT_FOR_LOGINS;
  const isStepUp = purpose === 'step-up' || purpose === 'transaction';
  const [day, short] = sinceSuccessCounters(perUser, user, bucket);
  return [
    toRow('per-user', day, 'user', 'user-day'),
    toRow('per-user', short, 'user'),
    inTotal('per-user', USER_KEYS.all(user, side), perDay(inAll)),
    ...(isStepUp ? [inTotal('per-user', USER_KEYS.stepUps(user, side), perDay(stepUps))] : []),
  ];
}

/** The user's texts since the last success: of the day, and of ten minutes. */
function sinceSuccessCounters(
  perUser: Limits['perUser'],
  user: string,
  bucket: string,
): readonly [day: Counter, short: Counter] {
  return [
    toCounter(USER_KEYS.day(user, bucket), perDay(perUser.maxPerDay)),
    toCounter(USER_KEYS.short(user, bucket), perTenMinutes(perUser.max)),
  ];
}

/**
 * Returns what gives a text back to its user after its charge is out of reach: the request that
 * sent it has ended.
 */
export function userGiveBack(
  { perUser }: Limits,
  user: string,
  bucket: string,
): readonly Counter[] {
  return sinceSuccessCounters(perUser, user, bucket).map(({ key, windowSeconds }) =>
    createCounter(key, windowSeconds, { amount: -1 }),
  );
}

/**
 * The budgets of numbers that are not proven for the user. Proven numbers are exempt, so that these
 * limits do not reveal who owns a number.
 */
function unprovenRows(limits: Limits, keys: SendKeys): readonly SendRow[] {
  const { perNumber } = limits;
  const { user, number, provenKeys } = keys;
  const kind = kindOf(keys.purpose);
  // A number already texted today is not counted as a new one.
  const texted = USER_KEYS.texted(user, number);
  const known = [...provenKeys, texted];
  const numbers = USER_KEYS.unprovenNumbers(user);
  return [
    inTotal('per-user', numbers, perDay(UNPROVEN_NUMBERS_PER_DAY), known, 'numbers'),
    inTotal(
      'per-number',
      `sends:day:number:${kind}:${number}`,
      perDay(perNumber.maxPerDay),
      provenKeys,
    ),
    inTotal(
      'per-number',
      `sends:short:number:${kind}:${number}`,
      perTenMinutes(perNumber.max),
      provenKeys,
    ),
    toRow('per-user', createCounter(texted, DAY_SECONDS, { exemptBy: provenKeys }), 'total'),
    ...unprovenSharedRows('sends', limits, keys),
  ];
}

function perDay(max: number): Limit {
  return { max, seconds: DAY_SECONDS };
}

function perHour(max: number): Limit {
  return { max, seconds: HOUR_SECONDS };
}

function perTenMinutes(max: number): Limit {
  return { max, seconds: TEN_MINUTES };
}

/** Counts in a budget that no success clears. */
function inTotal(
  limit: LimitName,
  key: string,
  most: Limit,
  exemptBy?: readonly string[],
  role?: SendRole,
): SendRow {
  return toRow(limit, toCounter(key, most, exemptBy), 'total', role);
}

function toCounter(key: string, { max, seconds }: Limit, exemptBy?: readonly string[]): Counter {
  return createCounter(key, seconds, { max, exemptBy });
}

function toRow(
  limit: LimitName,
  counter: Counter,
  budget: SendBudget | null,
  role?: SendRole,
): SendRow {
  return { limit, counter, budget, role };
}

export function enrollmentCounter({ enrollments }: Limits, user: string): Counter {
  return toCounter(USER_KEYS.enrollments(user), perHour(enrollments.max));
}

/**
 * Records that the user has entered a code that was texted to the number. Each right code renews it
 * for 400 days. The proof is per user and number.
 */
export function provenCounter(user: string, number: string): Counter {
  return createCounter(USER_KEYS.proven(user, number), null);
}

/**
 * Counts logins begun without a text: of one user and side in each address block, and of the block.
 */
export function withoutTextCounters(
  { withoutText }: Limits,
  side: Side,
  ofUser: readonly AddressBlock[],
  ofAddress: readonly AddressBlock[],
): readonly Counter[] {
  const { max, maxPerAddress } = withoutText;
  return [
    ...perBlock(ofUser, `without-text:${side}`, perTenMinutes(max)),
    ...perBlock(ofAddress, 'without-text:address', perTenMinutes(maxPerAddress)),
  ];
}

/**
 * Returns the keys of a user's logins begun without a text, which a success on that side clears.
 */
export function withoutTextKeys(
  limits: Limits,
  side: Side,
  ofUser: readonly AddressBlock[],
): readonly string[] {
  return withoutTextCounters(limits, side, ofUser, []).map(({ key }) => key);
}
