import type { CallName } from './call-name';

/** Another access token is in use. */
export interface TokenRenewedEvent {
  readonly type: 'token-renewed';
  /** `shared`: another process had renewed it already, nothing was sent. */
  readonly by: 'credentials' | 'refresh' | 'shared';
}

/** The token was refused again and again long before its end: somebody else logs in with the same account. */
export interface TokenTakenOverEvent {
  readonly type: 'token-taken-over';
  /** Seconds until this client authenticates again. */
  readonly retryAfterSeconds: number;
}

/** The gateway refused the credentials; every call is refused here until the next try. */
export interface GatewayCredentialsRefusedEvent {
  readonly type: 'gateway-credentials-refused';
  readonly gatewayCode: number;
  /** Seconds until the next try. */
  readonly retryAfterSeconds: number;
}

/** Too many calls failed; calls are refused here until a probe succeeds. */
export interface GatewayFailingEvent {
  readonly type: 'gateway-failing';
  /** Seconds until the first probe. */
  readonly retryAfterSeconds: number;
}

/** A probe succeeded after `gateway-failing`. */
export interface GatewayRecoveredEvent {
  readonly type: 'gateway-recovered';
}

/** How a call ended: a rejection is an answer of the gateway, `busy` was refused here, `store` is the token store. */
export type CallOutcome = 'ok' | 'rejected' | 'unreachable' | 'timeout' | 'response' | 'busy' | 'store';

/** A call ended. Made only when somebody listens. */
export interface GatewayCallEvent {
  readonly type: 'gateway-call';
  readonly call: CallName;
  readonly outcome: CallOutcome;
  /** Milliseconds, queue and authentication included. */
  readonly durationMs: number;
  /** The application error code; only where the outcome is `rejected` and the answer had one. */
  readonly gatewayCode?: number;
}

/** What the client tells of itself. No event holds a secret, a number or a code that was texted. */
export type GatewayEvent =
  | TokenRenewedEvent
  | TokenTakenOverEvent
  | GatewayCredentialsRefusedEvent
  | GatewayFailingEvent
  | GatewayRecoveredEvent
  | GatewayCallEvent;

/** Hears events. What it throws or returns changes nothing. */
export type GatewayEventListener = (event: GatewayEvent) => void;
