import type { RenewedToken, StoredToken, TokenStore } from '../../stores/store';

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
