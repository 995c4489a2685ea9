import { StoreError } from '../../errors';
import { renewUnderLease, type LeaseAnswer, type TokenLease } from '../lease';
import { LONG_LIFE_SECONDS, RECORD_VERSION, toWholeNumber } from '../records';
import { TOKEN_LEASE_SECONDS, type StoredToken, type TokenStore } from '../store';
import { milliseconds } from './milliseconds';
import type { RunScript } from './redis-client';
import { ACQUIRE, READ, RELEASE, SAVE } from './token-scripts';

/** @param root What all keys begin with: the hash tag and a colon. */
export function redisTokens(run: RunScript, root: string): TokenStore {
  const tokenKey = (account: string): string => `${root}token:${account}`;

  function leaseOf(account: string): TokenLease {
    const leaseKey = `${root}lease:${account}`;
    const keys = [tokenKey(account), `${root}fence:${account}`, leaseKey];
    return {
      acquire: async (owner, seen) => {
        const values = [owner, seen, milliseconds(TOKEN_LEASE_SECONDS), milliseconds(LONG_LIFE_SECONDS)];
        return toAnswer(await run('renew', ACQUIRE, keys, values));
      },
      save: async (owner, { fence, sealed }, ttlSeconds) => {
        const record = `${RECORD_VERSION}:${fence}:${sealed}`;
        const saved = await run('renew', SAVE, keys, [owner, fence, record, milliseconds(ttlSeconds)]);
        return toWholeNumber(saved) === 1;
      },
      release: async (owner) => {
        await run('renew', RELEASE, [leaseKey], [owner]);
      },
    };
  }

  return {
    read: async (account) => toToken(await run('read', READ, [tokenKey(account)])),
    renew: (account, seen, renew) => renewUnderLease(leaseOf(account), seen, renew),
  };
}

function toAnswer(reply: unknown): LeaseAnswer {
  const [outcome, value, token] = Array.isArray(reply) ? (reply as unknown[]) : [];
  if (outcome === 'held') return { outcome };
  const stored = toToken((outcome === 'stored' ? value : token) ?? null);
  if (outcome === 'stored' && stored !== null) return { outcome, token: stored };
  const fence = toWholeNumber(value);
  if (outcome !== 'acquired' || fence === null) throw new StoreError('renew: unknown answer');
  return { outcome, fence, previous: stored };
}

/** @throws {StoreError} `ERR_STORE` when the record is none that this release writes. */
function toToken(record: unknown): StoredToken | null {
  if (record === null) return null;
  const parts = typeof record === 'string' ? /^1:([1-9][0-9]{0,15}):(.*)$/s.exec(record) : null;
  const [number, sealed] = [toWholeNumber(parts?.[1]), parts?.[2]];
  if (number === null || sealed === undefined) throw new StoreError('token: unknown record');
  return { fence: number, sealed };
}
