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
 * The three steps of a lease on the token of one account. Each is atomic across all processes that
 * share the store.
 */
export interface TokenLease {
  /**
   * Checks in this order. `stored`: a token with a fence above `seen` exists. `held`: another
   * owner's lease is active. Otherwise the lease is taken for `TOKEN_LEASE_SECONDS`, with a fence
   * one above all earlier ones and above `seen`. `seen` counts because a store that has lost its
   * data would otherwise restart below the fences that its users remember.
   */
  acquire(owner: string, seen: number): Promise<LeaseAnswer>;
  /**
   * Stores the token and frees the lease, unless a later fence was issued. Returns true if the
   * token was stored.
   */
  save(owner: string, token: StoredToken, ttlSeconds: number): Promise<boolean>;
  /** Frees the lease if it still belongs to this owner. */
  release(owner: string): Promise<void>;
}

/**
 * Milliseconds between two polls of a lease that another owner holds: the shortest and the longest.
 */
const FIRST_POLL_MS = 20;
const LAST_POLL_MS = 250;
/** Seconds for which a waiter polls beyond the longest lease. */
const MARGIN_SECONDS = 5;

/** The clock of a waiter. */
export interface LeaseClock {
  readonly elapsedMs: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /**
   * Returns a number from 0 to 1, for a random pause between polls, so that waiters do not poll
   * together.
   */
  readonly random: () => number;
}

const REAL_CLOCK: LeaseClock = {
  elapsedMs: () => performance.now(),
  wait: (milliseconds) => setTimeout(milliseconds),
  random: Math.random,
};

/**
 * Implements `TokenStore.renew` with any lease.
 * @throws {StoreError} `ERR_STORE` if other owners held the lease all the time.
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
        // If the lease has passed to another owner meanwhile, wait for the newer token.
        if (await lease.save(owner, token, renewed.ttlSeconds)) return token;
      }
    } catch (error) {
      // Do not await it: a lost request for the lease may still arrive, and a lease that cannot be
      // freed expires.
      lease.release(owner).catch(() => undefined);
      throw error;
    }

    await clock.wait(pollMs * (0.5 + clock.random()));
  }

  throw new StoreError('renew: the lease was never free');
}
