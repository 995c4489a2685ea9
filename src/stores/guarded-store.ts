import {
  isBegun,
  isBoolean,
  isCharge,
  isClaim,
  isFinishResult,
  isFoundLogin,
  isNewestLogin,
  isPutResult,
  isRecordOrNull,
  isRecords,
  isStrings,
} from './check-answers';
import {
  checkClaim,
  checkCounters,
  checkFinish,
  checkOtp,
  checkPendingLogin,
  checkPut,
  checkSwap,
} from './check-values';
import type * as PendingLoginsModule from './pending-logins';
import type { PendingLogins } from './pending-logins';
import type * as RecordSetsModule from './record-sets';
import type { RecordSets } from './record-sets';
import type {
  AttachedOtp,
  ClaimOptions,
  CounterStore,
  FinishOptions,
  NoteStore,
  SmsOtpStore,
  StoredRecord,
} from './store';
import { StoreError, type Warn } from '../errors';
import { withTimeout } from './with-timeout';

/**
 * The parts of a store that a login uses: pending logins and records, parsed, and the counters.
 * Tokens are not among them, because their deadline is that of the authentication.
 */
export interface GuardedStore extends RecordSets {
  readonly pendingLogins: PendingLogins;
  readonly counters: CounterStore;
}

/**
 * Checks the answers of calls that decide something, given their arguments. A login trusts a
 * guarded store: no other file checks answers.
 */
const ANSWER_CHECKS: Readonly<Record<string, (answer: unknown, asked: unknown) => boolean>> = {
  begin: isBegun,
  attach: isBoolean,
  claim: isClaim,
  find: isFoundLogin,
  findNewest: isNewestLogin,
  end: isBoolean,
  finish: isFinishResult,
  charge: isCharge,
  'records.put': isPutResult,
  'records.find': isRecordOrNull,
  'records.swap': isBoolean,
  'records.list': isRecords,
  'records.remove': isBoolean,
  'records.removeAll': isStrings,
};

/** Checks what is handed to a store, before it is called: no store has checks of its own. */
const INPUT_CHECKS: Readonly<Record<string, (...values: never[]) => void>> = {
  begin: checkPendingLogin,
  attach: (_pendingId: string, otp: AttachedOtp) => checkOtp(otp),
  claim: (_pendingId: string, options: ClaimOptions) => checkClaim(options),
  finish: (_pendingId: string, options: FinishOptions) => checkFinish(options),
  charge: checkCounters,
  'records.put': checkPut,
  'records.swap': (_record: object, _seenTag: string, next: StoredRecord, life: number | null) =>
    checkSwap(next, life),
};

/**
 * Wraps any store. Every call has a deadline of 2 s. Every failure becomes a `StoreError`, so that
 * no error of a third-party store is passed on. An answer that breaks the contract is a
 * `StoreError` too.
 * @param now Returns the time in milliseconds since 1970.
 * @param emit Called for every call with its duration, and again for each that failed. Without it
 * no time is measured.
 * @param warn Warns of a failure, once per cause.
 */
export function guardStore(
  store: SmsOtpStore,
  now: () => number,
  emit?: (event: StoreEvent) => void,
  warn?: Warn,
): GuardedStore {
  const guard = createGuard(emit, warn);
  const { createPendingLogins, createRecordSets } = loadStoredValues();
  const pendingLogins = guardPart(store.pendingLogins, '', [
    'begin',
    'attach',
    'claim',
    'find',
    'findNewest',
    'end',
    'endAll',
  ]);
  const whole = guardPart(store, '', ['finish']);
  const records = guardPart(store.records, 'records.', [
    'put',
    'find',
    'swap',
    'list',
    'remove',
    'removeAll',
  ]);

  return {
    pendingLogins: createPendingLogins({ pendingLogins, finish: whole.finish.bind(store) }, now),
    counters: guardPart(store.counters, '', ['charge', 'clear', 'unlock']),
    ...createRecordSets(records, now),
  };

  function guardPart<Part extends object>(
    part: Part,
    prefix: string,
    names: readonly (keyof Part & string)[],
  ) {
    const guarded = names.map((name) => {
      const operation = `${prefix}${name}`;
      const isAnswer = ANSWER_CHECKS[operation];
      // Each check takes what its call takes.
      const checkInput = INPUT_CHECKS[operation] as ((...values: unknown[]) => void) | undefined;

      const call = async (...values: unknown[]): Promise<unknown> => {
        checkInput?.(...values);
        // All fields of a part are calls.
        const answer = await (part[name] as AnyCall)(...values);
        if (isAnswer?.(answer, values[0]) === false)
          throw new StoreError(`${operation}: unknown answer`);
        return answer;
      };

      return [name, (...values: unknown[]) => guard(operation, () => call(...values))] as const;
    });
    // The named calls are the whole part.
    return Object.fromEntries(guarded) as Part;
  }
}

/**
 * Returns the notes that policies keep in a store, for use outside a login: for example, to remove
 * the notes about a number when its user's account is deleted. A call that fails rejects with a
 * `StoreError`.
 * @param store The store that was passed to `createSmsOtp`.
 */
export function policyNotes(store: SmsOtpStore): NoteStore {
  return guardStore(store, Date.now).notes;
}

/** Loads zod and the schemas when a store is wrapped, so that importing the package is fast. */
function loadStoredValues(): typeof PendingLoginsModule & typeof RecordSetsModule {
  return {
    ...(require('./pending-logins') as typeof PendingLoginsModule),
    ...(require('./record-sets') as typeof RecordSetsModule),
  };
}

type AnyCall = (...values: unknown[]) => Promise<unknown>;

/** The events of store calls. */
export type StoreEvent =
  /**
   * A call failed. It has logged no one in, but a message may have been sent. `cause`: the code of
   * the store's error, or our words for it. Null if nothing is known.
   */
  | { readonly type: 'store-failing'; readonly operation: string; readonly cause: string | null }
  /** A call ended. `cause`: that of a failure, as in `store-failing`. */
  | {
      readonly type: 'store-call';
      readonly operation: string;
      readonly outcome: 'ok' | 'failed';
      readonly durationMs: number;
      readonly cause?: string | null;
    };

function createGuard(emit: ((event: StoreEvent) => void) | undefined, warn?: Warn): Guard {
  return async (operation, call) => {
    const onEnd = emit && watchCall(operation, emit);

    try {
      const result = await withTimeout(operation, call);
      onEnd?.({ outcome: 'ok' });
      return result;
    } catch (error) {
      const { message, problem } = toStoreError(operation, error);
      onEnd?.({ outcome: 'failed', cause: problem });
      emit?.({ type: 'store-failing', operation, cause: problem });
      warn?.('SMS_OTP_STORE_FAILING', message, problem ?? '');
      throw error;
    }
  };
}

type StoreCall = Extract<StoreEvent, { readonly type: 'store-call' }>;

/** Starts to time a call. Returns a function to call at its end. */
function watchCall(
  operation: string,
  emit: (event: StoreEvent) => void,
): (end: Pick<StoreCall, 'outcome' | 'cause'>) => void {
  const startedAtMs = performance.now();
  return (end) => {
    const durationMs = performance.now() - startedAtMs;
    emit({ type: 'store-call', operation, ...end, durationMs });
  };
}

function toStoreError(operation: string, error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError(operation, error);
}

type Guard = <Result>(operation: string, call: () => Promise<Result>) => Promise<Result>;
