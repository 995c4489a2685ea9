import { checkHashes } from '../check-input';
import { RECORD_VERSION, RECOVERY_CODE_LIFE_SECONDS, requireWholeNumber } from '../records';
import type { RecoveryCodeStore } from '../store';
import { milliseconds } from './milliseconds';
import { COUNT, REPLACE, SPEND } from './recovery-code-scripts';
import type { RunScript } from './redis-client';

const LIFE_MS = milliseconds(RECOVERY_CODE_LIFE_SECONDS);

/** @param root What all keys begin with: the hash tag and a colon. */
export function redisRecoveryCodes(run: RunScript, root: string): RecoveryCodeStore {
  const codesKey = (userId: string): string => `${root}recovery-codes:${userId}`;
  const toMember = (hash: string): string => `${RECORD_VERSION}:${hash}`;

  async function replace(userId: string, hashes: readonly string[], isFirst: boolean): Promise<boolean> {
    checkHashes(hashes);
    const operation = 'recoveryCodes.replace';
    const values = [isFirst ? 1 : 0, LIFE_MS, ...hashes.map(toMember)];
    return requireWholeNumber(operation, await run(operation, REPLACE, [codesKey(userId)], values)) === 1;
  }

  async function spend(userId: string, hash: string): Promise<{ isSpent: boolean; left: number }> {
    const operation = 'recoveryCodes.spend';
    const reply = await run(operation, SPEND, [codesKey(userId)], [toMember(hash)]);
    const [spent, left] = Array.isArray(reply) ? (reply as unknown[]) : [];
    return {
      isSpent: requireWholeNumber(operation, spent) === 1,
      left: requireWholeNumber(operation, left),
    };
  }

  async function count(userId: string): Promise<number> {
    const operation = 'recoveryCodes.count';
    return requireWholeNumber(operation, await run(operation, COUNT, [codesKey(userId)]));
  }

  return {
    replace: (userId, hashes, options) => replace(userId, hashes, options?.isFirst === true),
    spend,
    count,
  };
}
