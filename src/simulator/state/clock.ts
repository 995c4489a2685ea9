/** The simulator's clock: the clock it was given, moved forward by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Moves the clock forward, so that tokens and pins age. */
  advanceSeconds(seconds: number): void;
}

export function createClock(now: () => number): Clock {
  let offsetMs = 0;
  return {
    nowMs: () => now() + offsetMs,
    advanceSeconds(seconds) {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new RangeError('advanceSeconds takes a number of seconds that is not negative');
      }
      offsetMs += Math.round(seconds * 1000);
    },
  };
}
