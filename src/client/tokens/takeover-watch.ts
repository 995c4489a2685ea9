import type { EventHub } from '../event-hub';

/** So many tokens refused long before their end, within this time, mean that somebody else takes them. */
const REJECTIONS = 3;
const WINDOW_MS = 60_000;

/** Own authentications are then at least this far apart, with up to half as much again by chance. */
const GAP_MS = 5_000;

/**
 * Notices that somebody else keeps logging in with the same account: where nothing is shared, each login throws the
 * other out (OTP spec §3). Bounds our part in it to one authentication in 5 s.
 */
export class TakeoverWatch {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #hub: EventHub;
  #rejectedAt: number[] = [];
  #nextAt = 0;

  constructor(now: () => number, random: () => number, hub: EventHub) {
    this.#now = now;
    this.#random = random;
    this.#hub = hub;
  }

  /** Milliseconds until the next authentication of our own. */
  get waitMs(): number {
    if (!this.#isTakenOver()) return 0;
    return Math.min(Math.max(0, this.#nextAt - this.#now()), 2 * GAP_MS);
  }

  /** A token of ours was refused long before its end. */
  noteRejection(): void {
    const now = this.#now();
    this.#rejectedAt = [...this.#rejectedAt, now].slice(-REJECTIONS);
    if (!this.#isTakenOver()) return;
    this.#hub.emit({ type: 'token-taken-over', retryAfterSeconds: Math.ceil(this.waitMs / 1000) });
  }

  /** We authenticate now. */
  noteAuthentication(): void {
    this.#nextAt = this.#now() + GAP_MS + (GAP_MS / 2) * this.#random();
  }

  #isTakenOver(): boolean {
    const [first] = this.#rejectedAt;
    if (first === undefined || this.#rejectedAt.length < REJECTIONS) return false;
    return this.#now() - first < WINDOW_MS;
  }
}
