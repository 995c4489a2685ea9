import { memoryStore } from '../../src/stores/memory/memory-store';
import type { SmsOtpStore, TokenStore } from '../../src/stores/store';
import { type CallLog, type LoggedCall, logStore } from './log-store';
import type { Sabotage } from './sabotage';

/** The calls that change something, by the part whose checks must notice a missing lock. */
const CALLS = {
  pendingLogins: ['begin', 'attach', 'claim', 'end', 'endAll'],
  counters: ['charge', 'clear', 'unlock'],
  records: ['put', 'swap', 'remove', 'removeAll'],
} as const;

/**
 * Ways in which a store may have no lock between processes. Each is right in one process, where its
 * calls are made one after the other.
 */
export const sabotagesOfProcesses: Readonly<Record<string, Sabotage>> = {
  'has no lock between processes': withoutLock(() => true),
  'has none for finish': withoutLock((call) => call === 'finish', 'finish'),
  ...Object.fromEntries(
    Object.entries(CALLS).flatMap(([part, names]) =>
      names.map((name) => {
        const isUnlocked = (call: string): boolean => call === `${part}.${name}`;
        // The parts are those of a store.
        return [`has none for ${name}`, withoutLock(isUnlocked, part as keyof typeof CALLS)];
      }),
    ),
  ),
  'has a lease in each process': Object.assign(leaseInEachProcess, { part: 'tokens' as const }),
};

/** The log of each database. */
const logs = new WeakMap<SmsOtpStore, CallLog>();

function withoutLock(isUnlocked: (call: string) => boolean, part?: keyof SmsOtpStore): Sabotage {
  const sabotage: Sabotage = (database, now) => {
    const log = logs.get(database) ?? createLog();
    logs.set(database, log);
    const store = logStore(log, now, (call) => !isUnlocked(call));
    return { ...store, tokens: database.tokens };
  };
  return Object.assign(sabotage, part && { part });
}

/** A log in memory. */
function createLog(): CallLog {
  let calls: readonly LoggedCall[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: () => Promise.resolve(calls),
    write: (next) => {
      calls = next;
      return Promise.resolve();
    },
    lock: (work) => {
      const next = last.then(work);
      last = next.catch(() => undefined);
      return next;
    },
  };
}

function leaseInEachProcess(database: SmsOtpStore, now: () => number): SmsOtpStore {
  const own = memoryStore({ now }).tokens;
  const renew: TokenStore['renew'] = async (account, seen, work) => {
    const kept = await database.tokens.read(account);
    if (kept !== null && kept.fence > seen) return kept;

    let ttlSeconds = 600;
    const { fence, sealed } = await own.renew(account, seen, async () => {
      const renewed = await work(kept);
      ({ ttlSeconds } = renewed);
      return renewed;
    });
    const renewed = { sealed, ttlSeconds };
    return database.tokens.renew(account, fence - 1, () => Promise.resolve(renewed));
  };
  return { ...database, tokens: { ...database.tokens, renew } };
}
