import { SERVER_TIMEOUT_MS } from '../with-timeout';

/** The known time of Redis' clock, from which a script learns that it runs too late. */
export interface ServerClock {
  /**
   * Records an answer that contains the server's time.
   * @param sentAtMs When the call was sent, by the monotonic clock of this process.
   */
  note(serverMs: number, sentAtMs: number): void;
  /**
   * Returns the deadline of a call that begins now, by the server's clock. 0 if it is not known.
   */
  readDeadline(): number;
}

/**
 * The oldest answer that counts: after that the server may have been replaced, or its clock set.
 */
const NEWS_MS = 60_000;

export function createServerClock(): ServerClock {
  let serverMs = 0;
  let sentAtMs = -Infinity;

  return {
    note(readMs, atMs) {
      serverMs = readMs;
      sentAtMs = atMs;
    },
    readDeadline() {
      // The answer was made after the call was sent, so this deadline is never too early.
      const ageMs = performance.now() - sentAtMs;
      return ageMs > NEWS_MS ? 0 : Math.ceil(serverMs + ageMs + SERVER_TIMEOUT_MS);
    },
  };
}
