import { GatewayBusyError, SmsOtpError, StoreError } from '../errors';
import type { RenewedToken, StoredToken, TokenStore } from '../stores/store';
import type { Authenticator, RenewalBase } from './authenticate';
import { waitAtMost } from './call-limiter';
import type { TokenContents, TokenSeal } from './token-crypto';

/** The token of one client alone. The keeper runs one renewal at a time, so nothing need be locked here. */
export class LocalTokenStore implements TokenStore {
  #stored: StoredToken | null = null;

  read(): Promise<StoredToken | null> {
    return Promise.resolve(this.#stored);
  }

  async renew(
    _account: string,
    seen: number,
    renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  ): Promise<StoredToken> {
    if (this.#stored !== null && this.#stored.fence > seen) return this.#stored;
    const { sealed } = await renew(this.#stored);
    this.#stored = { fence: seen + 1, sealed };
    return this.#stored;
  }
}

/** A store that does not answer within this time has failed. */
const STORE_TIMEOUT_MS = 2_000;

/** So often a stored token may turn out to be of no use before there is none to be had. */
const ROUNDS = 3;

/** A token taken from the store, or renewed. */
export interface TokenFind {
  readonly contents: TokenContents;
  /** `shared`: another process had renewed it. */
  readonly by: 'credentials' | 'refresh' | 'shared';
}

interface SharedTokenParts {
  readonly store: TokenStore;
  readonly account: string;
  readonly seal: TokenSeal;
  readonly authenticator: Authenticator;
  /** Milliseconds that one renewal may take. */
  readonly authMs: number;
  readonly now: () => number;
}

/** The account's token as the store has it: read, or renewed by one process while the others wait. */
export class SharedToken {
  readonly #parts: SharedTokenParts;

  constructor(parts: SharedTokenParts) {
    this.#parts = parts;
  }

  /** The stored token when it is good and another than those known; the store's fence in any case. @throws {StoreError} */
  async read(known: RenewalBase): Promise<{ fence: number; contents: TokenContents | null }> {
    const { store, account } = this.#parts;
    const stored = await guard('read token', () => store.read(account), STORE_TIMEOUT_MS);
    return { fence: stored?.fence ?? 0, contents: await this.#openIfNew(stored, known) };
  }

  /** Renews the token, or takes the one that another process renews meanwhile. @throws {StoreError} ERR_STORE */
  async renew(fence: number, known: RenewalBase): Promise<TokenFind> {
    let seen = fence;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { stored, own } = await this.#renewOnce(seen, known);
      if (own !== null && stored.sealed === own.sealed) return own.find;
      const contents = await this.#openIfNew(stored, known);
      if (contents !== null) return { contents, by: 'shared' };
      seen = stored.fence;
    }
    throw new GatewayBusyError('no token is to be had', 1);
  }

  async #renewOnce(
    seen: number,
    known: RenewalBase,
  ): Promise<{ stored: StoredToken; own: { sealed: string; find: TokenFind } | null }> {
    const { store, account, seal, authenticator, authMs, now } = this.#parts;
    let own: { sealed: string; find: TokenFind } | null = null;
    const renew = async (previous: StoredToken | null): Promise<{ sealed: string; ttlSeconds: number }> => {
      const opened = previous === null ? null : await seal.open(previous.sealed);
      const find = await authenticator.renew({ ...known, previous: opened ?? known.previous });
      const sealed = await seal.seal(find.contents);
      own = { sealed, find };
      return { sealed, ttlSeconds: Math.max(1, Math.ceil((find.contents.expiresAt - now()) / 1000)) };
    };
    // The store's own time comes on top of the renewal's, and both stay within the lease.
    const limitMs = authMs + STORE_TIMEOUT_MS;
    const stored = await guard('renew token', () => store.renew(account, seen, renew), limitMs);
    return { stored, own };
  }

  async #openIfNew(
    stored: StoredToken | null,
    { previous, refused }: RenewalBase,
  ): Promise<TokenContents | null> {
    const contents = stored === null ? null : await this.#parts.seal.open(stored.sealed);
    if (contents === null || contents.expiresAt <= this.#parts.now()) return null;
    if (contents.accessToken === refused) return null;
    // The gateway may have handed the same token to another process again, with a later end.
    const isOld = contents.accessToken === previous?.accessToken && contents.expiresAt <= previous.expiresAt;
    return isOld ? null : contents;
  }
}

/** Bounds a call to the store and turns what it throws into ours; what the renewal inside it throws is ours already. */
async function guard<Result>(
  operation: string,
  call: () => Promise<Result>,
  limitMs: number,
): Promise<Result> {
  try {
    return await waitAtMost(call(), limitMs, () => new StoreError(`${operation}: no answer in time`));
  } catch (error) {
    throw error instanceof SmsOtpError ? error : new StoreError(operation, error);
  }
}
