import { type LeaseAnswer, renewUnderLease, type TokenLease } from '../lease';
import { LONG_LIFE_SECONDS } from '../records';
import { type StoredToken, TOKEN_LEASE_SECONDS, type TokenStore } from '../store';
import { createBoundedMap, type Entry, promise } from './bounded-map';

interface Account extends Entry {
  /** The last fence given out. */
  fence: number;
  owner: string | null;
  leaseUntilMs: number;
  token: StoredToken | null;
  tokenUntilMs: number;
}

export function memoryTokens(maxEntries: number, now: () => number): TokenStore {
  const accounts = createBoundedMap<Account>(maxEntries, now);

  function open(key: string): Account {
    const found = accounts.get(key);
    if (found !== undefined) return found;
    accounts.makeRoom(1);
    return {
      key,
      fence: 0,
      owner: null,
      leaseUntilMs: 0,
      token: null,
      tokenUntilMs: 0,
      deadlineMs: 0,
      position: -1,
    };
  }

  function liveToken(account: Account | undefined): StoredToken | null {
    return account !== undefined && account.tokenUntilMs > now() ? account.token : null;
  }

  function acquire(key: string, owner: string, seen: number): LeaseAnswer {
    const account = open(key);
    const token = liveToken(account);
    if (token !== null && token.fence > seen) return { outcome: 'stored', token };
    if (account.owner !== null && account.leaseUntilMs > now()) return { outcome: 'held' };
    account.fence = Math.max(account.fence, seen) + 1;
    account.owner = owner;
    account.leaseUntilMs = now() + TOKEN_LEASE_SECONDS * 1000;
    account.deadlineMs = now() + LONG_LIFE_SECONDS * 1000;
    accounts.keep(account);
    return { outcome: 'acquired', fence: account.fence, previous: token };
  }

  function save(key: string, owner: string, token: StoredToken, ttlSeconds: number): boolean {
    const account = accounts.get(key);
    if (account?.fence !== token.fence) return false;
    account.token = token;
    account.tokenUntilMs = now() + ttlSeconds * 1000;
    free(account, owner);
    return true;
  }

  function free(account: Account | undefined, owner: string): void {
    if (account?.owner === owner) account.owner = null;
  }

  function leaseOf(key: string): TokenLease {
    return {
      acquire: (owner, seen) => promise(() => acquire(key, owner, seen)),
      save: (owner, token, ttlSeconds) => promise(() => save(key, owner, token, ttlSeconds)),
      release: (owner) => promise(() => free(accounts.get(key), owner)),
    };
  }

  return {
    read: (account) => promise(() => liveToken(accounts.get(account))),
    renew: (account, seen, renew) => renewUnderLease(leaseOf(account), seen, renew),
  };
}
