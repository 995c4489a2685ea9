import {
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  StoreError,
} from '../errors';

/** The calls to the gateway, by the word that errors, events and deadlines use. OTP spec §4, HLR spec §4. */
export type CallName =
  'auth' | 'generate' | 'validate' | 'balance' | 'pricing' | 'lookup' | 'hlr-balance' | 'hlr-pricing';

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

/** Passes events on. A listener that throws, rejects or never ends changes nothing for the client. */
export class EventHub {
  readonly #listeners = new Set<{ readonly hear: GatewayEventListener }>();

  constructor(first: GatewayEventListener | undefined) {
    if (first !== undefined) this.subscribe(first);
  }

  /** False when an event need not even be made. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener; the function returned takes it away again. */
  subscribe(hear: GatewayEventListener): () => void {
    const entry = { hear };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  emit(event: GatewayEvent): void {
    for (const { hear } of this.#listeners) {
      try {
        const heard: unknown = hear(event);
        if (heard instanceof Promise) heard.catch(ignore);
      } catch {
        // A listener is the application's: its failure is not the gateway's, and there is nobody to tell.
      }
    }
  }
}

function ignore(): void {
  // As above: the rejection of a listener belongs to the application.
}

/** Runs a call and tells listeners how it ended; without listeners it only runs it. */
export function observeCall<Result>(
  hub: EventHub,
  call: CallName,
  run: () => Promise<Result>,
): Promise<Result> {
  return hub.hasListeners ? observe(hub, call, run) : run();
}

async function observe<Result>(hub: EventHub, call: CallName, run: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now();
  try {
    const result = await run();
    hub.emit({ type: 'gateway-call', call, outcome: 'ok', durationMs: performance.now() - startedAtMs });
    return result;
  } catch (error) {
    const outcome = toOutcome(error);
    const durationMs = performance.now() - startedAtMs;
    const code = error instanceof GatewayRejectedError ? error.gatewayCode : null;
    if (outcome !== null) {
      hub.emit({
        type: 'gateway-call',
        call,
        outcome,
        durationMs,
        ...(code !== null && { gatewayCode: code }),
      });
    }
    throw error;
  }
}

/** Null for what is no outcome of a call but a mistake of the caller. */
function toOutcome(error: unknown): CallOutcome | null {
  if (error instanceof GatewayRejectedError) return 'rejected';
  if (error instanceof GatewayUnreachableError) return 'unreachable';
  if (error instanceof GatewayTimeoutError) return 'timeout';
  if (error instanceof GatewayResponseError) return 'response';
  if (error instanceof GatewayBusyError) return 'busy';
  return error instanceof StoreError ? 'store' : null;
}
