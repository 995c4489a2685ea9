import { randomBytes, randomInt } from 'node:crypto';

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

/** Where the simulator gets its chance from. */
export interface Randomness {
  bytes(size: number): Buffer;
  /** A whole number from 0, below the given one. */
  integer(below: number): number;
}

/** The platform's cryptographic generator. */
export const cryptoRandomness: Randomness = {
  bytes: (size) => randomBytes(size),
  integer: (below) => randomInt(below),
};
