import { type AnySmsOtpError, GatewayRejectedError, SmsOtpError } from '../errors';
import type { CallName } from '../protocol/paths';

/** Another access token is in use. */
export interface TokenRenewedEvent {
  readonly type: 'token-renewed';
  /** `shared`: another process had renewed it already, nothing was sent. */
  readonly by: 'credentials' | 'refresh' | 'shared';
}

/**
 * The token was refused again and again long before its end: another client logs in with the same
 * account.
 */
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

/**
 * The gateway refuses a call of everybody's: 1006, the balance is used up, or 2100, the account
 * lacks the permission. OTP spec §7, HLR spec §7.
 */
export interface GatewayRefusingEvent {
  readonly type: 'gateway-refusing';
  readonly call: CallName;
  readonly gatewayCode: number;
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

/**
 * How a call ended: a rejection is an answer of the gateway, `busy` was refused here, `store` is
 * the token store.
 */
export type CallOutcome =
  | 'ok'
  | 'rejected'
  | 'unreachable'
  | 'timeout'
  | 'response'
  | 'busy'
  | 'store';

/** A call ended. Emitted only while there are listeners. */
export interface GatewayCallEvent {
  readonly type: 'gateway-call';
  readonly call: CallName;
  readonly outcome: CallOutcome;
  /** Milliseconds, queue and authentication included. */
  readonly durationMs: number;
  /** The application error code; only where the outcome is `rejected` and the answer had one. */
  readonly gatewayCode?: number;
}

/** The events of a client. No event holds a secret, a number or a code that was texted. */
export type GatewayEvent =
  | TokenRenewedEvent
  | TokenTakenOverEvent
  | GatewayCredentialsRefusedEvent
  | GatewayRefusingEvent
  | GatewayFailingEvent
  | GatewayRecoveredEvent
  | GatewayCallEvent;

/** Called with every event. Exceptions and return values are ignored. */
export type GatewayEventListener = (event: GatewayEvent) => void;

/** Emits events. A listener that throws, rejects or never ends changes nothing for the client. */
export class GatewayEmitter {
  readonly #listeners = new Set<{ readonly listener: GatewayEventListener }>();

  constructor(first: GatewayEventListener | undefined) {
    if (first !== undefined) this.subscribe(first);
  }

  /** False when an event need not be created. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener. @returns a function that removes it. */
  subscribe(listener: GatewayEventListener): () => void {
    // An entry of its own: one function may be subscribed twice.
    const entry = { listener };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  emit(event: GatewayEvent): void {
    for (const { listener } of this.#listeners) {
      try {
        const returned: unknown = listener(event);
        if (returned instanceof Promise) returned.catch(() => undefined);
      } catch {
        // The listener belongs to the application: its failure is not the gateway's, and no one
        // could handle it here.
      }
    }
  }
}

/**
 * Starts to watch a call. @returns a function to call with its error, or null for success, when it
 * has ended; null without listeners.
 */
export function watchCall(
  emitter: GatewayEmitter,
  call: CallName,
): ((error: unknown) => void) | null {
  if (!emitter.hasListeners) return null;
  const startedAtMs = performance.now();
  return (error) => {
    const outcome = error === null ? 'ok' : toOutcome(error);
    if (outcome === null) return;
    const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
    const durationMs = performance.now() - startedAtMs;
    emitter.emit({
      type: 'gateway-call',
      call,
      outcome,
      ...(code !== null && { gatewayCode: code }),
      durationMs,
    });
  };
}

const OUTCOMES: Readonly<Partial<Record<string, CallOutcome>>> = {
  ERR_GATEWAY_REJECTED: 'rejected',
  ERR_GATEWAY_UNREACHABLE: 'unreachable',
  ERR_GATEWAY_TIMEOUT: 'timeout',
  ERR_GATEWAY_RESPONSE: 'response',
  ERR_GATEWAY_BUSY: 'busy',
  ERR_STORE: 'store',
} satisfies Partial<Record<AnySmsOtpError['code'], CallOutcome>>;

/** Returns null for a mistake of the caller, which is not an outcome of the call. */
function toOutcome(error: unknown): CallOutcome | null {
  return error instanceof SmsOtpError ? (OUTCOMES[error.code] ?? null) : null;
}
