import { GatewayAbortedError } from '../errors';
import type { CallDeadline } from './call-limiter';

/**
 * Calls `onAbort` once the signal is aborted. @returns a function that stops listening. One signal
 * may outlive many calls, so each call must stop.
 */
export function onceAborted(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (signal === undefined) return doNothing;
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
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
