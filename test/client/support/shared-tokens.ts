import type { RenewedToken, StoredToken, TokenStore } from 'passport-sms-otp/client';

/** A store in the test's memory: one renewal at a time, the others wait for it. */
export class SharedTokens implements TokenStore {
  readonly accounts = new Map<string, StoredToken>();
  renewals = 0;
  reads = 0;
  failing: 'read' | 'renew' | 'hang' | null = null;
  #tail: Promise<unknown> = Promise.resolve();

  read(account: string): Promise<StoredToken | null> {
    this.reads += 1;
    if (this.failing === 'read') return Promise.reject(new Error('canary: redis://user:word@host'));
    if (this.failing === 'hang') return new Promise(() => undefined);
    return Promise.resolve(this.accounts.get(account) ?? null);
  }

  renew(
    account: string,
    seen: number,
    renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  ): Promise<StoredToken> {
    if (this.failing === 'renew')
      return Promise.reject(new Error('canary: redis://user:word@host'));
    const turn = this.#tail.then(() => this.#renew(account, seen, renew));
    this.#tail = turn.catch(() => null);
    return turn;
  }

  async #renew(
    account: string,
    seen: number,
    renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  ): Promise<StoredToken> {
    const stored = this.accounts.get(account) ?? null;
    if (stored !== null && stored.fence > seen) return stored;
    this.renewals += 1;
    const { sealed } = await renew(stored);
    const next = { fence: (stored?.fence ?? 0) + 1, sealed };
    this.accounts.set(account, next);
    return next;
  }
}
