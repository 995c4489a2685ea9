import { StoreError } from '../../errors';
import { checkHashes } from '../check-input';
import { RECOVERY_CODE_LIFE_SECONDS, requireWholeNumber } from '../records';
import type { RecoveryCodeStore } from '../store';
import { recoveryCodeStatements } from './recovery-code-statements';
import type { Row, RunQuery } from './run-query';
import type { Tables } from './schema';

export function postgresRecoveryCodes(run: RunQuery, tables: Tables): RecoveryCodeStore {
  const statements = recoveryCodeStatements(tables);

  async function replace(userId: string, hashes: readonly string[], isFirst: boolean): Promise<boolean> {
    checkHashes(hashes);
    if (hashes.length === 0) return remove(userId, isFirst);
    const values = [userId, hashes, isFirst, RECOVERY_CODE_LIFE_SECONDS];
    return (await run('recoveryCodes.replace', statements.replace, values)).length === 1;
  }

  async function remove(userId: string, isFirst: boolean): Promise<boolean> {
    // Of a user who must have none there is nothing to remove.
    if (isFirst) return (await count(userId)) === 0;
    await run('recoveryCodes.replace', statements.remove, [userId]);
    return true;
  }

  async function spend(userId: string, hash: string): Promise<{ isSpent: boolean; left: number }> {
    const [row] = await run('recoveryCodes.spend', statements.spend, [userId, hash]);
    return row === undefined
      ? { isSpent: false, left: 0 }
      : { isSpent: row.is_spent === 'true', left: toCount('recoveryCodes.spend', row) };
  }

  async function count(userId: string): Promise<number> {
    const [row] = await run('recoveryCodes.count', statements.count, [userId]);
    return row === undefined ? 0 : toCount('recoveryCodes.count', row);
  }

  return {
    replace: (userId, hashes, options) => replace(userId, hashes, options?.isFirst === true),
    spend,
    count,
  };
}

/** @throws {StoreError} `ERR_STORE` when the row is none that this release writes. */
function toCount(operation: string, { version, count }: Row): number {
  if (version !== '1') throw new StoreError(`${operation}: unknown record`);
  return requireWholeNumber(operation, count);
}
