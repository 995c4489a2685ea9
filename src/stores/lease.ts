import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoreError } from '../errors';
import { checkRenewed, TOKEN_LEASE_SECONDS } from './check-values';
import type { RenewedToken, StoredToken } from './store';

/** The answer to a request for the lease. */
export type LeaseAnswer =
  | { readonly outcome: 'stored'; readonly token: StoredToken }
  | { readonly outcome: 'held' }
  | { readonly outcome: 'acquired'; readonly fence: number; readonly previous: StoredToken | null };

/**
 * The three steps of a lease on the token of one account. Each is atomic over all processes that
 * share the store.
 */
export interface TokenLease {
  /**
   * In this order: `stored` when a token with a fence above `seen` exists; `held` while another
   * owner's lease runs; otherwise the lease is taken for `TOKEN_LEASE_SECONDS` with a fence one
   * above all earlier ones and above `seen`. `seen` counts because a store that lost its data would
   * otherwise start again below what its users remember.
   */
  acquire(owner: string, seen: number): Promise<LeaseAnswer>;
  /**
   * Stores the token and frees the lease, unless a later fence was given out. True when it was
   * stored.
   */
  save(owner: string, token: StoredToken, ttlSeconds: number): Promise<boolean>;
  /** Frees the lease if it still belongs to this owner. */
  release(owner: string): Promise<void>;
}

/**
 * Milliseconds between two polls of a lease that another owner holds: the first, and the longest.
 */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 250;
/** Seconds a waiter goes on polling beyond the longest lease. */
const MARGIN_SECONDS = 5;

/** The time of a waiter. */
export interface LeaseClock {
  readonly elapsedMs: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** From 0 to 1, for the jitter between two polls, so that waiters do not poll in step. */
  readonly random: () => number;
}

const REAL_CLOCK: LeaseClock = {
  elapsedMs: () => performance.now(),
  wait: (milliseconds) => setTimeout(milliseconds),
  random: Math.random,
};

/**
 * Implements `TokenStore.renew` with any lease.
 * @throws {StoreError} `ERR_STORE` when others held the lease all the time.
 */
export async function renewUnderLease(
  lease: TokenLease,
  seen: number,
  renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  clock: LeaseClock = REAL_CLOCK,
): Promise<StoredToken> {
  const owner = randomUUID();
  const giveUpAtMs = clock.elapsedMs() + (TOKEN_LEASE_SECONDS + MARGIN_SECONDS) * 1000;

  for (
    let pollMs = FIRST_POLL_MS;
    clock.elapsedMs() < giveUpAtMs;
    pollMs = Math.min(pollMs * 1.5, LAST_POLL_MS)
  ) {
    try {
      const answer = await lease.acquire(owner, seen);
      if (answer.outcome === 'stored') return answer.token;

      if (answer.outcome === 'acquired') {
        const renewed = await renew(answer.previous);
        checkRenewed(renewed);

        const token = { fence: answer.fence, sealed: renewed.sealed };
        // Where the lease passed to another owner meanwhile, the newer token is worth waiting for.
        if (await lease.save(owner, token, renewed.ttlSeconds)) return token;
      }
    } catch (error) {
      // Not awaited: a lost request for the lease may still arrive, and a lease that cannot be
      // freed ends by itself.
      lease.release(owner).catch(() => undefined);
      throw error;
    }

    await clock.wait(pollMs * (0.5 + clock.random()));
  }

  throw new StoreError('renew: the lease was never free');
}
