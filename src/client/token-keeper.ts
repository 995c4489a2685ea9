import { GatewayBusyError, GatewayTimeoutError } from '../errors';
import { remainingMs, waitAtMost, type CallDeadline } from './admission/call-deadline';
import { closedError } from './admission/call-gate';
import type { CredentialStop } from './admission/credential-stop';
import type { EventHub } from './event-hub';
import { isCredentialRefusal } from './answers/gateway-failure';
import { Pause } from './tokens/pause';
import type { SharedToken, TokenFind } from './tokens/shared-token';
import type { TakeoverWatch } from './tokens/takeover-watch';
import { toRenewalTime } from './tokens/token-life';
import type { TokenContents } from './tokens/token-seal';

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
