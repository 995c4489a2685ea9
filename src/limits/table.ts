import type { Counter, Purpose } from '../stores/store';
import type { AddressBlock } from './address-block';
import { knownAtOf, OTHER_BROWSERS, pairOf, type Side } from './buckets';
import { createCounter, DAY_SECONDS } from './charge';
import type { Limits } from './options';
import type { AttemptBudget, SendBudget } from './refunds';

/**
 * Lists every limit, one row each. The rows of an action are charged together, all or none. The
 * first row that refuses gives the reason.
 */
export function listLimits(settings: LimitSettings): readonly LimitRule[] {
  const { limits } = settings;
  return [
    ...guessRules(settings),
    ...unguessableRules(),
    ...optionsRules(),
    ...userRules(settings),
    ...unprovenRules(limits),
    ...sharedRules(limits),
    ...beginningRules(limits),
  ];
}

/** Lists the limits of codes that can be guessed: codes by message, or typed from an app. */
function guessRules(settings: LimitSettings): readonly LimitRule[] {
  const { max, disableAfter } = settings.limits.failures;
  const dayLock = { every: 1, from: SLOW_GUESSING_FAILURES, seconds: [DAY_SECONDS] };

  return [
    rule('failures', 'failures', 'failures:{side}:{user}', {
      ...GUESS,
      max: disableAfter,
      budget: 'disable',
      clearedBy: ['success', 'enable'],
    }),
    // After this limit a known browser is no longer known.
    rule('browser', 'lock', 'browser:{browser}:{user}', {
      ...GUESS,
      max,
      side: 'known',
      clearedBy: ['success-here', 'unlock'],
    }),
    // The count is a time: browsers known since that second or earlier are refused.
    rule('cut-off', 'lock', CUT_OFF_KEY, {
      ...GUESS,
      max: (about) => knownAtOf(about.bucket),
      isOnlyRead: true,
      budget: null,
      side: 'known',
    }),
    rule('lock', 'lock', 'locks:{user}:{method}', {
      ...GUESS,
      lock: { every: max, seconds: doubling(FIRST_LOCK_SECONDS, DAY_SECONDS) },
      side: 'others',
      clearedBy: ['success-here', 'lift-lock', 'enable'],
    }),
    // The charge itself sets the lock: a second call would let parallel guesses through.
    rule('slow-guessing', 'lock', 'failures:slow:{user}', {
      ...GUESS,
      windowSeconds: 30 * DAY_SECONDS,
      lock: settings.hasKnownBrowsers ? dayLock : undefined,
      budget: 'slow-guessing',
      side: 'others',
      clearedBy: ['lift-lock', 'enable'],
    }),
  ];
}

/** Lists the limits of what cannot be guessed. They lock only the address of the attempt. */
function unguessableRules(): readonly LimitRule[] {
  return [
    rule('recovery', 'lock', 'recovery:address:{ownBlock}', {
      ...perDay(UNGUESSABLE_PER_DAY),
      acts: ['recovery'],
      budget: 'address',
    }),
    // Never refuses: an event tells the operator.
    rule('watched', 'lock', 'recovery:user:{user}', {
      windowSeconds: DAY_SECONDS,
      acts: ['recovery'],
      budget: null,
    }),
    rule('answers', 'lock', 'answers:address:{side}:{ownBlock}', {
      ...perDay(UNGUESSABLE_PER_DAY),
      acts: ['answer'],
      budget: 'address',
    }),
  ];
}

/** Lists the limits of options for a factor that answers a challenge: the app makes them. */
function optionsRules(): readonly LimitRule[] {
  return [
    rule('login-options', 'per-login', 'options:login:{login}', {
      ...perHour(OPTIONS_PER_LOGIN),
      acts: ['options'],
      budget: null,
    }),
    rule('user-options', 'per-user', 'options:{side}:{user}', {
      ...perDay(OPTIONS_PER_DAY),
      acts: ['options'],
      budget: null,
      clearedBy: ['unlock'],
    }),
  ];
}

/** Lists the limits of messages to one user. */
function userRules(settings: LimitSettings): readonly LimitRule[] {
  const { max, maxPerDay } = settings.limits.perUser;
  // Raise the total with `maxPerDay`: a smaller total would make a higher `maxPerDay` useless in
  // unknown browsers.
  const inOthers = settings.hasKnownBrowsers ? Math.max(DAY_IN_OTHERS, maxPerDay) : DAY_IN_ALL;
  const inAll = (about: About): number => (about.bucket === OTHER_BROWSERS ? inOthers : DAY_IN_ALL);
  const gaps = doubling(settings.gapSeconds, LONGEST_GAP_SECONDS);

  return [
    rule('gap', 'gap', 'sends:gap:{browser}:{user}', {
      ...SINCE_SUCCESS,
      windowSeconds: DAY_SECONDS,
      lock: (about) => ({ every: 1, seconds: spread(gaps, about.random ?? 0) }),
      budget: null,
    }),
    rule('user-day', 'per-user', 'sends:day:user:{browser}:{user}', {
      ...SINCE_SUCCESS,
      ...perDay(maxPerDay),
    }),
    rule('user-short', 'per-user', 'sends:short:user:{browser}:{user}', {
      ...SINCE_SUCCESS,
      ...perTenMinutes(max),
    }),
    rule('all', 'per-user', 'sends:all:{side}:{user}', {
      ...SENT,
      ...perDay(inAll),
      clearedBy: ['unlock'],
    }),
    rule('step-ups', 'per-user', 'sends:step-ups:{side}:{user}', {
      ...SENT,
      ...perDay((about) => inAll(about) - LEFT_FOR_LOGINS),
      when: isStepUp,
      clearedBy: ['unlock'],
    }),
  ];
}

/**
 * Lists the limits of numbers that are not proven for the user. Proven numbers are exempt, and so
 * these limits do not reveal whose number it is.
 */
function unprovenRules(limits: Limits): readonly LimitRule[] {
  return [
    // Counts different numbers: one that got a message today is not counted again.
    rule('numbers', 'per-user', 'sends:unproven-numbers:{user}', {
      ...TO_UNPROVEN,
      ...perDay(UNPROVEN_NUMBERS_PER_DAY),
      exemptBy: (about) => [...proven(about), `texted:${about.pair}`],
      countsDifferent: true,
      clearedBy: ['unlock'],
    }),
    rule('number-day', 'per-number', 'sends:day:number:{kind}:{number}', {
      ...TO_UNPROVEN,
      ...perDay(limits.perNumber.maxPerDay),
    }),
    rule('number-short', 'per-number', 'sends:short:number:{kind}:{number}', {
      ...TO_UNPROVEN,
      ...perTenMinutes(limits.perNumber.max),
    }),
    // Never refuses: it exempts the number from a second count among the different numbers.
    rule('texted', 'per-user', 'texted:{pair}', { ...TO_UNPROVEN, windowSeconds: DAY_SECONDS }),
    rule('address-unproven', 'per-address', '{family}:address-unproven:{block}', {
      ...TO_UNPROVEN,
      ...perHour(limits.perAddress.maxUnproven),
      acts: ['send', 'lookup'],
      option: 'perAddress.maxUnproven',
    }),
    rule('prefix-unproven', 'per-prefix', '{family}:prefix-unproven:{kind}:{prefix}', {
      ...TO_UNPROVEN,
      when: (about) => hasPrefix(about) && isUnproven(about),
      ...perHour(limits.perPrefix.maxUnproven),
      acts: ['send', 'lookup'],
      option: 'perPrefix.maxUnproven',
    }),
  ];
}

/**
 * Lists the limits that all users share. Those with an option also apply to lookups, counted
 * separately: a lookup may show that no message should be sent.
 */
function sharedRules(limits: Limits): readonly LimitRule[] {
  return [
    // Exempts users who have entered a code that was sent to the number. `isConfirmed` is not
    // enough here.
    rule('strangers', 'per-number', 'sends:strangers:{number}', {
      ...SENT,
      ...perDay(FROM_STRANGERS_PER_DAY),
      exemptBy: proven,
    }),
    rule('address', 'per-address', '{family}:address:{block}', {
      ...SENT,
      ...perHour(limits.perAddress.max),
      acts: ['send', 'lookup'],
      option: 'perAddress.max',
    }),
    rule('prefix', 'per-prefix', '{family}:prefix:{prefix}', {
      ...SENT,
      when: hasPrefix,
      ...perHour(limits.perPrefix.max),
      acts: ['send', 'lookup'],
      option: 'perPrefix.max',
    }),
    rule('total', 'total', '{family}:total', {
      ...SENT,
      ...perHour(limits.total.max),
      acts: ['send', 'lookup'],
      budget: 'in-all',
      option: 'total.max',
    }),
  ];
}

/** Lists the limits of enrollments, and of logins that begin without a message. */
function beginningRules(limits: Limits): readonly LimitRule[] {
  return [
    rule('own-waits', 'without-text', 'without-text:{side}:{ownBlock}', {
      ...perTenMinutes(limits.withoutText.max),
      acts: ['wait'],
      budget: null,
      clearedBy: ['success-here'],
    }),
    rule('waits', 'without-text', 'without-text:address:{block}', {
      ...perTenMinutes(limits.withoutText.maxPerAddress),
      acts: ['wait'],
      budget: null,
    }),
    rule('enrollments', 'enrollments', 'enrollments:{user}', {
      ...perHour(limits.enrollments.max),
      acts: ['enroll'],
      budget: null,
      clearedBy: ['unlock'],
    }),
  ];
}

/** Attempts in unknown browsers within 30 days from which each further one locks them for a day. */
export const SLOW_GUESSING_FAILURES = 60;

/** Recovery codes, or passkey responses, that one address may try in a day. */
export const UNGUESSABLE_PER_DAY = 10;

/**
 * Options of one pending login, which lives for 15 minutes at most, and of one user on a side in a
 * day.
 */
const OPTIONS_PER_LOGIN = 20;
const OPTIONS_PER_DAY = 100;

/** The first lock of a factor. Each further one is twice as long, up to a day. */
const FIRST_LOCK_SECONDS = 1800;
const LONGEST_GAP_SECONDS = 300;

/**
 * Messages per day to one user in known browsers, or in all browsers with `knownBrowsers: false`.
 */
const DAY_IN_ALL = 40;

/** Messages per day to one user in unknown browsers. */
const DAY_IN_OTHERS = 20;

/** Messages of a day that step-ups and transactions must leave for logins. */
const LEFT_FOR_LOGINS = 10;
const UNPROVEN_NUMBERS_PER_DAY = 5;
const FROM_STRANGERS_PER_DAY = 60;
const CUT_OFF_KEY = 'browsers:cut-off:{user}';

const GUESS = { windowSeconds: null, acts: ['guess'], budget: 'lock' } as const;
const SENT = { acts: ['send'], budget: 'total' } as const;
const SINCE_SUCCESS = {
  acts: ['send'],
  budget: 'user',
  clearedBy: ['success-here', 'unlock'],
} as const;
const TO_UNPROVEN = { ...SENT, when: isUnproven, exemptBy: proven } as const;

/** Returns a row. The first three parameters identify it. */
function rule(
  name: string,
  limit: LimitName,
  key: string,
  more: Omit<LimitRule, 'name' | 'limit' | 'key'>,
): LimitRule {
  return { name, limit, key, ...more };
}

type Bound = Pick<LimitRule, 'max' | 'windowSeconds'>;

function perDay(max: LimitRule['max']): Bound {
  return { max, windowSeconds: DAY_SECONDS };
}

function perHour(max: number): Bound {
  return { max, windowSeconds: 3600 };
}

function perTenMinutes(max: number): Bound {
  return { max, windowSeconds: 600 };
}

function isUnproven(about: About): boolean {
  return about.isConfirmed !== true;
}

/** Returns whether the recipient is a number. Any other address has no prefix. */
function hasPrefix(about: About): boolean {
  return about.prefix !== undefined;
}

function isStepUp(about: About): boolean {
  return about.purpose === 'step-up' || about.purpose === 'transaction';
}

function proven(about: About): readonly string[] {
  return about.provenKeys ?? [];
}

/** Returns steps that double: `doubling(30, 300)` is 30, 60, 120, 240, 300. */
export function doubling(first: number, last: number): readonly number[] {
  const steps: number[] = [];
  for (let step = first; step < last; step *= 2) steps.push(step);
  return [...steps, last];
}

/** Lengthens each gap but the first by up to a tenth. `spread([30, 60], 1)` is 30, 66. */
function spread(gaps: readonly number[], random: number): readonly number[] {
  return gaps.map((gap, index) =>
    index === 0 ? gap : Math.min(LONGEST_GAP_SECONDS, Math.round(gap * (1 + random / 10))),
  );
}

/**
 * Returns the counter that records that the user has entered a code sent to the number. Each right
 * code renews it for 400 days. The proof is per user and number.
 */
export function provenCounter(user: string, number: string): Counter {
  return createCounter(`proven:${pairOf(user, number)}`, null);
}

/**
 * Returns the counter that makes the user's browsers unknown that were known from this second since
 * 1970 or earlier.
 */
export function cutOffCounter(user: string, second: number): Counter {
  return createCounter(
    CUT_OFF_KEY.replace('{user}', () => user),
    null,
    { raisesTo: second },
  );
}

/** The settings on which the figures of the limits depend. */
export interface LimitSettings {
  readonly limits: Limits;
  /** Whether the app tells known browsers from others. */
  readonly hasKnownBrowsers: boolean;
  /** The first gap between two messages. */
  readonly gapSeconds: number;
}

/** Describes one counter. */
export interface LimitRule {
  /** Identifies the row for code that does more than charge it. */
  readonly name: string;
  readonly limit: LimitName;
  /** The key. Words in braces are those of `WORDS` in `limits/rows`. */
  readonly key: string;
  /** The actions that are counted in it. */
  readonly acts: readonly Act[];
  /** The budget that refunds its count. Null: never refunded. */
  readonly budget: AttemptBudget | SendBudget | null;
  readonly windowSeconds: number | null;
  readonly max?: number | ((about: About) => number) | undefined;
  readonly lock?: Counter['lock'] | ((about: About) => Counter['lock']) | undefined;
  readonly isOnlyRead?: true | undefined;
  /** The side that has it. Left out: each side has its own, or both share one. */
  readonly side?: Side | undefined;
  /** When the row applies. Left out: always. */
  readonly when?: ((about: About) => boolean) | undefined;
  /** Returns keys. If one of them is above zero, the action is exempt. */
  readonly exemptBy?: ((about: About) => readonly string[]) | undefined;
  /** Whether the same thing is counted only once. */
  readonly countsDifferent?: true | undefined;
  /** The option below `limits` that sets a limit of all users. `limit-near` watches it. */
  readonly option?: SharedOption | undefined;
  /**
   * What clears it before its window ends. Left out: nothing. `forgetUser` clears every counter
   * with a user in its key.
   */
  readonly clearedBy?: readonly Clearing[] | undefined;
}

/**
 * What clears a counter. `success`: a right code clears it on both sides; `success-here`: only in
 * that browser, or on that side. `unlock` is `unlockUser`, `enable` its option.
 * `lift-lock`: `unlockUser` ends its lock, and its count stays.
 */
export type Clearing = 'success' | 'success-here' | 'unlock' | 'lift-lock' | 'enable';

/**
 * An action that is counted. `guess`, `recovery` and `answer` are attempts at a code; `options`
 * asks for a challenge.
 */
export type Act =
  | 'guess'
  | 'recovery'
  | 'answer'
  | 'options'
  | 'send'
  | 'lookup'
  | 'wait'
  | 'enroll';

type SharedOption =
  | 'perAddress.max'
  | 'perAddress.maxUnproven'
  | 'perPrefix.max'
  | 'perPrefix.maxUnproven'
  | 'total.max';

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

/** The user and the facts of an action. */
export interface About {
  readonly user: string;
  /**
   * The browser's bucket: each known browser has its own, and all others share `OTHER_BROWSERS`.
   */
  readonly bucket: string;
  /** The factor of an attempt. */
  readonly method?: string | undefined;
  /** The id of the pending login. */
  readonly login?: string;
  readonly purpose?: Purpose;
  /** HMACs of the number, and of the number without its last four digits. */
  readonly number?: string;
  readonly prefix?: string | undefined;
  /** Names the user and the number: see `pairOf`. */
  readonly pair?: string;
  /** See `PolicyContext.provenKeys`. */
  readonly provenKeys?: readonly string[];
  /** Whether the app says that the number is the user's. */
  readonly isConfirmed?: boolean;
  readonly addresses?: readonly AddressBlock[];
  /** The same blocks under names that belong to this user alone. */
  readonly ownAddresses?: readonly AddressBlock[];
  /** From 0 to 1. Spreads the gaps after the first, so that clients do not return together. */
  readonly random?: number;
}
