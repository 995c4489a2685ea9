import { type AnySmsOtpError, GatewayRejectedError, SmsOtpError } from '../errors';
import type { CallOutcome, GatewayEvent, GatewayEventListener } from '../gateway';
import type { CallName } from '../protocol/paths';

/** Emits events. A listener that throws, rejects or never ends does not affect the client. */
export class GatewayEmitter {
  readonly #listeners = new Set<{ readonly listener: GatewayEventListener }>();

  constructor(first: GatewayEventListener | undefined) {
    if (first !== undefined) this.subscribe(first);
  }

  /** False if there is no need to create an event. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Adds a listener. @returns a function that removes it. */
  subscribe(listener: GatewayEventListener): () => void {
    // Make an entry for each subscription, because one function may be subscribed twice.
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
        // Ignore an error of a listener: it belongs to the app, and no caller could handle it here.
      }
    }
  }
}

/**
 * Starts to watch a call. @returns a function to call at its end, with its error or null for
 * success. Null if there are no listeners.
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
  ERR_GATEWAY_ABORTED: 'aborted',
  ERR_STORE: 'store',
} satisfies Partial<Record<AnySmsOtpError['code'], CallOutcome>>;

/** Returns null for a mistake of the caller, which is no outcome of the call. */
function toOutcome(error: unknown): CallOutcome | null {
  return error instanceof SmsOtpError ? (OUTCOMES[error.code] ?? null) : null;
}
