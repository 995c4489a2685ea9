import { setMaxListeners } from 'node:events';
import { GatewayAbortedError } from '../errors';
import type { CallName } from '../protocol/paths';

/**
 * The one deadline of a call, over queue, authentication, connecting, headers and body. It is
 * measured by the monotonic clock, like the timers that guard it: the injected clock of the client
 * does not move it.
 */
export interface CallDeadline {
  readonly call: CallName;
  /** The limit for the whole call. */
  readonly limitMs: number;
  readonly endsAtMs: number;
  /** Ends the call earlier, where its caller has passed one. */
  readonly signal: AbortSignal | undefined;
}

/** What shortens a deadline. */
interface DeadlineLimits {
  /** Milliseconds that waiting for the permit has used up already. */
  readonly usedMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Starts a deadline. */
export function startDeadline(
  call: CallName,
  limitMs: number,
  { usedMs = 0, signal }: DeadlineLimits = {},
): CallDeadline {
  return { call, limitMs, endsAtMs: performance.now() + limitMs - usedMs, signal };
}

/** Returns the milliseconds that are left; negative once the deadline has passed. */
export function remainingMs(deadline: CallDeadline): number {
  return deadline.endsAtMs - performance.now();
}

/**
 * Calls `onAbort` once the signal is aborted. @returns a function that stops listening. One signal
 * may outlive many calls, so each call must stop.
 */
export function onceAborted(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (signal === undefined) return doNothing;
  allowManyListeners(signal);
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

/** More than one client has calls, in flight and waiting. */
const MANY_LISTENERS = 100_000;

/** A batch may share one signal. The platform would warn of a leak at the eleventh call. */
function allowManyListeners(signal: AbortSignal): void {
  // A signal of a library need not be one of the platform.
  if (signal instanceof EventTarget) setMaxListeners(MANY_LISTENERS, signal);
}

/** @throws {GatewayAbortedError} ERR_GATEWAY_ABORTED if the caller has given up already. */
export function throwIfAborted({ call, signal }: CallDeadline): void {
  if (signal?.aborted === true) throw new GatewayAbortedError(call, false);
}

/**
 * Waits for something before a call is sent, unless its caller gives up. The work itself goes on:
 * others may wait for it.
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
  // There is no signal to listen to.
}
