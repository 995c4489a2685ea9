import type { GatewayEmitter } from './events';

/** This many tokens refused long before their end, within this time, mean that another client replaces them. */
const REJECTIONS = 3;
const WINDOW_MS = 60_000;

/** Own authentications are then at least this far apart, with up to half as much again by chance. */
const GAP_MS = 5_000;

/**
 * Detects that another client keeps logging in with the same account: where nothing is shared, each login ends the
 * other's token (OTP spec §3). Limits our part in it to one authentication in 5 s.
 */
export class TokenContention {
  #rejectedAt: number[] = [];
  #nextAt = 0;

  constructor(
    private readonly now: () => number,
    private readonly random: () => number,
    private readonly emitter: GatewayEmitter,
  ) {}

  /** Milliseconds until this client may authenticate again. */
  get waitMs(): number {
    if (!this.#isContended()) return 0;
    return Math.min(Math.max(0, this.#nextAt - this.now()), 2 * GAP_MS);
  }

  /** Records that a token was refused long before its end. */
  noteRejection(): void {
    const now = this.now();
    this.#rejectedAt = [...this.#rejectedAt, now].slice(-REJECTIONS);
    if (!this.#isContended()) return;
    this.emitter.emit({ type: 'token-taken-over', retryAfterSeconds: Math.ceil(this.waitMs / 1000) });
  }

  /** Records that this client authenticates now. */
  noteAuthentication(): void {
    this.#nextAt = this.now() + GAP_MS + (GAP_MS / 2) * this.random();
  }

  #isContended(): boolean {
    const [first] = this.#rejectedAt;
    if (first === undefined || this.#rejectedAt.length < REJECTIONS) return false;
    return this.now() - first < WINDOW_MS;
  }
}
