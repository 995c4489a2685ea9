import type {
  BrowserStore,
  ChallengeStore,
  CounterStore,
  DeviceStore,
  NoteStore,
  RecoveryCodeStore,
  SmsOtpStore,
} from './store';
import { withTimeout } from './with-timeout';

/** The parts of a store that a login uses. Tokens have a deadline of their own: the authentication's. */
export type GuardedStore = Omit<SmsOtpStore, 'tokens'>;

/**
 * Wraps any store: every call has a deadline of 2 s, and every failure becomes a `StoreError`, so that nothing a
 * third-party store throws goes further. A part that the store lacks is absent here as well.
 * @param emit Called for every call with its duration, and again for each that failed. Without it nothing is timed.
 */
export function guardStore(store: SmsOtpStore, emit?: (event: StoreEvent) => void): GuardedStore {
  const guard: Guard = emit === undefined ? withTimeout : createReportingGuard(emit);
  const { challenges, counters, recoveryCodes, devices, browsers, notes } = store;
  return {
    challenges: guardChallenges(challenges, guard),
    counters: guardCounters(counters, guard),
    ...(recoveryCodes && { recoveryCodes: guardRecoveryCodes(recoveryCodes, guard) }),
    ...(devices && { devices: guardDevices(devices, guard) }),
    ...(browsers && { browsers: guardBrowsers(browsers, guard) }),
    ...(notes && { notes: guardNotes(notes, guard) }),
  };
}

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

function guardChallenges(challenges: ChallengeStore, guard: Guard): ChallengeStore {
  return {
    begin: (challenge, ttlSeconds) => guard('begin', () => challenges.begin(challenge, ttlSeconds)),
    claim: (otpId) => guard('claim', () => challenges.claim(otpId)),
    find: (otpId) => guard('find', () => challenges.find(otpId)),
    consume: (otpId, options) => guard('consume', () => challenges.consume(otpId, options)),
    discard: (otpId) => guard('discard', () => challenges.discard(otpId)),
    discardAll: (userId) => guard('discardAll', () => challenges.discardAll(userId)),
  };
}

function guardCounters(counters: CounterStore, guard: Guard): CounterStore {
  return {
    charge: (charged) => guard('charge', () => counters.charge(charged)),
    clear: (keys, options) => guard('clear', () => counters.clear(keys, options)),
    lock: (key, seconds) => guard('lock', () => counters.lock(key, seconds)),
  };
}

function guardRecoveryCodes(codes: RecoveryCodeStore, guard: Guard): RecoveryCodeStore {
  return {
    replace: (userId, hashes, options) =>
      guard('recoveryCodes.replace', () => codes.replace(userId, hashes, options)),
    spend: (userId, hash) => guard('recoveryCodes.spend', () => codes.spend(userId, hash)),
    count: (userId) => guard('recoveryCodes.count', () => codes.count(userId)),
  };
}

function guardDevices(devices: DeviceStore, guard: Guard): DeviceStore {
  return {
    add: (device, ttlSeconds, most) => guard('devices.add', () => devices.add(device, ttlSeconds, most)),
    rotate: (userId, deviceId, token) =>
      guard('devices.rotate', () => devices.rotate(userId, deviceId, token)),
    list: (userId) => guard('devices.list', () => devices.list(userId)),
    remove: (userId, deviceId) => guard('devices.remove', () => devices.remove(userId, deviceId)),
    removeAll: (userId) => guard('devices.removeAll', () => devices.removeAll(userId)),
  };
}

function guardBrowsers(browsers: BrowserStore, guard: Guard): BrowserStore {
  return {
    remember: (browser, ttlSeconds, most) =>
      guard('browsers.remember', () => browsers.remember(browser, ttlSeconds, most)),
    list: (userId) => guard('browsers.list', () => browsers.list(userId)),
    forget: (userId) => guard('browsers.forget', () => browsers.forget(userId)),
  };
}

function guardNotes(notes: NoteStore, guard: Guard): NoteStore {
  return {
    read: (key) => guard('notes.read', () => notes.read(key)),
    write: (key, text, ttlSeconds) => guard('notes.write', () => notes.write(key, text, ttlSeconds)),
    remove: (key) => guard('notes.remove', () => notes.remove(key)),
  };
}
