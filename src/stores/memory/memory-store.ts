import cluster from 'node:cluster';
import { markParts } from '../one-store';
import type { SmsOtpStore } from '../store';
import { memoryCounters } from './memory-counters';
import { memoryFinish } from './memory-finish';
import { memoryPendingLogins } from './memory-pending-logins';
import { memoryRecords } from './memory-records';
import { memoryTokens } from './memory-tokens';

export interface MemoryStoreOptions {
  /**
   * The most pending logins, and records of each kind. The store holds ten times as many counters,
   * because each login is counted in ten places, and ten times as many records of logins. Default:
   * 100,000.
   */
  readonly maxEntries?: number;
  /** Returns the time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Counters that one login may need, for its user, number, prefix and address in several windows.
 */
const COUNTERS_PER_LOGIN = 10;

/**
 * Creates a store that keeps all state in this process: for development, tests, and small apps of
 * one process that can afford to lose it at a restart.
 *
 * Its size is limited. If active entries fill it, it refuses with a `StoreError` and nothing is
 * sent. It never evicts an active entry, because an evicted counter is a lost limit. Later calls
 * remove expired entries; there are no timers. It warns once, with code `SMS_OTP_MEMORY_STORE`, if
 * `NODE_ENV` is `production`, and in a worker of `node:cluster`, where each process would count for
 * itself.
 *
 * @throws {TypeError} if `maxEntries` is not a whole number from 1.
 */
export function memoryStore(options: MemoryStoreOptions = {}): SmsOtpStore {
  const { maxEntries = 100_000, now = Date.now } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1) {
    throw new TypeError('maxEntries must be a whole number from 1');
  }
  if (process.env.NODE_ENV === 'production' || cluster.isWorker) warn();

  const pendingLogins = memoryPendingLogins(maxEntries, now);
  const counters = memoryCounters(maxEntries * COUNTERS_PER_LOGIN, now);
  const records = memoryRecords(maxEntries, now);

  return markParts({
    pendingLogins: pendingLogins.store,
    counters: counters.store,
    records: records.store,
    tokens: memoryTokens(maxEntries, now),
    finish: memoryFinish({ pendingLogins, counters, records }, now),
  });
}

function warn(): void {
  process.emitWarning(
    'memoryStore() keeps logins and limits in this process only: a restart ends all logins and ' +
      'forgets all limits, and no other process shares them. Use redisStore or postgresStore in ' +
      'production.',
    { code: 'SMS_OTP_MEMORY_STORE' },
  );
}
