import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoreError } from '../errors';
import { checkRenewed } from './check-values';
import { type RenewedToken, type StoredToken, TOKEN_LEASE_SECONDS } from './store';

/** What came of asking for the lease. */
export type LeaseAnswer =
  | { readonly outcome: 'stored'; readonly token: StoredToken }
  | { readonly outcome: 'held' }
  | { readonly outcome: 'acquired'; readonly fence: number; readonly previous: StoredToken | null };

/** The three steps of a lease on the token of one account. Each is atomic over all processes that share the store. */
export interface TokenLease {
  /**
   * In this order: `stored` when a token with a fence above `seen` is there; `held` while somebody else's lease runs;
   * else the lease is taken for `TOKEN_LEASE_SECONDS` with a fence that is one above all earlier ones and above `seen`.
   * `seen` counts because a store that lost its data would else begin again below what its users remember.
   */
  acquire(owner: string, seen: number): Promise<LeaseAnswer>;
  /** Stores the token and frees the lease, unless a later fence was given out. True when it was stored. */
  save(owner: string, token: StoredToken, ttlSeconds: number): Promise<boolean>;
  /** Frees the lease if it still is this owner's. */
  release(owner: string): Promise<void>;
}

/** Milliseconds between two looks at a lease that somebody else holds: the first, and the furthest they grow. */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 250;
/** Seconds a waiter stays beyond the longest a lease can last. */
const MARGIN_SECONDS = 5;

/** How a waiter counts time. */
export interface Patience {
  readonly elapsedMs: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** From 0 to 1, for the jitter between two looks, so that waiters do not come in step. */
  readonly random: () => number;
}

const REAL_PATIENCE: Patience = {
  elapsedMs: () => performance.now(),
  wait: (milliseconds) => setTimeout(milliseconds),
  random: Math.random,
};

/**
 * The renewal of `TokenStore.renew` over any lease.
 * @throws {StoreError} `ERR_STORE` when others held the lease all the time.
 */
export async function renewUnderLease(
  lease: TokenLease,
  seen: number,
  renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  { elapsedMs, wait, random }: Patience = REAL_PATIENCE,
): Promise<StoredToken> {
  const owner = randomUUID();
  const giveUpAtMs = elapsedMs() + (TOKEN_LEASE_SECONDS + MARGIN_SECONDS) * 1000;
  for (let pollMs = FIRST_POLL_MS; elapsedMs() < giveUpAtMs; pollMs = Math.min(pollMs * 1.5, LAST_POLL_MS)) {
    const answer = await acquire(lease, owner, seen);
    if (answer.outcome === 'stored') return answer.token;
    if (answer.outcome === 'acquired') {
      const token = await renewAsHolder(lease, owner, answer, renew);
      if (token !== null) return token;
    }
    await wait(pollMs * (0.5 + random()));
  }
  throw new StoreError('renew: nobody came to an end');
}

async function acquire(lease: TokenLease, owner: string, seen: number): Promise<LeaseAnswer> {
  try {
    return await lease.acquire(owner, seen);
  } catch (error) {
    releaseLater(lease, owner);
    throw error;
  }
}

/** Nobody waits for it: what was lost may still arrive, and a lease that cannot be freed ends by itself. */
function releaseLater(lease: TokenLease, owner: string): void {
  lease.release(owner).catch(() => undefined);
}

/** Null when the lease passed to another meanwhile: the newer token is the one to wait for. */
async function renewAsHolder(
  lease: TokenLease,
  owner: string,
  { fence, previous }: Extract<LeaseAnswer, { outcome: 'acquired' }>,
  renew: (previous: StoredToken | null) => Promise<RenewedToken>,
): Promise<StoredToken | null> {
  try {
    const renewed = await renew(previous);
    checkRenewed(renewed);
    const token = { fence, sealed: renewed.sealed };
    return (await lease.save(owner, token, renewed.ttlSeconds)) ? token : null;
  } catch (error) {
    releaseLater(lease, owner);
    throw error;
  }
}
