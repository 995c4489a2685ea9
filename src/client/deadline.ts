import { setMaxListeners } from 'node:events';
import { GatewayAbortedError } from '../errors';
import type { CallName } from '../protocol/paths';

/**
 * The one deadline of a call, for queue, authentication, connecting, headers and body. It is
 * measured by the monotonic clock, like its timers, and not by the client's option `now`.
 */
export interface CallDeadline {
  readonly call: CallName;
  readonly limitMs: number;
  readonly endsAtMs: number;
  /** The caller's signal, which ends the call earlier. */
  readonly signal: AbortSignal | undefined;
}

/** The options that shorten a deadline. */
interface DeadlineLimits {
  /** Milliseconds that were already spent waiting for the permit. */
  readonly usedMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function startDeadline(
  call: CallName,
  limitMs: number,
  { usedMs = 0, signal }: DeadlineLimits = {},
): CallDeadline {
  return { call, limitMs, endsAtMs: performance.now() + limitMs - usedMs, signal };
}

/** Returns the remaining milliseconds. Negative after the deadline. */
export function remainingMs(deadline: CallDeadline): number {
  return deadline.endsAtMs - performance.now();
}

/**
 * Calls `onAbort` once the signal is aborted. @returns a function that stops listening. Call it
 * after each call, because one signal may outlive many calls.
 */
export function onceAborted(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (signal === undefined) return doNothing;
  allowManyListeners(signal);
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

/** More listeners than one client has calls in flight and waiting. */
const MANY_LISTENERS = 100_000;

/**
 * Raises the limit of listeners: many calls may share one signal, and Node.js would warn of a leak
 * at the eleventh.
 */
function allowManyListeners(signal: AbortSignal): void {
  // A signal of a library may not be an `EventTarget` of the platform.
  if (signal instanceof EventTarget) setMaxListeners(MANY_LISTENERS, signal);
}

/** @throws {GatewayAbortedError} ERR_GATEWAY_ABORTED if the caller has already aborted the call. */
export function throwIfAborted({ call, signal }: CallDeadline): void {
  if (signal?.aborted === true) throw new GatewayAbortedError(call, false);
}

/**
 * Waits for something before a call is sent, until the caller aborts. The work itself continues,
 * because other calls may wait for it.
 * @throws {GatewayAbortedError} ERR_GATEWAY_ABORTED
 */
export async function waitUnlessAborted<Result>(
  work: Promise<Result>,
  deadline: CallDeadline,
): Promise<Result> {
  const { call, signal } = deadline;
  if (signal === undefined) return work;
  throwIfAborted(deadline);

  let stopListening = doNothing;
  const aborted = new Promise<never>((_resolve, reject) => {
    stopListening = onceAborted(signal, () => reject(new GatewayAbortedError(call, false)));
  });

  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopListening();
  }
}

function doNothing(): void {
  // Without a signal there is nothing to stop.
}
