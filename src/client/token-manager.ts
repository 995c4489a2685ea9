import { GatewayBusyError, GatewayTimeoutError } from '../errors';
import { type CallDeadline, closedError, remainingMs, waitAtMost } from './call-limiter';
import type { CredentialStop } from './credential-lockout';
import type { EventHub } from './events';
import { isCredentialRefusal } from './exchange';
import type { SharedToken, TokenFind } from './shared-token';
import { type TokenContents, toRenewalTime } from './token-crypto';

/** A wait that can be ended early; several may run at once. */
class Pause {
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  wait(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(timer), ms);
      this.#waiting.set(timer, resolve);
    });
  }

  /** Ends every wait now. */
  end(): void {
    for (const timer of this.#waiting.keys()) this.#wake(timer);
  }

  #wake(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#waiting.get(timer)?.();
    this.#waiting.delete(timer);
  }
}

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

/** After a renewal in the background has failed, milliseconds until the next; the token is good until its end. */
const RETRY_MS = 5_000;

/** A token in use. */
export interface KeptToken extends TokenContents {
  /** Value of the Authorization header. OTP spec §5. */
  readonly authorization: string;
  /** Milliseconds since 1970 from which it is renewed ahead of its end. */
  readonly renewAt: number;
}

interface KeeperParts {
  readonly shared: SharedToken;
  readonly stop: CredentialStop;
  readonly watch: TakeoverWatch;
  readonly hub: EventHub;
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Holds the access token. However many calls wait for one, there is one renewal at a time; it runs ahead of the end, in
 * the background, so that calls rarely wait at all.
 */
export class TokenKeeper {
  readonly #parts: KeeperParts;
  readonly #pause = new Pause();
  #current: KeptToken | null = null;
  #last: KeptToken | null = null;
  #refused: string | null = null;
  #renewAt = 0;
  #flight: Promise<KeptToken> | null = null;
  #isClosed = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** The token, if a good one is at hand. Asks nobody; a renewal that is due begins in the background. */
  peek(): KeptToken | null {
    const token = this.#current;
    if (token === null) return null;
    const now = this.#parts.now();
    if (now >= token.expiresAt) return null;
    if (now >= this.#renewAt) this.#renewAhead(now);
    return token;
  }

  /**
   * Waits for a good token.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED to the one who asked first when the credentials are refused.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY to those who waited with it, and to everybody until the next try.
   */
  async obtain(deadline: CallDeadline): Promise<KeptToken> {
    if (this.#isClosed) throw closedError();
    this.#parts.stop.check();
    const isFirst = this.#flight === null;
    try {
      return await waitAtMost(this.#flight ?? this.#renew(), remainingMs(deadline), () =>
        this.#toLate(deadline),
      );
    } catch (error) {
      throw !isFirst && isCredentialRefusal(error) ? this.#parts.stop.toError() : error;
    }
  }

  /** The gateway refused this token. A late word about an earlier one changes nothing. */
  refuse(token: KeptToken): void {
    if (this.#current?.accessToken !== token.accessToken) return;
    this.#current = null;
    this.#refused = token.accessToken;
    if (this.#parts.now() < token.renewAt) this.#parts.watch.noteRejection();
  }

  /** Uses the token no more until credentials have given one, be it the same. */
  drop(): void {
    this.#current = null;
  }

  /** Begins no more renewals, and waits for one that is under way: its token is saved and the lease given back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pause.end();
    await this.#flight?.catch(ignore);
  }

  #renewAhead(now: number): void {
    this.#renewAt = now + RETRY_MS;
    if (this.#flight === null) this.#renew().catch(ignore);
  }

  #renew(): Promise<KeptToken> {
    this.#flight = this.#find()
      .then((find) => this.#keep(find))
      .finally(() => (this.#flight = null));
    return this.#flight;
  }

  async #find(): Promise<TokenFind> {
    const { shared, watch } = this.#parts;
    const known = { previous: this.#last, refused: this.#refused };
    const { fence, contents } = await shared.read(known);
    if (contents !== null) return { contents, by: 'shared' };
    await this.#pause.wait(watch.waitMs);
    if (this.#isClosed) throw closedError();
    return shared.renew(fence, known);
  }

  #keep({ contents, by }: TokenFind): KeptToken {
    const { stop, hub, now, random } = this.#parts;
    const isSame = contents.accessToken === this.#last?.accessToken;
    // A token that was handed back unchanged is not asked for again before its end: it would come back again.
    const renewAt = isSame ? contents.expiresAt : toRenewalTime(contents, now(), random());
    const token = { ...contents, renewAt, authorization: `Bearer ${contents.accessToken}` };
    this.#current = this.#last = token;
    this.#renewAt = renewAt;
    stop.reset();
    hub.emit({ type: 'token-renewed', by });
    return token;
  }

  #toLate({ call, limitMs }: CallDeadline): Error {
    const { waitMs } = this.#parts.watch;
    if (waitMs === 0) return new GatewayTimeoutError(call, limitMs, false);
    return new GatewayBusyError('somebody else takes the token', Math.ceil(waitMs / 1000));
  }
}

function ignore(): void {
  // The token in use is still good, or nobody waits for another; whoever needs one later hears of the failure then.
}
