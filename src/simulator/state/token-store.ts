import { DEFAULT_TOKEN_VALIDITY_SECONDS } from '../../protocol/auth';
import type { Readings } from '../readings';
import { BoundedMap } from './bounded-map';
import type { Clock, Randomness } from './clock';

/** Tokens kept at once: only readings that end no token ever reach it. */
const MAX_TOKENS = 1_000;

interface Life {
  readonly validitySeconds: number;
  readonly expiresAtMs: number;
}

/** What an authentication gives. */
export interface Grant {
  readonly accessToken: string;
  /** Null where a preserved token comes without one. */
  readonly refreshToken: string | null;
  readonly validitySeconds: number;
}

/** The account's access and refresh tokens. OTP spec §3, HLR spec §3. */
export class TokenBook {
  readonly #access = new BoundedMap<string, Life>(MAX_TOKENS);
  readonly #refresh = new BoundedMap<string, Life>(MAX_TOKENS);
  /** The newest access token, the one that `preserve` keeps. */
  #current: Grant | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly readings: Readings,
    private readonly randomness: Randomness,
  ) {}

  isLive(accessToken: string): boolean {
    return this.#isUnexpired(this.#access.get(accessToken));
  }

  /**
   * Credentials: a new token that resets the connection, or the one that is there when it is to be preserved.
   * OTP spec §3.
   */
  login(validitySeconds: number, preserve: boolean): Grant {
    const kept = preserve ? this.#preserve() : null;
    if (kept !== null) return kept;
    this.#access.clear();
    if (this.readings.loginEndsRefreshTokens) this.#refresh.clear();
    return this.#issue(validitySeconds, this.#newToken());
  }

  /** A refresh token: new tokens, or null when it is not valid. OTP spec §3. */
  refresh(refreshToken: string): Grant | null {
    const life = this.#refresh.get(refreshToken);
    if (life === undefined || !this.#isUnexpired(life)) return null;
    const { refreshEndsAccessToken, refreshEndsRefreshToken, refreshKeepsValidity, refreshReturns } =
      this.readings;
    if (refreshEndsAccessToken) this.#access.clear();
    if (refreshEndsRefreshToken) this.#refresh.delete(refreshToken);
    const validitySeconds = refreshKeepsValidity ? life.validitySeconds : DEFAULT_TOKEN_VALIDITY_SECONDS;
    return this.#issue(validitySeconds, refreshReturns === 'same' ? refreshToken : this.#newToken());
  }

  #issue(validitySeconds: number, refreshToken: string): Grant {
    const accessToken = this.#newToken();
    const expiresAtMs = this.clock.nowMs() + validitySeconds * 1000;
    this.#access.set(accessToken, { validitySeconds, expiresAtMs });
    this.#keepRefreshToken(refreshToken, { validitySeconds, expiresAtMs });
    this.#current = { accessToken, refreshToken, validitySeconds };
    return this.#current;
  }

  #keepRefreshToken(refreshToken: string, life: Life): void {
    const expiresAtMs = this.readings.refreshTokenLife === 'same' ? life.expiresAtMs : Infinity;
    this.#refresh.set(refreshToken, { ...life, expiresAtMs });
  }

  #preserve(): Grant | null {
    const current = this.#current;
    const life = current === null ? undefined : this.#access.get(current.accessToken);
    if (current === null || life === undefined || !this.#isUnexpired(life)) return null;
    const kept = this.#preserveLife(current.accessToken, life);
    return {
      accessToken: current.accessToken,
      refreshToken: this.#preserveRefreshToken(current, life),
      validitySeconds: kept,
    };
  }

  /** The seconds that the answer names. */
  #preserveLife(accessToken: string, life: Life): number {
    const { preservedValidity } = this.readings;
    const nowMs = this.clock.nowMs();
    if (preservedValidity === 'remaining') return Math.ceil((life.expiresAtMs - nowMs) / 1000);
    if (preservedValidity === 'renewed') {
      this.#access.set(accessToken, { ...life, expiresAtMs: nowMs + life.validitySeconds * 1000 });
    }
    return life.validitySeconds;
  }

  #preserveRefreshToken(current: Grant, life: Life): string | null {
    const { preservedRefreshToken } = this.readings;
    if (preservedRefreshToken === 'missing') return null;
    if (preservedRefreshToken === 'same') return current.refreshToken;
    const refreshToken = this.#newToken();
    this.#keepRefreshToken(refreshToken, life);
    return refreshToken;
  }

  #isUnexpired(life: Life | undefined): boolean {
    return life !== undefined && this.clock.nowMs() < life.expiresAtMs;
  }

  #newToken(): string {
    return this.randomness.bytes(24).toString('base64url');
  }
}
