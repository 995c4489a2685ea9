import { GatewayTimeoutError, GatewayUnreachableError } from '../errors';
import type { CredentialsBody, RefreshBody } from '../protocol/auth';
import { type CallDeadline, startDeadline } from './deadline';
import type { CredentialLockout, TokenContention } from './back-off';
import { type GatewayEmitter, watchCall } from './events';
import { isCredentialRefusal, isRefreshRefusal } from './gateway-call';
import type { ClientSettings } from './options';
import { findTimeout } from './timeouts';
import type { TokenContents, Wire } from './wire';
import type { Transport } from './transport';

/** The tokens that are known before a renewal. */
export interface RenewalBase {
  /** The token to replace, with its refresh token. */
  readonly previous: TokenContents | null;
  /** An access token that the gateway has rejected. */
  readonly refused: string | null;
}

/** A token and how it was obtained: `shared` when another process had renewed it. */
export interface FoundToken {
  readonly contents: TokenContents;
  readonly by: 'credentials' | 'refresh' | 'shared';
}

interface AuthenticatorContext {
  readonly options: ClientSettings;
  readonly wire: Promise<Wire>;
  readonly transport: Transport;
  readonly lockout: CredentialLockout;
  readonly contention: TokenContention;
  readonly emitter: GatewayEmitter;
}

/** Requests tokens from the gateway. OTP spec §5, HLR spec §5. */
export class Authenticator {
  constructor(private readonly context: AuthenticatorContext) {}

  /**
   * Renews the token: with the refresh token while it should be valid, otherwise with credentials.
   * One deadline covers both, so that it ends within the lease on a shared token.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED; 1004 starts the lockout.
   */
  async renew(known: RenewalBase): Promise<FoundToken> {
    const { options, lockout, contention } = this.context;
    contention.noteAuthentication();
    const deadline = startDeadline('auth', findTimeout('auth', options.timeoutMs));

    try {
      const refreshed = await this.#refresh(known.previous, deadline);
      if (refreshed !== null && refreshed.accessToken !== known.refused)
        return { contents: refreshed, by: 'refresh' };
      return { contents: await this.#logIn(known, deadline), by: 'credentials' };
    } catch (error) {
      if (isCredentialRefusal(error)) lockout.start(error.gatewayCode);
      throw toUnsent(error, deadline);
    }
  }

  /**
   * Returns null if there is no refresh token or the gateway rejects it.
   *
   * Not shown in OTP spec §3: whether a refresh token outlives its access token (§2 gives both one
   * validity). So credentials are used after the end of the access token, when they can no longer
   * reset anything.
   *
   * Not shown in OTP spec §4: whether a renewed token keeps the validity. A is asked for it again.
   */
  async #refresh(
    previous: TokenContents | null,
    deadline: CallDeadline,
  ): Promise<TokenContents | null> {
    const { options, lockout } = this.context;
    if (previous?.refreshToken == null || lockout.isOnTrial) return null;
    if (options.now() >= previous.expiresAt) return null;

    const body: RefreshBody = {
      type: 'refresh_token',
      refresh_token: previous.refreshToken,
      ...this.#validity(),
    };

    try {
      return await this.#send(body, deadline);
    } catch (error) {
      if (isRefreshRefusal(error)) return null;
      throw error;
    }
  }

  /**
   * Logs in with credentials. In A the account's unexpired token is kept at first, because other
   * nodes may use it. It is replaced only if the gateway returns the token that it has rejected.
   * OTP spec §3.
   */
  async #logIn(known: RenewalBase, deadline: CallDeadline): Promise<TokenContents> {
    const { username, password, preserveToken, now } = this.context.options;
    const body: CredentialsBody = { type: 'access_token', username, password, ...this.#validity() };
    if (!preserveToken) return this.#send(body, deadline);

    const kept = await this.#send({ ...body, preserve: true }, deadline);
    if (kept.accessToken === known.refused)
      return this.#send({ ...body, preserve: false }, deadline);
    const { previous } = known;
    if (previous?.accessToken !== kept.accessToken || now() >= previous.expiresAt) return kept;

    // Not shown in OTP spec §3: whether `validity_period` of a kept token is the remaining time. So
    // it never extends the known end.
    return { ...kept, expiresAt: Math.min(previous.expiresAt, kept.expiresAt) };
  }

  /** OTP spec §4: `validity` belongs to the body of POST auth for either `type`, in A only. */
  #validity(): { readonly validity?: number } {
    const { tokenValiditySeconds } = this.context.options;
    return tokenValiditySeconds === undefined ? {} : { validity: tokenValiditySeconds };
  }

  async #send(body: CredentialsBody | RefreshBody, deadline: CallDeadline): Promise<TokenContents> {
    const { options, wire, transport, emitter } = this.context;
    const requestedAt = options.now();
    const { auth, toTokenContents } = await wire;
    const onEnd = watchCall(emitter, 'auth');

    try {
      const tokens = await transport.send(auth(body), null, deadline);
      onEnd?.(null);
      return toTokenContents(tokens, requestedAt, options.tokenValiditySeconds);
    } catch (error) {
      onEnd?.(error);
      throw error;
    }
  }
}

/**
 * Returns the error as one of a call that was not sent: if the authentication fails, nothing of the
 * call itself has left.
 */
function toUnsent(error: unknown, deadline: CallDeadline): unknown {
  if (error instanceof GatewayUnreachableError)
    return new GatewayUnreachableError(deadline.call, false, error.cause);
  if (error instanceof GatewayTimeoutError)
    return new GatewayTimeoutError(deadline.call, deadline.limitMs, false);
  return error;
}
