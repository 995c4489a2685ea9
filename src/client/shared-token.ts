import { GatewayBusyError } from '../errors';
import type { StoredToken, TokenStore } from '../stores/store';
import { STORE_TIMEOUT_MS, withTimeout } from '../stores/with-timeout';
import type { Authenticator, FoundToken, RenewalBase } from './authenticate';
import type { TokenContents } from './wire';
import type { TokenCrypto } from './token-crypto';

/** How many stored tokens in a row may turn out useless before the renewal fails. */
const ROUNDS = 3;

interface SharedTokenContext {
  readonly store: TokenStore;
  readonly account: string;
  readonly crypto: TokenCrypto;
  readonly authenticator: Authenticator;
  /** The most milliseconds of one renewal. */
  readonly authMs: number;
  readonly now: () => number;
}

/** The account's token in the store: read, or renewed by one process while the others wait. */
export class SharedToken {
  constructor(private readonly context: SharedTokenContext) {}

  /**
   * Returns the stored token when it is good and not one of those known; the store's fence in any
   * case. @throws {StoreError}
   */
  async read(known: RenewalBase): Promise<{ fence: number; contents: TokenContents | null }> {
    const { store, account } = this.context;
    const stored = await withTimeout('read token', () => store.read(account));
    return { fence: stored?.fence ?? 0, contents: await this.#openIfNew(stored, known) };
  }

  /**
   * Renews the token, or returns the one that another process renews meanwhile. @throws
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

  async #renewOnce(
    seen: number,
    known: RenewalBase,
  ): Promise<{ stored: StoredToken; own: { sealed: string; found: FoundToken } | null }> {
    const { store, account, crypto, authenticator, authMs, now } = this.context;
    let own: { sealed: string; found: FoundToken } | null = null;
    // A failure of the renewal itself, which is none of the store.
    let failure: { readonly error: unknown } | null = null;
    const renew = async (
      previous: StoredToken | null,
    ): Promise<{ sealed: string; ttlSeconds: number }> => {
      const opened = previous === null ? null : await crypto.open(previous.sealed);
      const found = await authenticator.renew({ ...known, previous: opened ?? known.previous });
      const sealed = await crypto.seal(found.contents);
      own = { sealed, found };
      return {
        sealed,
        ttlSeconds: Math.max(1, Math.ceil((found.contents.expiresAt - now()) / 1000)),
      };
    };
    // The store's own time comes on top of the renewal's, and both stay within the lease.
    const limitMs = authMs + STORE_TIMEOUT_MS;
    const renewAndNote = (previous: StoredToken | null): ReturnType<typeof renew> =>
      renew(previous).catch((error: unknown) => {
        failure = { error };
        throw error;
      });
    const stored = await withTimeout(
      'renew token',
      () => store.renew(account, seen, renewAndNote),
      limitMs,
    ).catch((error: unknown) => {
      throw failure === null ? error : failure.error;
    });
    return { stored, own };
  }

  async #openIfNew(
    stored: StoredToken | null,
    { previous, refused }: RenewalBase,
  ): Promise<TokenContents | null> {
    const contents = stored === null ? null : await this.context.crypto.open(stored.sealed);
    if (contents === null || contents.expiresAt <= this.context.now()) return null;
    if (contents.accessToken === refused) return null;
    // The gateway may have returned the same token to another process again, with a later end.
    const isOld =
      contents.accessToken === previous?.accessToken && contents.expiresAt <= previous.expiresAt;
    return isOld ? null : contents;
  }
}
