import { SERVER_TIMEOUT_MS } from '../with-timeout';

/** What a process knows of the clock of Redis, by which a script sees that it runs too late. */
export interface ServerClock {
  /**
   * Notes an answer that says what time it is at the server.
   * @param sentAtMs When the call was sent, by the monotonic clock of this process.
   */
  note(serverMs: number, sentAtMs: number): void;
  /** Returns when a call that begins now is over, by the server's clock; 0 if it is not known. */
  readDeadline(): number;
}

/** An answer older than this says nothing: the server may have been replaced, or its clock set. */
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
      // The answer was made after the call was sent, so this is never too early.
      const ageMs = performance.now() - sentAtMs;
      return ageMs > NEWS_MS ? 0 : Math.ceil(serverMs + ageMs + SERVER_TIMEOUT_MS);
    },
  };
}
