import { checkHashes } from '../check-input';
import { RECOVERY_CODE_LIFE_SECONDS } from '../records';
import type { RecoveryCodeStore } from '../store';
import { createBoundedMap, type Entry } from './bounded-map';
import { promise } from './promise';

/** The codes of one user. */
interface Kept extends Entry {
  readonly hashes: Set<string>;
}

export function memoryRecoveryCodes(maxEntries: number, now: () => number): RecoveryCodeStore {
  const users = createBoundedMap<Kept>(maxEntries, now);

  function replace(userId: string, hashes: readonly string[], isFirst: boolean): boolean {
    checkHashes(hashes);
    const found = users.get(userId);
    if (isFirst && found !== undefined) return false;
    if (found !== undefined) users.delete(found);
    if (hashes.length > 0) keep(userId, hashes);
    return true;
  }

  function keep(userId: string, hashes: readonly string[]): void {
    users.makeRoom(1);
    const deadlineMs = now() + RECOVERY_CODE_LIFE_SECONDS * 1000;
    users.put({ key: userId, hashes: new Set(hashes), deadlineMs, position: -1 });
  }

  function spend(userId: string, hash: string): { isSpent: boolean; left: number } {
    const found = users.get(userId);
    const isSpent = found?.hashes.delete(hash) === true;
    // Who has spent the last one has none, and gives the room back.
    if (found?.hashes.size === 0) users.delete(found);
    return { isSpent, left: found?.hashes.size ?? 0 };
  }

  return {
    replace: (userId, hashes, options) => promise(() => replace(userId, hashes, options?.isFirst === true)),
    spend: (userId, hash) => promise(() => spend(userId, hash)),
    count: (userId) => promise(() => users.get(userId)?.hashes.size ?? 0),
  };
}
