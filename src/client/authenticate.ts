import { GatewayTimeoutError, GatewayUnreachableError } from '../errors';
import { type CredentialsBody, readTokens, type RefreshBody, type Tokens } from '../protocol/auth';
import { AUTH_PATH } from '../protocol/paths';
import { type CallDeadline, startDeadline } from './call-limiter';
import type { CredentialStop } from './credential-lockout';
import { type EventHub, observeCall } from './events';
import {
  type Exchange,
  type GatewayCall,
  isCredentialRefusal,
  isRefreshRefusal,
  MAX_ANSWER_BYTES,
} from './exchange';
import type { ClientSettings } from './options';
import { toContents, type TokenContents } from './token-crypto';
import type { TakeoverWatch } from './token-manager';

/** What is known when a token is to be renewed. */
export interface RenewalBase {
  /** The token to replace, with the refresh token that came with it. */
  readonly previous: TokenContents | null;
  /** An access token that the gateway has refused. */
  readonly refused: string | null;
}

/** A new token and how it was had. */
export interface Renewal {
  readonly contents: TokenContents;
  readonly by: 'credentials' | 'refresh';
}

interface AuthenticatorParts {
  readonly settings: ClientSettings;
  readonly exchange: Exchange;
  readonly stop: CredentialStop;
  readonly watch: TakeoverWatch;
  readonly hub: EventHub;
}

/** Asks the gateway for tokens. OTP spec §5, HLR spec §5. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /**
   * A new token: by the refresh token while that should be good, else by credentials. One deadline bounds all of it,
   * so that it ends within the lease on a shared token.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED; after 1004 the client is stopped.
   */
  async renew({ previous, refused }: RenewalBase): Promise<Renewal> {
    const { settings, stop, watch } = this.#parts;
    watch.noteAuthentication();
    const deadline = startDeadline('auth', settings.timeouts.authMs);
    try {
      const refreshed = await this.#refresh(previous, deadline);
      if (refreshed !== null && refreshed.accessToken !== refused)
        return { contents: refreshed, by: 'refresh' };
      return { contents: await this.#logIn({ previous, refused }, deadline), by: 'credentials' };
    } catch (error) {
      if (isCredentialRefusal(error)) stop.stop(error.gatewayCode);
      throw toUnsent(error, deadline);
    }
  }

  /**
   * Null when there is no refresh token, or the gateway refuses it.
   * Not shown in OTP spec §3: whether a refresh token outlives its access token (§2 gives both one validity), so after
   * the end credentials are used: nothing is left that they could reset.
   */
  async #refresh(previous: TokenContents | null, deadline: CallDeadline): Promise<TokenContents | null> {
    const { settings, stop } = this.#parts;
    if (previous?.refreshToken == null || stop.isOnTrial) return null;
    if (settings.now() >= previous.expiresAt) return null;
    try {
      return await this.#ask({ type: 'refresh_token', refresh_token: previous.refreshToken }, deadline);
    } catch (error) {
      if (isRefreshRefusal(error)) return null;
      throw error;
    }
  }

  /**
   * Credentials. In A the account's unexpired token is kept first, for other nodes may hold it; only when the gateway
   * hands back the very token it has refused is it replaced. OTP spec §3.
   */
  async #logIn({ previous, refused }: RenewalBase, deadline: CallDeadline): Promise<TokenContents> {
    const { settings } = this.#parts;
    const { username, password, tokenValiditySeconds, preserveToken } = settings;
    const body: CredentialsBody = {
      type: 'access_token',
      username,
      password,
      ...(tokenValiditySeconds !== undefined && { validity: tokenValiditySeconds }),
    };
    if (!preserveToken) return this.#ask(body, deadline);
    const kept = await this.#ask({ ...body, preserve: true }, deadline);
    if (kept.accessToken === refused) return this.#ask({ ...body, preserve: false }, deadline);
    return previous?.accessToken === kept.accessToken ? this.#keepEarlierEnd(previous, kept) : kept;
  }

  /** Not shown in OTP spec §3: whether `validity_period` of a kept token is what is left; it is never believed to be more. */
  #keepEarlierEnd(previous: TokenContents, kept: TokenContents): TokenContents {
    if (this.#parts.settings.now() >= previous.expiresAt) return kept;
    return { ...kept, expiresAt: Math.min(previous.expiresAt, kept.expiresAt) };
  }

  async #ask(body: CredentialsBody | RefreshBody, deadline: CallDeadline): Promise<TokenContents> {
    const { settings, exchange, hub } = this.#parts;
    const askedAt = settings.now();
    const tokens = await observeCall(hub, 'auth', () => exchange(toCall(body), null, deadline));
    return toContents(tokens, askedAt, settings.tokenValiditySeconds);
  }
}

function toCall(body: CredentialsBody | RefreshBody): GatewayCall<Tokens> {
  return {
    name: 'auth',
    method: 'POST',
    path: AUTH_PATH,
    body: JSON.stringify(body),
    maxBytes: MAX_ANSWER_BYTES,
    read: readTokens,
  };
}

/** Of the call that waits for the token nothing has left, whatever became of the authentication. */
function toUnsent(error: unknown, { call, limitMs }: CallDeadline): unknown {
  if (error instanceof GatewayUnreachableError) return new GatewayUnreachableError(call, false, error.cause);
  if (error instanceof GatewayTimeoutError) return new GatewayTimeoutError(call, limitMs, false);
  return error;
}
