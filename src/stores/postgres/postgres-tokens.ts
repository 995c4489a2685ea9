import { StoreError } from '../../errors';
import { renewUnderLease, type LeaseAnswer, type TokenLease } from '../lease';
import { toWholeNumber } from '../records';
import { TOKEN_LEASE_SECONDS, type StoredToken, type TokenStore } from '../store';
import type { Row, RunQuery } from './run-query';
import type { Tables } from './schema';
import { tokenStatements } from './token-statements';

export function postgresTokens(run: RunQuery, tables: Tables): TokenStore {
  const statements = tokenStatements(tables);

  function leaseOf(account: string): TokenLease {
    return {
      acquire: async (owner, seen) => {
        const values = [account, owner, seen, TOKEN_LEASE_SECONDS];
        return toAnswer((await run('renew', statements.acquire, values))[0]);
      },
      save: async (_owner, { fence, sealed }, ttlSeconds) => {
        const saved = await run('renew', statements.save, [account, fence, sealed, ttlSeconds]);
        return saved.length === 1;
      },
      release: async (owner) => {
        await run('renew', statements.release, [account, owner]);
      },
    };
  }

  return {
    read: async (account) => {
      const [row] = await run('read', statements.read, [account]);
      return row === undefined ? null : toToken(row);
    },
    renew: (account, seen, renew) => renewUnderLease(leaseOf(account), seen, renew),
  };
}

/** No row: somebody else's first renewal is being written this very moment. */
function toAnswer(row: Row | undefined): LeaseAnswer {
  if (row === undefined || row.outcome === 'held') return { outcome: 'held' };
  const token = toToken(row);
  if (row.outcome === 'stored' && token !== null) return { outcome: 'stored', token };
  const fence = toWholeNumber(row.fence);
  if (row.outcome !== 'acquired' || fence === null) throw new StoreError('renew: unknown answer');
  return { outcome: 'acquired', fence, previous: token };
}

/** @throws {StoreError} `ERR_STORE` when the record is none that this release writes. */
function toToken({ version, token_fence: tokenFence, sealed }: Row): StoredToken | null {
  const fence = toWholeNumber(tokenFence);
  if (version === '1' && tokenFence === null) return null;
  if (version !== '1' || fence === null || typeof sealed !== 'string')
    throw new StoreError('token: unknown record');
  return { fence, sealed };
}
