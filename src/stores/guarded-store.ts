import {
  isBegun,
  isBoolean,
  isCharge,
  isClaim,
  isFound,
  isPutResult,
  isRecordOrNull,
  isRecords,
  isStrings,
} from './check-answers';
import type * as RecordSetsModule from './record-sets';
import type { RecordSets } from './record-sets';
import type { Counter, CounterStore, SmsOtpStore } from './store';
import { StoreError } from '../errors';
import { withTimeout } from './with-timeout';

/**
 * The parts of a store that a login uses, and the records by kind. Tokens have a deadline of their
 * own: the authentication's.
 */
export interface GuardedStore extends Pick<SmsOtpStore, 'challenges' | 'counters'>, RecordSets {
  readonly consumeAndClear: ConsumeAndClear;
}

/**
 * `consume`, and only when that is true `clear` and `charge`. Counters that stay are only stricter;
 * `isCleared` is false then.
 */
export type ConsumeAndClear = (
  otpId: string,
  change: {
    readonly byCode: boolean;
    readonly clears: readonly string[];
    readonly charges: readonly Counter[];
  },
) => Promise<{ readonly isConsumed: boolean; readonly isCleared: boolean }>;

type Parts = Pick<SmsOtpStore, 'challenges' | 'counters'>;

const OWN_GUARD = Symbol('own guard');

interface OwnGuard {
  readonly part: unknown;
  readonly counters: CounterStore;
  readonly consumeAndClear: ConsumeAndClear | undefined;
}

/**
 * Marks the parts of a store whose calls end in time and with errors of ours by themselves. No copy
 * or wrapper of a part is marked.
 * @param consumeAndClear In one round trip. It is not used for a store with other counters.
 */
export function markGuarded<Store extends Parts>(
  store: Store,
  consumeAndClear?: ConsumeAndClear,
): Store {
  for (const part of Object.values(store)) {
    const value: OwnGuard = { part, counters: store.counters, consumeAndClear };
    // Configurable: a proxy may return anything for it.
    Object.defineProperty(part, OWN_GUARD, { value, configurable: true });
  }
  return store;
}

function findOwnGuard(part: object): OwnGuard | undefined {
  const found = Reflect.get(part, OWN_GUARD) as OwnGuard | undefined;
  return found?.part === part ? found : undefined;
}

/** In two round trips: what is cleared waits for the answer that the challenge was consumed. */
function inTwoSteps({ challenges, counters }: Parts): ConsumeAndClear {
  return async (otpId, { byCode, clears, charges }) => {
    const isConsumed = await challenges.consume(otpId, { byCode });
    if (!isConsumed) return { isConsumed, isCleared: false };
    const clearing = counters.clear(clears);
    const charging = charges.length > 0 && counters.charge(charges);
    const [cleared] = await Promise.allSettled([clearing, charging]);
    return { isConsumed, isCleared: cleared.status === 'fulfilled' };
  };
}

/**
 * Says of the calls that decide something whether an answer is one, given what was asked. A login
 * trusts the answers of a guarded store: they are checked nowhere else.
 */
const CHECKS: Readonly<Record<string, (answer: unknown, asked: unknown) => boolean>> = {
  begin: isBegun,
  claim: isClaim,
  find: isFound,
  consume: isBoolean,
  charge: isCharge,
  'records.put': isPutResult,
  'records.find': isRecordOrNull,
  'records.swap': isBoolean,
  'records.list': isRecords,
  'records.remove': isBoolean,
  'records.removeAll': isStrings,
};

/**
 * Wraps any store: every call has a deadline of 2 s, and every failure becomes a `StoreError`, so
 * that nothing a third-party store throws goes further. So does an answer that is not as the
 * contract says. A part that the store lacks is absent here as well.
 * @param emit Called for every call with its duration, and again for each that failed. Without it
 * nothing is timed, and parts
 *   that guard themselves are used as they are.
 */
export function guardStore(
  store: SmsOtpStore,
  now: () => number,
  emit?: (event: StoreEvent) => void,
): GuardedStore {
  const guard: Guard = emit === undefined ? withTimeout : createReportingGuard(emit);
  const challenges = guardPart(store.challenges, '', [
    'begin',
    'claim',
    'find',
    'consume',
    'discard',
    'discardAll',
  ]);
  const counters = guardPart(store.counters, '', ['charge', 'clear', 'unlock']);
  const records = guardPart(store.records, 'records.', [
    'put',
    'find',
    'swap',
    'list',
    'remove',
    'removeAll',
  ]);
  const own = findOwnGuard(store.challenges);
  const inOneStep = own?.counters === store.counters ? own.consumeAndClear : undefined;
  return {
    challenges,
    counters,
    consumeAndClear:
      inOneStep === undefined
        ? inTwoSteps({ challenges, counters })
        : (otpId, change) => guard('consume', () => inOneStep(otpId, change)),
    ...loadRecordSets().createRecordSets(records, now),
  };

  function guardPart<Part extends object>(
    part: Part,
    prefix: string,
    names: readonly (keyof Part & string)[],
  ) {
    if (emit === undefined && findOwnGuard(part)) return part;
    const guarded = names.map((name) => {
      const operation = `${prefix}${name}`;
      const isAnswer = CHECKS[operation];
      const call = async (...values: unknown[]): Promise<unknown> => {
        // All fields of a part are calls.
        const answer = await (part[name] as Call)(...values);
        if (isAnswer?.(answer, values[0]) === false)
          throw new StoreError(`${operation}: unknown answer`);
        return answer;
      };
      return [name, (...values: unknown[]) => guard(operation, () => call(...values))] as const;
    });
    // The named calls are all that a part has.
    return Object.fromEntries(guarded) as Part;
  }
}

/** Loads zod and the schemas when a store is wrapped, so that importing the package stays cheap. */
function loadRecordSets(): typeof RecordSetsModule {
  return require('./record-sets') as typeof RecordSetsModule;
}

type Call = (...values: unknown[]) => Promise<unknown>;

/** Events of store calls. */
export type StoreEvent =
  /** The store failed; nothing was sent and no one was logged in. */
  | { readonly type: 'store-failing'; readonly operation: string }
  /** A call ended. */
  | {
      readonly type: 'store-call';
      readonly operation: string;
      readonly outcome: 'ok' | 'failed';
      readonly durationMs: number;
    };

function createReportingGuard(emit: (event: StoreEvent) => void): Guard {
  return async (operation, call) => {
    const startedAtMs = performance.now();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const result = await withTimeout(operation, call);
      outcome = 'ok';
      return result;
    } finally {
      emit({ type: 'store-call', operation, outcome, durationMs: performance.now() - startedAtMs });
      if (outcome === 'failed') emit({ type: 'store-failing', operation });
    }
  };
}

type Guard = <Result>(operation: string, call: () => Promise<Result>) => Promise<Result>;
