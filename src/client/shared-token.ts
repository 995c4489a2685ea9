import { GatewayBusyError } from '../errors';
import type { RenewedToken, StoredToken, TokenStore } from '../stores/store';
import { STORE_TIMEOUT_MS, withTimeout } from '../stores/with-timeout';
import type { Authenticator, FoundToken, RenewalBase } from './authenticate';
import type { TokenContents } from './wire';
import type { TokenCrypto } from './token-crypto';

/** How many useless stored tokens in a row make a renewal fail. */
const ROUNDS = 3;

interface SharedTokenContext {
  readonly store: TokenStore;
  readonly account: string;
  readonly crypto: TokenCrypto;
  readonly authenticator: Authenticator;
  /** The longest time for one renewal, in milliseconds. */
  readonly authMs: number;
  readonly now: () => number;
}

/** The account's token in the store. One process renews it while the others wait. */
export class SharedToken {
  constructor(private readonly context: SharedTokenContext) {}

  /**
   * Returns the stored token if it is valid and not one of the known ones, and always the store's
   * fence. @throws {StoreError}
   */
  async read(known: RenewalBase): Promise<{ fence: number; contents: TokenContents | null }> {
    const { store, account } = this.context;
    const stored = await withTimeout('read token', () => store.read(account));
    return { fence: stored?.fence ?? 0, contents: await this.#openIfNew(stored, known) };
  }

  /**
   * Renews the token, or returns the one that another process obtains meanwhile. @throws
   * {StoreError} ERR_STORE
   */
  async renew(fence: number, known: RenewalBase): Promise<FoundToken> {
    let seen = fence;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { stored, own } = await this.#renewOnce(seen, known);
      if (own !== null && stored.sealed === own.sealed) return own.found;

      const contents = await this.#openIfNew(stored, known);
      if (contents !== null) return { contents, by: 'shared' };
      seen = stored.fence;
    }

    throw new GatewayBusyError('no usable token could be obtained', 1);
  }

  async #renewOnce(seen: number, known: RenewalBase): Promise<Round> {
    const { store, account, crypto, authMs, now } = this.context;
    const attempt: RenewalAttempt = { own: null, failure: null };

    const renew = async (previous: StoredToken | null): Promise<RenewedToken> => {
      try {
        const found = await this.#authenticate(previous, known);
        const sealed = await crypto.seal(found.contents);
        attempt.own = { sealed, found };
        return { sealed, ttlSeconds: secondsUntil(found.contents.expiresAt, now()) };
      } catch (error) {
        attempt.failure = { error };
        throw error;
      }
    };

    // Allow the store's time on top of the renewal's. Both together stay within the lease.
    const limitMs = authMs + STORE_TIMEOUT_MS;
    try {
      const run = () => store.renew(account, seen, renew);
      const stored = await withTimeout('renew token', run, limitMs);
      return { stored, own: attempt.own };
    } catch (error) {
      // If the renewal itself failed, throw the gateway's error and not the store's.
      throw attempt.failure === null ? error : attempt.failure.error;
    }
  }

  /** Requests a token, with the stored refresh token if there is one. */
  async #authenticate(stored: StoredToken | null, known: RenewalBase): Promise<FoundToken> {
    const { crypto, authenticator } = this.context;
    const opened = stored === null ? null : await crypto.open(stored.sealed);
    return authenticator.renew({ ...known, previous: opened ?? known.previous });
  }

  async #openIfNew(stored: StoredToken | null, known: RenewalBase): Promise<TokenContents | null> {
    const contents = stored === null ? null : await this.context.crypto.open(stored.sealed);
    if (contents === null || contents.expiresAt <= this.context.now()) return null;
    if (contents.accessToken === known.refused) return null;

    // Compare with the known token: the gateway may have returned the same one to another process,
    // with a later end.
    const { previous } = known;
    const isOld =
      contents.accessToken === previous?.accessToken && contents.expiresAt <= previous.expiresAt;
    return isOld ? null : contents;
  }
}

/** The token in the store after a renewal, and the one that this process has obtained for it. */
interface Round {
  readonly stored: StoredToken;
  readonly own: OwnToken | null;
}

interface OwnToken {
  readonly sealed: string;
  readonly found: FoundToken;
}

/** The result of this process's own renewal. Both fields are null if another process renews. */
interface RenewalAttempt {
  own: OwnToken | null;
  failure: { readonly error: unknown } | null;
}

/** Returns whole seconds, at least 1, because a store needs a positive time. */
function secondsUntil(expiresAt: number, nowMs: number): number {
  return Math.max(1, Math.ceil((expiresAt - nowMs) / 1000));
}
