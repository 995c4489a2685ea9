import { LONG_LIFE_SECONDS, TOKEN_LEASE_SECONDS } from '../check-values';
import { type LeaseAnswer, renewUnderLease, type TokenLease } from '../lease';
import type { StoredToken, TokenStore } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

export function memoryTokens(maxEntries: number, now: () => number): TokenStore {
  const accounts = new ExpiringMap<Account>(maxEntries, now);

  function liveToken(account: Account | undefined): StoredToken | null {
    return account !== undefined && account.tokenUntilMs > now() ? account.token : null;
  }

  function findOrCreate(key: string): Account {
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
    };
  }

  function acquire(key: string, owner: string, seen: number): LeaseAnswer {
    const account = findOrCreate(key);
    const token = liveToken(account);
    if (token !== null && token.fence > seen) return { outcome: 'stored', token };
    if (account.owner !== null && account.leaseUntilMs > now()) return { outcome: 'held' };

    account.fence = Math.max(account.fence, seen) + 1;
    account.owner = owner;
    account.leaseUntilMs = now() + TOKEN_LEASE_SECONDS * 1000;
    account.deadlineMs = now() + LONG_LIFE_SECONDS * 1000;
    accounts.add(account);
    return { outcome: 'acquired', fence: account.fence, previous: token };
  }

  function save(key: string, owner: string, token: StoredToken, ttlSeconds: number): boolean {
    const account = accounts.get(key);
    if (account?.fence !== token.fence) return false;

    account.token = token;
    account.tokenUntilMs = now() + ttlSeconds * 1000;
    release(account, owner);
    return true;
  }

  function release(account: Account | undefined, owner: string): void {
    if (account?.owner === owner) account.owner = null;
  }

  function leaseOf(key: string): TokenLease {
    return {
      acquire: (owner, seen) => toPromise(() => acquire(key, owner, seen)),
      save: (owner, token, ttlSeconds) => toPromise(() => save(key, owner, token, ttlSeconds)),
      release: (owner) => toPromise(() => release(accounts.get(key), owner)),
    };
  }

  return {
    isInProcess: true,
    read: (account) => toPromise(() => liveToken(accounts.get(account))),
    renew: (account, seen, renew) => renewUnderLease(leaseOf(account), seen, renew),
  };
}

/** The token of one gateway account, with its lease. */
interface Account extends Expiring {
  /** The last fence that was issued. */
  fence: number;
  owner: string | null;
  leaseUntilMs: number;
  token: StoredToken | null;
  tokenUntilMs: number;
}
