import type { Tables } from './schema';

/** Every statement is atomic by itself; the clock is that of the database. One row an account: token, fence, lease. */
export interface TokenStatements {
  /** Value: account. A row when there is a live token. */
  readonly read: string;
  /** Values: account, owner, the fence seen, seconds of the lease. */
  readonly acquire: string;
  /** Values: account, fence, sealed, seconds to live. A row when the fence was still the newest. */
  readonly save: string;
  /** Values: account, owner. */
  readonly release: string;
}

const NOW = 'statement_timestamp()';

/** The members of the live token, each null when there is none. */
const TOKEN = `version::text AS version,
  CASE WHEN token_until > ${NOW} THEN token_fence END::text AS token_fence,
  CASE WHEN token_until > ${NOW} THEN sealed END AS sealed`;

export function tokenStatements({ token }: Tables): TokenStatements {
  const isNewer = `COALESCE(kept.token_fence > $3 AND kept.token_until > ${NOW}, false)`;
  return {
    read: `SELECT ${TOKEN} FROM ${token} WHERE account = $1 AND token_until > ${NOW}`,
    acquire: `
WITH acquired AS (
  INSERT INTO ${token} AS kept (account, owner, fence, lease_until)
  VALUES ($1, $2, $3::bigint + 1, ${NOW} + make_interval(secs => $4))
  ON CONFLICT (account) DO UPDATE
  SET owner = EXCLUDED.owner, fence = GREATEST(kept.fence + 1, EXCLUDED.fence), lease_until = EXCLUDED.lease_until
  WHERE (kept.owner IS NULL OR kept.lease_until <= ${NOW}) AND NOT ${isNewer}
  RETURNING *
)
SELECT 'acquired' AS outcome, fence::text AS fence, ${TOKEN} FROM acquired
UNION ALL
SELECT CASE WHEN ${isNewer} THEN 'stored' ELSE 'held' END, fence::text, ${TOKEN} FROM ${token} AS kept
WHERE account = $1 AND NOT EXISTS (SELECT FROM acquired)`,
    save: `
UPDATE ${token} SET token_fence = $2, sealed = $3, token_until = ${NOW} + make_interval(secs => $4), owner = NULL
WHERE account = $1 AND fence = $2 RETURNING account`,
    release: `UPDATE ${token} SET owner = NULL WHERE account = $1 AND owner = $2`,
  };
}
