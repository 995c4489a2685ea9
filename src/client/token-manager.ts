import { setTimeout } from 'node:timers/promises';
import { GatewayBusyError, GatewayTimeoutError } from '../errors';
import { waitAtMost } from '../stores/with-timeout';
import type { FoundToken } from './authenticate';
import { closedError } from './call-limiter';
import { type CallDeadline, remainingMs } from './deadline';
import type { CredentialLockout, TokenContention } from './back-off';
import type { GatewayEmitter } from './events';
import { isCredentialRefusal } from './gateway-call';
import type { SharedToken } from './shared-token';
import type { TokenContents } from './wire';

/**
 * Milliseconds between renewals in the background after a failure. The token is valid until its
 * end.
 */
const RETRY_MS = 5_000;

export interface AuthorizedToken extends TokenContents {
  /** The value of the Authorization header. OTP spec §5. */
  readonly authorization: string;
  /** When to renew the token ahead of its end, in milliseconds since 1970. */
  readonly renewAt: number;
}

interface TokenManagerContext {
  readonly shared: SharedToken;
  readonly lockout: CredentialLockout;
  readonly contention: TokenContention;
  readonly emitter: GatewayEmitter;
  readonly now: () => number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Keeps the access token. Only one renewal runs at a time. It runs in the background before the
 * token ends, so that calls rarely wait.
 */
export class TokenManager {
  readonly #closing = new AbortController();
  #current: AuthorizedToken | null = null;
  #last: AuthorizedToken | null = null;
  #refused: string | null = null;
  #renewAt = 0;
  #renewal: Promise<AuthorizedToken> | null = null;

  constructor(private readonly context: TokenManagerContext) {}

  /**
   * Returns the token if it is valid, otherwise null. Sends nothing itself, but starts a due
   * renewal in the background.
   */
  peek(): AuthorizedToken | null {
    const token = this.#current;
    if (token === null) return null;

    const now = this.context.now();
    if (now >= token.expiresAt) return null;
    if (now >= this.#renewAt) {
      this.#renewAt = now + RETRY_MS;
      if (this.#renewal === null) this.#renew().catch(ignore);
    }

    return token;
  }

  /**
   * Waits for a valid token.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED to the first caller if the credentials are
   * rejected.
   * @throws {GatewayBusyError} ERR_GATEWAY_BUSY to callers that waited with it, and to all callers
   * until the next try.
   */
  async obtain(deadline: CallDeadline): Promise<AuthorizedToken> {
    if (this.#closing.signal.aborted) throw closedError();
    this.context.lockout.check();

    const isFirst = this.#renewal === null;
    try {
      return await waitAtMost(this.#renewal ?? this.#renew(), remainingMs(deadline), () =>
        this.#toTimeout(deadline),
      );
    } catch (error) {
      throw !isFirst && isCredentialRefusal(error) ? this.context.lockout.toError() : error;
    }
  }

  /**
   * Records that the gateway rejected this token. Does nothing if it is no longer the current one.
   */
  refuse(token: AuthorizedToken): void {
    if (this.#current?.accessToken !== token.accessToken) return;
    this.#current = null;
    this.#refused = token.accessToken;
    if (this.context.now() < token.renewAt) this.context.contention.noteRejection();
  }

  /** Stops using the token until credentials have returned one, even the same one. */
  drop(): void {
    this.#current = null;
  }

  /**
   * Starts no more renewals and waits for a running one: its token must be saved and the lease
   * released.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#renewal?.catch(ignore);
  }

  #renew(): Promise<AuthorizedToken> {
    this.#renewal = this.#find()
      .then((found) => this.#keep(found))
      .finally(() => (this.#renewal = null));
    return this.#renewal;
  }

  async #find(): Promise<FoundToken> {
    const { shared, contention } = this.context;
    const known = { previous: this.#last, refused: this.#refused };
    const { fence, contents } = await shared.read(known);
    if (contents !== null) return { contents, by: 'shared' };

    const { signal } = this.#closing;
    if (contention.waitMs > 0)
      await setTimeout(contention.waitMs, undefined, { signal }).catch(ignore);
    if (signal.aborted) throw closedError();
    return shared.renew(fence, known);
  }

  #keep({ contents, by }: FoundToken): AuthorizedToken {
    const { lockout, emitter, now, random } = this.context;
    const isSame = contents.accessToken === this.#last?.accessToken;
    // Do not renew a token early that came back unchanged: it would come back unchanged again.
    const renewAt = isSame ? contents.expiresAt : toRenewalTime(contents, now(), random());
    const token = { ...contents, renewAt, authorization: `Bearer ${contents.accessToken}` };

    this.#current = this.#last = token;
    this.#renewAt = renewAt;
    lockout.end();
    emitter.emit({ type: 'token-renewed', by });
    return token;
  }

  #toTimeout(deadline: CallDeadline): Error {
    const { waitMs } = this.context.contention;
    if (waitMs === 0) return new GatewayTimeoutError(deadline.call, deadline.limitMs, false);
    return new GatewayBusyError(
      'another client keeps replacing the token',
      Math.ceil(waitMs / 1000),
    );
  }
}

/**
 * Returns when to renew a token: after 80 to 90 % of its remaining time, at random, so that
 * processes do not all renew at once.
 */
export function toRenewalTime(token: TokenContents, now: number, chance: number): number {
  return now + (token.expiresAt - now) * (0.8 + 0.1 * chance);
}

function ignore(): void {
  // Ignore the error: the current token is still valid, or no call waits. A later call gets its own
  // error.
}
