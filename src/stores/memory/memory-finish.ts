import type { FinishOptions, FinishResult, SmsOtpStore } from '../store';
import { toPromise } from './expiring-map';
import type { MemoryCounters } from './memory-counters';
import type { MemoryPendingLogins } from './memory-pending-logins';
import type { MemoryRecords } from './memory-records';

interface FinishedParts {
  readonly pendingLogins: MemoryPendingLogins;
  readonly counters: MemoryCounters;
  readonly records: MemoryRecords;
}

/** Returns the `finish` of a store with these parts. */
export function memoryFinish(parts: FinishedParts, now: () => number): SmsOtpStore['finish'] {
  function finish(pendingId: string, options: FinishOptions): FinishResult {
    const nowMs = now();
    const endLogin = parts.pendingLogins.prepare(pendingId, options, nowMs);
    if (endLogin === null) return { isFinished: false };
    const putRecords = parts.records.prepare(options, nowMs);
    if (putRecords === null) return { isFinished: false };
    const count = parts.counters.prepare(options, nowMs);

    // From here on nothing can fail, because room was made for everything.
    endLogin();
    count();
    return { isFinished: true, ...putRecords() };
  }

  return (pendingId, options) => toPromise(() => finish(pendingId, options));
}
