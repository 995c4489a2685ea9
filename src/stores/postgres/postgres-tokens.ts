import { StoreError } from '../../errors';
import { type LeaseAnswer, renewUnderLease, type TokenLease } from '../lease';
import { recordError, toWholeNumber, TOKEN_LEASE_SECONDS } from '../check-values';
import type { StoredToken, TokenStore } from '../store';
import type { SqlRow, RunQuery } from './run-query';
import { NOW, type Tables } from './tables';

export function postgresTokens(run: RunQuery, tables: Tables): TokenStore {
  const statements = tokenStatements(tables);

  function leaseOf(account: string): TokenLease {
    return {
      acquire: async (owner, seen) => {
        const values = [account, owner, seen, TOKEN_LEASE_SECONDS];
        return toAnswer((await run('renew', statements.acquire, values))[0]);
      },
      save: async (_owner, token, ttlSeconds) => {
        const values = [account, token.fence, token.sealed, ttlSeconds];
        const saved = await run('renew', statements.save, values);
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

/**
 * Returns the answer. Without a row, another process is writing its first renewal at this moment.
 */
function toAnswer(row: SqlRow | undefined): LeaseAnswer {
  if (row === undefined || row.outcome === 'held') return { outcome: 'held' };

  const token = toToken(row);
  if (row.outcome === 'stored' && token !== null) return { outcome: 'stored', token };
  const fence = toWholeNumber(row.fence);
  if (row.outcome !== 'acquired' || fence === null) throw new StoreError('renew: unknown answer');
  return { outcome: 'acquired', fence, previous: token };
}

/** @throws {StoreError} `ERR_STORE` if this release has not written the record. */
function toToken(row: SqlRow): StoredToken | null {
  const { version, sealed } = row;
  if (version === '1' && row.stored === null) return null;

  const fence = toWholeNumber(row.stored);
  if (version !== '1' || fence === null || typeof sealed !== 'string')
    throw recordError('token', version);
  return { fence, sealed };
}

/**
 * Returns the statements. Each is atomic by itself and uses the database's clock. Each account has
 * one row with token, fence and lease.
 */
function tokenStatements(tables: Tables) {
  const { token } = tables;
  const isNewer = `COALESCE(kept.token_fence > $3 AND kept.token_until > ${NOW}, false)`;

  return {
    /** Value: account. Returns a row if there is an active token. */
    read: `SELECT ${TOKEN} FROM ${token} WHERE account = $1 AND token_until > ${NOW}`,
    /** Values: account, owner, the fence seen, seconds of the lease. */
    acquire: `
WITH acquired AS (
  INSERT INTO ${token} AS kept (account, owner, fence, lease_until)
  VALUES ($1, $2, $3::bigint + 1, ${NOW} + make_interval(secs => $4))
  ON CONFLICT (account) DO UPDATE
  SET owner = EXCLUDED.owner, fence = GREATEST(kept.fence + 1, EXCLUDED.fence),
    lease_until = EXCLUDED.lease_until
  WHERE (kept.owner IS NULL OR kept.lease_until <= ${NOW}) AND NOT ${isNewer}
  RETURNING *
)
SELECT 'acquired' AS outcome, fence::text AS fence, ${TOKEN} FROM acquired
UNION ALL
SELECT CASE WHEN ${isNewer} THEN 'stored' ELSE 'held' END, fence::text, ${TOKEN}
FROM ${token} AS kept
WHERE account = $1 AND NOT EXISTS (SELECT FROM acquired)`,
    /**
     * Values: account, fence, sealed, seconds to live. Returns a row if the fence was still the
     * newest.
     */
    save: `
UPDATE ${token}
SET token_fence = $2, sealed = $3, token_until = ${NOW} + make_interval(secs => $4), owner = NULL
WHERE account = $1 AND fence = $2 RETURNING account`,
    /** Values: account, owner. */
    release: `UPDATE ${token} SET owner = NULL WHERE account = $1 AND owner = $2`,
  };
}

/** The columns of the active token. Each is null if there is none. `stored`: its fence. */
const TOKEN = `version::text AS version,
  CASE WHEN token_until > ${NOW} THEN token_fence END::text AS stored,
  CASE WHEN token_until > ${NOW} THEN sealed END AS sealed`;
