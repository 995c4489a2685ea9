import type { SmsOtpStore } from './store';
import { withTimeout } from './with-timeout';

/** The parts of a store that a login uses. Tokens have a deadline of their own: the authentication's. */
export type GuardedStore = Omit<SmsOtpStore, 'tokens'>;

const OWN_GUARD = Symbol('own guard');

/** Marks the parts of a store whose calls end in time and with errors of ours by themselves. No copy or wrapper of a part is marked. */
export function markGuarded<Store extends object>(store: Store): Store {
  for (const part of Object.values(store)) Object.defineProperty(part, OWN_GUARD, { value: part });
  return store;
}

/**
 * Wraps any store: every call has a deadline of 2 s, and every failure becomes a `StoreError`, so that nothing a
 * third-party store throws goes further. A part that the store lacks is absent here as well.
 * @param emit Called for every call with its duration, and again for each that failed. Without it nothing is timed, and parts
 *   that guard themselves are used as they are.
 */
export function guardStore(store: SmsOtpStore, emit?: (event: StoreEvent) => void): GuardedStore {
  const guard: Guard = emit === undefined ? withTimeout : createReportingGuard(emit);
  const { challenges, counters, recoveryCodes, devices, browsers, logins, notes } = store;
  return {
    challenges: guardPart(challenges, '', ['begin', 'claim', 'find', 'consume', 'discard', 'discardAll']),
    counters: guardPart(counters, '', ['charge', 'clear', 'lock']),
    ...(recoveryCodes && { recoveryCodes: guardPart(recoveryCodes, 'recoveryCodes.', ['replace', 'spend', 'count']) }),
    ...(devices && { devices: guardPart(devices, 'devices.', ['add', 'rotate', 'list', 'remove', 'removeAll']) }),
    ...(browsers && { browsers: guardPart(browsers, 'browsers.', ['remember', 'list', 'forget']) }),
    ...(logins && { logins: guardPart(logins, 'logins.', ['begin', 'find', 'end', 'list', 'endAll']) }),
    ...(notes && { notes: guardPart(notes, 'notes.', ['read', 'write', 'remove']) }),
  };

  function guardPart<Part extends object>(part: Part, prefix: string, names: readonly (keyof Part & string)[]) {
    if (emit === undefined && Reflect.get(part, OWN_GUARD) === part) return part;
    const guarded = names.map((name) => [
      name,
      // All fields of a part are calls.
      (...values: unknown[]) => guard(`${prefix}${name}`, () => (part[name] as Call)(...values)),
    ]);
    // The named calls are all that a part has.
    return Object.fromEntries(guarded) as Part;
  }
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
