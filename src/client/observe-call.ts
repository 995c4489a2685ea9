import {
  GatewayBusyError,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
  StoreError,
} from '../errors';
import type { CallName } from './call-name';
import type { EventHub } from './event-hub';
import type { CallOutcome } from './events';

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
