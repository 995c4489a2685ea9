import cluster from 'node:cluster';
import { markGuarded } from '../guarded-store';
import { loadRecords, type Records } from '../load-records';
import type { NextParts, NoteStore, SmsOtpStore } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';
import { memoryChallenges } from './memory-challenges';
import { memoryCounters } from './memory-counters';
import { memoryBrowsers, memoryDevices, memoryRecoveryCodes } from './memory-devices';
import { memoryFinish } from './memory-finish';
import { memoryLogins } from './memory-logins';
import { memoryPendingLogins } from './memory-pending-logins';
import { memoryRecords } from './memory-records';
import { memoryTokens } from './memory-tokens';

export interface MemoryStoreOptions {
  /**
   * The most pending logins it holds; as many challenges, users with recovery codes, trusted
   * devices, known browsers, logins, notes, and records of each kind; and ten times as many
   * counters, because each login is counted in ten places, and records of logins. Default 100,000.
   */
  readonly maxEntries?: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Counters that one login may need: of its user, number, prefix and address, in several windows.
 */
const COUNTERS_PER_CHALLENGE = 10;

/**
 * Creates a store that keeps all state in this process: for development, tests, and small
 * applications of one process that may forget on restart.
 *
 * It is bounded: when live entries fill it, it refuses with a `StoreError` and nothing is sent.
 * Nothing live is ever evicted, because an evicted counter is a limit that is gone. Expired entries
 * give their room back with the calls that follow; there are no timers. It warns once, with code
 * `SMS_OTP_MEMORY_STORE`, when `NODE_ENV` is `production` and in a worker of `node:cluster`, where
 * each process would count for itself.
 *
 * @throws {TypeError} When `maxEntries` is not a whole number from 1.
 */
export function memoryStore({
  maxEntries = 100_000,
  now = Date.now,
}: MemoryStoreOptions = {}): Required<SmsOtpStore> & NextParts {
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
    throw new TypeError('maxEntries must be a whole number from 1');
  }
  if (process.env.NODE_ENV === 'production' || cluster.isWorker) warn();
  const records = loadRecords();
  const pendingLogins = memoryPendingLogins(maxEntries, now);
  const counters = memoryCounters(maxEntries * COUNTERS_PER_CHALLENGE, now);
  const smallRecords = memoryRecords(maxEntries, now);
  return markGuarded({
    challenges: memoryChallenges(maxEntries, now, records),
    counters: counters.store,
    pendingLogins: pendingLogins.store,
    records: smallRecords.store,
    finish: memoryFinish({ pendingLogins, counters, records: smallRecords }, now),
    tokens: memoryTokens(maxEntries, now),
    recoveryCodes: memoryRecoveryCodes(maxEntries, now, records),
    devices: memoryDevices(maxEntries, now, records),
    browsers: memoryBrowsers(maxEntries, now, records),
    logins: memoryLogins(maxEntries, now, records),
    notes: memoryNotes(maxEntries, now, records),
  });
}

function warn(): void {
  process.emitWarning(
    'memoryStore() keeps challenges and limits in this process alone: they are lost on restart ' +
      'and not shared. Use redisStore or postgresStore in production.',
    { code: 'SMS_OTP_MEMORY_STORE' },
  );
}

function memoryNotes(maxEntries: number, now: () => number, records: Promise<Records>): NoteStore {
  const notes = new ExpiringMap<StoredNote>(maxEntries, now);

  function write(key: string, text: string, ttlSeconds: number): void {
    if (notes.get(key) === undefined) notes.makeRoom(1);
    notes.add({ key, text, deadlineMs: now() + ttlSeconds * 1000 });
  }

  function remove(key: string): void {
    const found = notes.get(key);
    if (found !== undefined) notes.delete(found);
  }

  return {
    read: (key) => toPromise(() => notes.get(key)?.text ?? null),
    write: async (key, text, ttlSeconds) => {
      (await records).checkNote(text, ttlSeconds);
      write(key, text, ttlSeconds);
    },
    remove: (key) => toPromise(() => remove(key)),
  };
}

interface StoredNote extends Expiring {
  readonly text: string;
}
