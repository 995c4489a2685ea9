import type { Counter, CounterStore, PendingLogin } from '../stores/store';
import type { UserBlocks } from './address-block';
import { OTHER_BROWSERS } from './buckets';
import { type ChargeResult, chargeRows, type Counted, isFull, waitOf } from './charge';
import { ATTEMPT_REFUNDS, type AttemptOutcome, findRefunds, refundAndRead } from './refunds';
import type { LimitRow, LimitTable } from './rows';
import { type About, type Act, SLOW_GUESSING_FAILURES, UNGUESSABLE_PER_DAY } from './table';

/** An event about the user that follows from an attempt or one of its counters. */
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
  readonly reason: 'locked' | 'disabled';
  readonly retryAfterSeconds?: number;
}

/** Why the next attempt in this browser is refused, and whose messages are refused too. */
export interface AttemptStop {
  readonly refusal: AttemptRefusal;
  /** `factor`: those of the factor of the attempt, if it sends its codes. */
  readonly stops: 'all-messages' | 'factor' | 'nothing';
}

/** An attempt that has been counted against the user. */
export interface Attempt {
  /**
   * Refunds the counts that the outcome refunds, and emits the events of the others. `more` is
   * refunded in the same store call. Returns the lock that this attempt has set, or null.
   */
  readonly end: EndAttempt;
  /**
   * The changes of a success, for the step that ends the pending login. A getter, because a failed
   * attempt does not need them.
   */
  readonly success: { readonly clears: readonly string[]; readonly charges: readonly Counter[] };
}

export interface ChargedAttempt extends Attempt {
  /** Returns the refunds for the case that the same code is right at another OTP. */
  readonly findReplaced: () => readonly Counter[];
}

/**
 * Outcomes after which the check at the newest OTP is refunded too: the code was right at the
 * previous one.
 */
const REFUNDS_BOTH: readonly AttemptOutcome[] = ['sent-twice', 'not-used'];

/**
 * Joins the attempts of one typed code that was wrong at the newest OTP, then checked at the
 * previous one. If it is right there, the first attempt is refunded in the same step.
 */
export function joinAttempts(wrong: ChargedAttempt, last: ChargedAttempt): Attempt {
  return {
    end: async (outcome, more) => {
      // End the last attempt first: the other one then reports what stays counted.
      const stop = await last.end(outcome, more);
      const wrongStop = await wrong.end(REFUNDS_BOTH.includes(outcome) ? outcome : 'wrong', []);
      return stop ?? wrongStop;
    },

    get success() {
      const { clears, charges } = last.success;
      const replaced = wrong.findReplaced().filter(({ key }) => !clears.includes(key));
      return { clears, charges: addUp([...replaced, ...charges]) };
    },
  };
}

/** Adds up refunds of the same counter, because a store call may name each counter once. */
function addUp(refunds: readonly Counter[]): readonly Counter[] {
  const byKey = new Map<string, Counter>();
  for (const counter of refunds) {
    // Each of these counters refunds a single charge.
    const amount = (byKey.get(counter.key)?.amount ?? 0) - 1;
    byKey.set(counter.key, { ...counter, amount });
  }
  return [...byKey.values()];
}

type EndAttempt = (
  outcome: Exclude<AttemptOutcome, 'right' | 'replaced'>,
  more: readonly Counter[],
) => Promise<AttemptStop | null>;

/** Whose attempt it is, and where it was made. */
export interface AttemptSubject extends Pick<PendingLogin, 'userId' | 'bucket'> {
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  readonly emit: (event: AttemptEvent) => void;
}

/** Counts an attempt at one factor for its user before the code is checked, or refuses it. */
export type AttemptLimit = (subject: AttemptSubject) => Promise<
  /** `bucket`: the browser for which it was counted. */
  | { readonly kind: 'counted'; readonly attempt: ChargedAttempt; readonly bucket: string }
  | ({ readonly kind: 'refused' } & AttemptStop)
>;

interface AttemptParts {
  readonly counters: CounterStore;
  readonly limits: LimitTable;
  readonly userBlocks: UserBlocks;
}

/**
 * Charges a known browser. If its attempts are used up, charges it as one of the others.
 * @param charge Charges rows. Guards among them have the limit `failures` or `lock`.
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

/** Returns the function that counts attempts at a factor whose codes can be guessed. */
function createGuessLimit(parts: AttemptParts, method: string): AttemptLimit {
  const { counters, limits } = parts;

  return async function charge(subject) {
    const { userId: user } = subject;
    const ownAddresses = await parts.userBlocks(user, subject.address);
    const aboutOf = (bucket: string) => ({ user, bucket, method, ownAddresses });

    const charged = await chargeBrowser(subject.bucket, (one) =>
      chargeRows(counters, limits.rowsOf('guess', aboutOf(one))),
    );
    const { bucket, refusedBy, rows } = charged;
    const isKnown = bucket !== OTHER_BROWSERS;
    if (refusedBy !== null) return { kind: 'refused', ...toStop(refusedBy) };

    const end: EndAttempt = async (outcome, more) => {
      const failure = await refundAttempt(counters, rows, outcome, more);
      // Emit this here and not when the attempt is counted: right codes are counted too, and are
      // not failures.
      if (failure === null) return null;

      for (const event of eventsOfFailure(failure, isKnown)) subject.emit(event);

      // A known browser is not locked: its next attempt counts as one of the others.
      const full = isKnown ? undefined : failure.kept.find(isFull);
      return full === undefined ? null : toStop(full);
    };

    const findCleared = (): readonly string[] => limits.keysClearedBySuccess(aboutOf(bucket));
    return { kind: 'counted', bucket, attempt: toAttempt(rows, findCleared, end) };
  };
}

/** A failed attempt, after its refunds. */
interface FailedAttempt {
  /** The rows in which the attempt stays counted. */
  readonly kept: readonly Counted<LimitRow>[];
  /** The failures that the store counts now, with attempts of other requests. */
  readonly failures: number;
}

/**
 * Refunds what an outcome refunds, and `more`. Reads the failures in the same store call. Returns
 * null if the attempt is no failure, or if a success has cleared the failures meanwhile.
 */
async function refundAttempt(
  counters: CounterStore,
  rows: readonly Counted<LimitRow>[],
  outcome: AttemptOutcome,
  more: readonly Counter[],
): Promise<FailedAttempt | null> {
  const budgets: readonly (string | null)[] = ATTEMPT_REFUNDS[outcome];
  const kept = rows.filter(({ row }) => !budgets.includes(row.budget));
  const charged = findFailures(kept);
  const refunds = [...toRefunds(rows, outcome), ...more];
  const refunded = await refundAndRead(counters, refunds, charged?.row.counter.key);

  if (refunded === null) {
    const all = findFailures(rows);
    return all === undefined ? null : { kept: rows, failures: all.count.count };
  }

  const { count: read } = refunded;
  if (charged === undefined || read?.generation !== charged.count.generation) return null;
  const count = { ...charged.count, count: Math.min(charged.count.count, read.count) };
  return {
    kept: kept.map((one) => (one === charged ? { ...charged, count } : one)),
    failures: read.count,
  };
}

/** Returns the count of failures, which disables codes. Undefined: the attempt has none. */
function findFailures(rows: readonly Counted<LimitRow>[]): Counted<LimitRow> | undefined {
  return rows.find(({ row }) => row.budget === 'disable');
}

function toRefunds(
  rows: readonly Counted<LimitRow>[],
  outcome: AttemptOutcome,
): readonly Counter[] {
  return findRefunds(rows, ATTEMPT_REFUNDS[outcome]);
}

/** Returns the events of a failed attempt, by the counts that it has reached. */
function eventsOfFailure(
  { kept, failures }: FailedAttempt,
  isKnown: boolean,
): readonly AttemptEvent[] {
  const slow = kept.find(({ row }) => row.name === 'slow-guessing');
  const full = kept.filter(isFull);
  const findFull = (name: string) => full.find(({ row }) => row.name === name);
  const events: AttemptEvent[] = [{ type: 'failure-count-changed', failures }];

  const browser = findFull('browser');
  if (browser !== undefined)
    events.push({ type: 'browser-unknown', failures: browser.count.count });

  if (slow?.count.count === SLOW_GUESSING_FAILURES)
    events.push({ type: 'guessing-slowly', failures: SLOW_GUESSING_FAILURES });

  if (isKnown) return events;

  const lock = findFull('lock');
  if (findFull('failures') !== undefined) events.push({ type: 'disabled' });
  else if (lock !== undefined) events.push({ type: 'locked', lockedSeconds: waitOf(lock) });

  return events;
}

function toStop(stopping: Counted<LimitRow>): AttemptStop {
  const { limit, isPerMethod } = stopping.row;
  if (limit === 'failures') return { refusal: { reason: 'disabled' }, stops: 'all-messages' };
  return { refusal: toLocked(stopping), stops: isPerMethod ? 'factor' : 'all-messages' };
}

function toLocked(stopping: Counted<LimitRow>): AttemptRefusal {
  return { reason: 'locked', retryAfterSeconds: Math.max(1, waitOf(stopping)) };
}

/**
 * Counts an action that a lock of unknown browsers does not refuse. A browser that is no longer
 * known counts as one of them.
 */
export function chargeDespiteLock(
  { counters, limits }: Pick<AttemptParts, 'counters' | 'limits'>,
  act: Act,
  about: About,
) {
  return chargeBrowser(about.bucket, (bucket) => {
    const here = { ...about, bucket };
    const guards = bucket === OTHER_BROWSERS ? [] : limits.guardsOf({ ...here, method: undefined });
    return chargeRows(counters, [...guards, ...limits.rowsOf(act, here)]);
  });
}

/**
 * Returns the function that counts attempts that cannot be guessed: recovery codes of 120 bits, and
 * passkey responses. They lock the address of the attempt, and no user.
 */
function createUnguessableLimit(
  parts: AttemptParts,
  counting: 'recovery' | 'answer',
): AttemptLimit {
  const { counters, limits } = parts;

  return async function charge(subject) {
    const { userId: user } = subject;
    const ownAddresses = await parts.userBlocks(user, subject.address);
    const aboutOf = (bucket: string) => ({ user, bucket, ownAddresses });

    const charged = await chargeDespiteLock(parts, counting, aboutOf(subject.bucket));
    const { bucket, refusedBy, rows } = charged;
    if (refusedBy !== null)
      return { kind: 'refused', refusal: toLocked(refusedBy), stops: 'nothing' };

    const watched = rows.find(({ row }) => row.name === 'watched')?.count.count;

    const end: EndAttempt = async (outcome, more) => {
      await refundAttempt(counters, rows, outcome, more);
      if (watched === UNGUESSABLE_PER_DAY)
        subject.emit({ type: 'guessing-recovery-codes', failures: watched });
      return null;
    };

    const findCleared = (): readonly string[] => limits.keysClearedBySuccess(aboutOf(bucket));
    return { kind: 'counted', bucket, attempt: toAttempt(rows, findCleared, end) };
  };
}

function toAttempt(
  rows: readonly Counted<LimitRow>[],
  findCleared: () => readonly string[],
  end: EndAttempt,
): ChargedAttempt {
  return {
    end,
    findReplaced: () => toRefunds(rows, 'replaced'),
    get success() {
      return { clears: findCleared(), charges: toRefunds(rows, 'right') };
    },
  };
}

/** Returns the limit for attempts at the codes of one factor. */
export function createAttemptLimit(
  parts: AttemptParts,
  factor: { readonly method: string; readonly counting: 'guess' | 'recovery' | 'answer' },
): AttemptLimit {
  return factor.counting === 'guess'
    ? createGuessLimit(parts, factor.method)
    : createUnguessableLimit(parts, factor.counting);
}
