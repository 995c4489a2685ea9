import { StoreError } from '../../errors';
import { type LeaseAnswer, renewUnderLease, type TokenLease } from '../lease';
import {
  entryError,
  LONG_LIFE_SECONDS,
  RECORD_VERSION,
  toWholeNumber,
  TOKEN_LEASE_SECONDS,
} from '../check-values';
import type { StoredToken, TokenStore } from '../store';
import { defineScript, milliseconds, type RunScript } from './redis-client';

/**
 * A token is a string, `1:fence:sealed`: the version of the record, its fence, and the sealed
 * token. The last issued fence and the lease have their own keys. KEYS: token.
 */
const READ = defineScript(`return redis.call('GET', KEYS[1])`);

/**
 * KEYS: token, fence, lease. ARGV: owner, the fence seen, milliseconds of the lease, milliseconds
 * that a fence is kept.
 */
const ACQUIRE = defineScript(`
local owner, seen, lease, life = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local token = redis.call('GET', KEYS[1])
local stored = token and string.match(token, '^1:(%d+):') or '0'
if token and stored == '0' then refuse_record(string.match(token, '^(%d+):'), '1') end
if tonumber(stored) > seen then return { 'stored', token } end
local last = redis.call('GET', KEYS[2]) or '0'
if not string.match(last, '^%d+$') then refuse_record() end
local holder = redis.call('GET', KEYS[3])
-- A client library may repeat a command that got no reply: then the lease is ours already.
if holder and holder ~= owner then return { 'held' } end
redis.call('SET', KEYS[3], owner, 'PX', lease)
local fence = string.format('%.0f', math.max(tonumber(last), tonumber(stored), seen) + 1)
redis.call('SET', KEYS[2], fence, 'PX', life)
return { 'acquired', fence, token }`);

const FREEING = `
local function free(key, owner)
  if redis.call('GET', key) == owner then redis.call('DEL', key) end
end`;

/**
 * KEYS: token, fence, lease. ARGV: owner, fence, record, milliseconds to live. Returns 1 if the
 * token was stored.
 */
const SAVE = defineScript(`
${FREEING}
if redis.call('GET', KEYS[2]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
free(KEYS[3], ARGV[1])
return 1`);

/** KEYS: lease. ARGV: owner. */
const RELEASE = defineScript(`${FREEING}
free(KEYS[1], ARGV[1])
return 1`);

export function redisTokens(run: RunScript): TokenStore {
  function leaseOf(account: string): TokenLease {
    const keys = [`token:${account}`, `fence:${account}`, `lease:${account}`];

    return {
      acquire: async (owner, seen) => {
        const values = [
          owner,
          seen,
          milliseconds(TOKEN_LEASE_SECONDS),
          milliseconds(LONG_LIFE_SECONDS),
        ];
        return toAnswer(await run('renew', ACQUIRE, keys, values));
      },
      save: async (owner, token, ttlSeconds) => {
        const record = `${RECORD_VERSION}:${token.fence}:${token.sealed}`;
        const values = [owner, token.fence, record, milliseconds(ttlSeconds)];
        const saved = await run('renew', SAVE, keys, values);
        return toWholeNumber(saved) === 1;
      },
      release: async (owner) => {
        await run('renew', RELEASE, [`lease:${account}`], [owner]);
      },
    };
  }

  return {
    read: async (account) => toToken(await run('read', READ, [`token:${account}`])),
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

/** @throws {StoreError} `ERR_STORE` if this release has not written the record. */
function toToken(record: unknown): StoredToken | null {
  if (record === null) return null;
  const form = /^1:(?<fence>[1-9][0-9]{0,15}):(?<sealed>.*)$/s;
  const parts = typeof record === 'string' ? form.exec(record) : null;
  const { fence: digits, sealed } = parts?.groups ?? {};
  const fence = toWholeNumber(digits);
  if (fence === null || sealed === undefined) throw entryError('token', record);
  return { fence, sealed };
}
