import type { Counter, CounterStore, PendingLogin } from '../stores/store';
import { perBlock, type UserBlocks } from './address-block';
import {
  type ChargeResult,
  chargeRows,
  type Counted,
  createCounter,
  DAY_SECONDS,
  readOnly,
} from './charge';
import {
  type AttemptBudget,
  type AttemptOutcome,
  ATTEMPTS_GIVEN_BACK,
  findGivenBack,
  giveBack,
} from './give-back';
import type { Limits } from './options';
import { keysClearedBySuccess, knownAtOf, OTHER_BROWSERS, sideOf, USER_KEYS } from './user-keys';

/** Attempts of other browsers in 30 days from which each one locks them for a day. */
const SLOW_GUESSING_FAILURES = 60;

/** The first lock of a factor. Each further one is twice as long, up to a day. */
const FIRST_LOCK_SECONDS = 1800;

/** Recovery codes, or answers to a challenge, per day from one address. */
const MAX_PER_DAY = 10;

/** An event about the user that an attempt, or one of its counters, brings about. */
export type AttemptEvent =
  | { readonly type: 'failure-count-changed'; readonly failures: number }
  | {
      readonly type: 'browser-unknown' | 'guessing-slowly' | 'guessing-recovery-codes';
      readonly failures: number;
    }
  | { readonly type: 'locked'; readonly lockedSeconds: number }
  | { readonly type: 'disabled' };

/** Why an attempt may not be made. */
export interface AttemptRefusal {
  readonly reason: 'too-many-attempts' | 'locked' | 'disabled';
  readonly retryAfterSeconds?: number;
}

/** Why this browser's next attempt at the factor is refused, and whether texts are as well. */
export interface AttemptStop {
  readonly refusal: AttemptRefusal;
  readonly stopsTexts: boolean;
}

/** An attempt that has been counted against the user. */
export interface Attempt {
  /**
   * Takes the attempt out of what its outcome leaves, and emits what the rest has brought about.
   * `more` is given back in the same call of the store. Returns the lock that this attempt has set,
   * or null.
   */
  readonly end: EndAttempt;
  /** The changes that its success brings, in the step that ends the pending login. */
  readonly success: { readonly clears: readonly string[]; readonly charges: readonly Counter[] };
}

/** An attempt as it was charged. */
export interface ChargedAttempt extends Attempt {
  /** Returns what takes it back once the same code is right at another text. */
  readonly findReplaced: () => readonly Counter[];
}

/** The outcomes that take back what the same code was judged before: it was right after all. */
const TAKE_BACK_BOTH: readonly AttemptOutcome[] = ['sent-twice', 'not-used'];

/**
 * Joins the attempts of one typed code that was wrong at the newest text, and then judged at the
 * one before. Where it is right there, the first judgement is taken back in the same step.
 */
export function joinAttempts(wrong: ChargedAttempt, last: ChargedAttempt): Attempt {
  const { clears, charges } = last.success;
  const replaced = wrong.findReplaced().filter(({ key }) => !clears.includes(key));
  return {
    end: async (outcome, more) => {
      const stop = await wrong.end(TAKE_BACK_BOTH.includes(outcome) ? outcome : 'wrong');
      return (await last.end(outcome, more)) ?? stop;
    },
    success: { clears, charges: addUp([...replaced, ...charges]) },
  };
}

/** Adds up what is given back to the same counter: no call names a counter twice. */
function addUp(given: readonly Counter[]): readonly Counter[] {
  const byKey = new Map<string, Counter>();
  for (const counter of given) {
    const amount = (byKey.get(counter.key)?.amount ?? 0) + (counter.amount ?? 0);
    byKey.set(counter.key, { ...counter, amount });
  }
  return [...byKey.values()];
}

type EndAttempt = (
  outcome: Exclude<AttemptOutcome, 'right' | 'replaced'>,
  more?: readonly Counter[],
) => Promise<AttemptStop | null>;

/** Whose attempt it is, and where it was made. */
export interface AttemptSubject extends Pick<PendingLogin, 'userId' | 'bucket'> {
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  readonly emit: (event: AttemptEvent) => void;
}

/** Counts an attempt at one factor on its user, before the code is judged, or refuses it. */
export type AttemptLimit = (
  subject: AttemptSubject,
) => Promise<
  | { readonly kind: 'counted'; readonly attempt: ChargedAttempt }
  | ({ readonly kind: 'refused' } & AttemptStop)
>;

interface AttemptParts {
  readonly counters: CounterStore;
  readonly limits: Limits;
  /** The factors whose codes can be guessed: a success lifts the locks of all of them. */
  readonly guessableMethods: readonly string[];
  readonly hasKnownBrowsers: boolean;
  readonly userBlocks: UserBlocks;
}

interface AttemptRow {
  readonly budget: AttemptBudget;
  readonly counter: Counter;
}

/**
 * Returns what one attempt at a code that can be guessed is counted in: the hundred of its side,
 * and the ten of this known browser, or of this factor in all other browsers; there the sixty as
 * well.
 */
export function guessRows(
  { limits: { failures }, hasKnownBrowsers }: Pick<AttemptParts, 'limits' | 'hasKnownBrowsers'>,
  user: string,
  bucket: string,
  method: string,
): readonly AttemptRow[] {
  const { max, disableAfter } = failures;
  const hundred = USER_KEYS.attempts(user, sideOf(bucket));
  const side: AttemptRow = {
    budget: 'hundred',
    counter: createCounter(hundred, null, { max: disableAfter }),
  };
  if (bucket !== OTHER_BROWSERS) {
    const browser = createCounter(USER_KEYS.browser(user, bucket), null, { max });
    return [
      side,
      { budget: 'ten', counter: browser },
      { budget: 'cut-off', counter: cutOffGuard(user, bucket) },
    ];
  }
  const lock = { every: max, seconds: doubling(FIRST_LOCK_SECONDS, DAY_SECONDS) };
  // Set by the charge that counts: a second call after the judgement would let parallel guesses by.
  const dayLock = { every: 1, from: SLOW_GUESSING_FAILURES, seconds: [DAY_SECONDS] };
  const slow = createCounter(USER_KEYS.slow(user), 30 * DAY_SECONDS, {
    lock: hasKnownBrowsers ? dayLock : undefined,
  });
  return [
    side,
    { budget: 'ten', counter: createCounter(USER_KEYS.lock(user, method), null, { lock }) },
    { budget: 'sixty', counter: slow },
  ];
}

/** Refuses a browser that the user's cut-off has made unknown since its last success. */
function cutOffGuard(user: string, bucket: string): Counter {
  const max = knownAtOf(bucket);
  return createCounter(USER_KEYS.cutOff(user), null, { max, isOnlyRead: true });
}

/**
 * Makes the user's browsers unknown that have been known from this second since 1970, or from an
 * earlier one.
 */
export function cutOffCounter(user: string, second: number): Counter {
  return createCounter(USER_KEYS.cutOff(user), null, { raisesTo: second });
}

/** A send, a trusted device and a wait without a text look at these, and count nothing in them. */
export interface GuessGuard {
  readonly limit: 'failures' | 'lock';
  readonly counter: Counter;
}

/** Returns counters that refuse as long as texted codes of this browser are refused. */
export function guessGuards(
  parts: Pick<AttemptParts, 'limits' | 'hasKnownBrowsers'>,
  user: string,
  bucket: string,
): readonly GuessGuard[] {
  return guessRows(parts, user, bucket, 'sms').map(({ budget, counter }) => ({
    limit: budget === 'hundred' ? 'failures' : 'lock',
    counter: readOnly(counter),
  }));
}

/**
 * Charges a known browser and, when its attempts have been used up, charges it as one of the
 * others.
 * @param charge Charges rows, of which the guards have the limit `failures` or `lock`.
 */
export async function chargeBrowser<
  Charged extends { readonly limit: string | null; readonly counter: Counter },
>(
  bucket: string,
  charge: (bucket: string) => Promise<ChargeResult<Charged>>,
): Promise<ChargeResult<Charged> & { readonly bucket: string }> {
  const charged = await charge(bucket);
  const limit = charged.refusedBy?.row.limit;
  const isFull = bucket !== OTHER_BROWSERS && (limit === 'failures' || limit === 'lock');
  const { refusedBy, rows } = isFull ? await charge(OTHER_BROWSERS) : charged;
  return { bucket: isFull ? OTHER_BROWSERS : bucket, refusedBy, rows };
}

/** Makes the count of attempts at the codes of a factor that can be guessed. */
function createGuessLimit(parts: AttemptParts, method: string): AttemptLimit {
  const { counters, limits, guessableMethods } = parts;
  const { max, disableAfter } = limits.failures;

  return async function charge({ userId, bucket, emit }) {
    const isKnown = bucket !== OTHER_BROWSERS;
    const charged = await chargeRows(counters, guessRows(parts, userId, bucket, method));
    if (charged.refusedBy !== null)
      return { kind: 'refused', ...toStop(charged.refusedBy, isKnown, method) };
    const { rows } = charged;
    const countOf = (budget: AttemptBudget): number =>
      rows.find(({ row }) => row.budget === budget)?.count.count ?? 0;
    const hundred = countOf('hundred');

    const end: EndAttempt = async (outcome, more = []) => {
      const budgets = ATTEMPTS_GIVEN_BACK[outcome];
      const isGiven = await giveBack(counters, [...findGivenBack(rows, budgets), ...more]);
      const leaves = (budget: AttemptBudget): boolean => isGiven && budgets.includes(budget);
      if (leaves('hundred')) return null;
      // Not when it is counted: a right code has been counted as well, and is no failure.
      emit({ type: 'failure-count-changed', failures: hundred });
      if (isKnown) {
        const failures = leaves('ten') ? 0 : countOf('ten');
        if (failures >= max) emit({ type: 'browser-unknown', failures });
        return null;
      }
      const failures = leaves('sixty') ? 0 : countOf('sixty');
      if (failures === SLOW_GUESSING_FAILURES) emit({ type: 'guessing-slowly', failures });
      const kept = rows.filter(({ row }) => !leaves(row.budget));
      const lock = kept.find(({ row }) => row.budget === 'ten')?.count.lockedSeconds ?? 0;
      if (hundred >= disableAfter) emit({ type: 'disabled' });
      else if (lock > 0) emit({ type: 'locked', lockedSeconds: lock });
      const stopping = kept.find(({ row, count }) =>
        row.budget === 'hundred' ? count.count >= disableAfter : count.lockedSeconds > 0,
      );
      return stopping === undefined ? null : toStop(stopping, isKnown, method);
    };

    const clears = keysClearedBySuccess(userId, guessableMethods, bucket);
    return { kind: 'counted', attempt: toAttempt(rows, clears, end) };
  };
}

/** A known browser is not locked: it counts as one of the others from its next text on. */
function toStop(
  { row, count }: Counted<AttemptRow>,
  isKnown: boolean,
  method: string,
): AttemptStop {
  if (isKnown) return { refusal: { reason: 'too-many-attempts' }, stopsTexts: false };
  if (row.budget === 'hundred') return { refusal: { reason: 'disabled' }, stopsTexts: true };
  const retryAfterSeconds = Math.max(1, count.lockedSeconds);
  // Every factor has a ten of its own; the sixty is counted for all of them.
  const stopsTexts = method === 'sms' || row.budget === 'sixty';
  return { refusal: { reason: 'locked', retryAfterSeconds }, stopsTexts };
}

/**
 * Makes the count of attempts at recovery codes, which cannot be guessed: 120 bits. Nobody at
 * another address can close recovery.
 */
function createRecoveryLimit(parts: AttemptParts): AttemptLimit {
  return createUnguessableLimit(parts, async ({ userId, address }) => [
    ...(await addressRows(parts, 'recovery:address', userId, address)),
    {
      budget: 'watched',
      counter: createCounter(USER_KEYS.recovery(userId), DAY_SECONDS),
    },
  ]);
}

/** Makes the count of answers to a challenge of ours, which cannot be guessed: they lock nobody. */
function createAnswerLimit(parts: AttemptParts): AttemptLimit {
  return createUnguessableLimit(parts, ({ userId, bucket, address }) =>
    addressRows(parts, `answers:address:${sideOf(bucket)}`, userId, address),
  );
}

async function addressRows(
  { userBlocks }: AttemptParts,
  family: string,
  user: string,
  address: string | undefined,
): Promise<readonly AttemptRow[]> {
  const perDay = { max: MAX_PER_DAY, seconds: DAY_SECONDS };
  const blocks = await userBlocks(user, address);
  return perBlock(blocks, family, perDay).map((counter) => ({ budget: 'address', counter }));
}

function createUnguessableLimit(
  { counters, guessableMethods }: AttemptParts,
  findRows: (subject: AttemptSubject) => Promise<readonly AttemptRow[]>,
): AttemptLimit {
  return async function charge(subject) {
    const { userId, bucket, emit } = subject;
    const { refusedBy, rows } = await chargeRows(counters, await findRows(subject));
    if (refusedBy !== null) {
      const retryAfterSeconds = Math.max(1, refusedBy.count.resetSeconds ?? 1);
      const refusal = { reason: 'locked', retryAfterSeconds } as const;
      return { kind: 'refused', refusal, stopsTexts: false };
    }
    const watched = rows.find(({ row }) => row.budget === 'watched')?.count.count;

    const end: EndAttempt = async (outcome, more = []) => {
      const given = findGivenBack(rows, ATTEMPTS_GIVEN_BACK[outcome]);
      await giveBack(counters, [...given, ...more]);
      if (watched === MAX_PER_DAY) emit({ type: 'guessing-recovery-codes', failures: watched });
      return null;
    };

    const clears = keysClearedBySuccess(userId, guessableMethods, bucket);
    return { kind: 'counted', attempt: toAttempt(rows, clears, end) };
  };
}

function toAttempt(
  rows: readonly Counted<AttemptRow>[],
  clears: readonly string[],
  end: EndAttempt,
): ChargedAttempt {
  const find = (outcome: AttemptOutcome): readonly Counter[] =>
    findGivenBack(rows, ATTEMPTS_GIVEN_BACK[outcome]);
  return { end, findReplaced: () => find('replaced'), success: { clears, charges: find('right') } };
}

/** `doubling(30, 300)` is 30, 60, 120, 240, 300. */
export function doubling(first: number, last: number): readonly number[] {
  const steps: number[] = [];
  for (let step = first; step < last; step *= 2) steps.push(step);
  return [...steps, last];
}

/** Makes the limit that the attempts at the codes of one factor are counted by. */
export function createAttemptLimit(
  parts: AttemptParts,
  {
    method,
    counting,
  }: { readonly method: string; readonly counting: 'guess' | 'recovery' | 'answer' },
): AttemptLimit {
  if (counting === 'recovery') return createRecoveryLimit(parts);
  return counting === 'answer' ? createAnswerLimit(parts) : createGuessLimit(parts, method);
}
