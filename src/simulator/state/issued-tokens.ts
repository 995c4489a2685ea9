import { DEFAULT_TOKEN_VALIDITY_SECONDS } from '../../protocol/auth';
import type { Randomness } from '../options';
import type { Readings } from '../readings';
import { BoundedMap } from '../../bounded-map';

/** How many tokens are kept. Only readings that end no token reach this number. */
const MAX_TOKENS = 1_000;

interface Lifetime {
  readonly validitySeconds: number;
  readonly expiresAtMs: number;
}

export interface Grant {
  readonly accessToken: string;
  /** Null if a preserved token comes without one. */
  readonly refreshToken: string | null;
  readonly validitySeconds: number;
}

/** The account's access and refresh tokens. OTP spec §3, HLR spec §3. */
export class IssuedTokens {
  readonly #access = new BoundedMap<string, Lifetime>(MAX_TOKENS);
  readonly #refresh = new BoundedMap<string, Lifetime>(MAX_TOKENS);
  /** The newest access token, which `preserve` keeps. */
  #current: Grant | null = null;

  constructor(
    private readonly clock: { nowMs(): number },
    private readonly readings: Readings,
    private readonly randomness: Randomness,
  ) {}

  isActive(accessToken: string): boolean {
    return this.#isUnexpired(this.#access.get(accessToken));
  }

  /**
   * Returns a new token, which ends the others, or the current one if it must be preserved. OTP
   * spec §3.
   */
  login(validitySeconds: number | null, preserve: boolean): Grant {
    const kept = preserve ? this.#preserve() : null;
    if (kept !== null) return kept;
    this.#access.clear();
    if (this.readings.loginEndsRefreshTokens) this.#refresh.clear();
    return this.#issue(validitySeconds ?? DEFAULT_TOKEN_VALIDITY_SECONDS, this.#newToken());
  }

  /**
   * Returns new tokens for a refresh token. Null if it is not valid. OTP spec §3.
   * @param requestedSeconds Overrides the validity of the refresh token.
   */
  refresh(refreshToken: string, requestedSeconds: number | null = null): Grant | null {
    const { readings } = this;
    const lifetime = this.#refresh.get(refreshToken);
    if (lifetime === undefined || !this.#isUnexpired(lifetime)) return null;

    if (readings.refreshEndsAccessToken) this.#access.clear();
    if (readings.refreshEndsRefreshToken) this.#refresh.delete(refreshToken);

    const keptSeconds = readings.refreshKeepsValidity
      ? lifetime.validitySeconds
      : DEFAULT_TOKEN_VALIDITY_SECONDS;
    return this.#issue(
      requestedSeconds ?? keptSeconds,
      readings.refreshReturns === 'same' ? refreshToken : this.#newToken(),
    );
  }

  #issue(validitySeconds: number, refreshToken: string): Grant {
    const accessToken = this.#newToken();
    const expiresAtMs = this.clock.nowMs() + validitySeconds * 1000;
    this.#access.set(accessToken, { validitySeconds, expiresAtMs });
    this.#keepRefreshToken(refreshToken, { validitySeconds, expiresAtMs });
    this.#current = { accessToken, refreshToken, validitySeconds };
    return this.#current;
  }

  #keepRefreshToken(refreshToken: string, lifetime: Lifetime): void {
    const expiresAtMs = this.readings.refreshTokenLife === 'same' ? lifetime.expiresAtMs : Infinity;
    this.#refresh.set(refreshToken, { ...lifetime, expiresAtMs });
  }

  #preserve(): Grant | null {
    const current = this.#current;
    const lifetime = current === null ? undefined : this.#access.get(current.accessToken);
    if (current === null || lifetime === undefined || !this.#isUnexpired(lifetime)) return null;

    const { accessToken } = current;
    const { preservedValidity, preservedRefreshToken } = this.readings;
    const nowMs = this.clock.nowMs();
    if (preservedValidity === 'renewed') {
      this.#access.set(accessToken, {
        ...lifetime,
        expiresAtMs: nowMs + lifetime.validitySeconds * 1000,
      });
    }

    const leftSeconds = Math.ceil((lifetime.expiresAtMs - nowMs) / 1000);
    const validitySeconds =
      preservedValidity === 'remaining' ? leftSeconds : lifetime.validitySeconds;

    if (preservedRefreshToken === 'missing')
      return { accessToken, refreshToken: null, validitySeconds };
    if (preservedRefreshToken === 'same') return { ...current, validitySeconds };
    const refreshToken = this.#newToken();
    this.#keepRefreshToken(refreshToken, lifetime);
    return { accessToken, refreshToken, validitySeconds };
  }

  #isUnexpired(lifetime: Lifetime | undefined): boolean {
    return lifetime !== undefined && this.clock.nowMs() < lifetime.expiresAtMs;
  }

  #newToken(): string {
    return this.randomness.bytes(24).toString('base64url');
  }
}
