import { setTimeout as wait } from 'node:timers/promises';

/**
 * Returns a function that waits for 0 to `mostMs` milliseconds, each time for another time. The
 * sequence is the same in every run, so that a run that failed can be repeated.
 */
export function seededWaits(mostMs: number): () => Promise<void> {
  let state = 1;
  return () => {
    // The generator of Park and Miller.
    state = (state * 48_271) % 2_147_483_647;
    return wait((state / 2_147_483_647) * mostMs);
  };
}
