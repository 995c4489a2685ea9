import type { CliIo } from '../cli-io';

/** Waits for the next start; the first one comes at once. */
export type AwaitTurn = () => Promise<void>;

/** Starts are at least a second's part apart, however many wait. */
export function createPace(perSecond: number, { now, wait, signal }: CliIo): AwaitTurn {
  const gapMs = 1_000 / perSecond;
  let nextAt = -Infinity;
  return async function awaitTurn() {
    const at = Math.max(now(), nextAt);
    nextAt = at + gapMs;
    const leftMs = at - now();
    if (leftMs > 0) await wait(leftMs, signal);
  };
}
