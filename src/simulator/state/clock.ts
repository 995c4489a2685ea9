import { randomBytes, randomInt } from 'node:crypto';

export type Clock = Readonly<ReturnType<typeof createClock>>;

/** Creates the simulator's clock: the given clock plus an offset. */
export function createClock(now: () => number) {
  let offsetMs = 0;
  return {
    /** Milliseconds since 1970. */
    nowMs: (): number => now() + offsetMs,
    /** Moves the clock forward, so that tokens and pins age. */
    advanceSeconds(seconds: number): void {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new RangeError('advanceSeconds takes a number of seconds that is not negative');
      }
      offsetMs += Math.round(seconds * 1000);
    },
  };
}

/** The simulator's source of randomness. */
export interface Randomness {
  bytes(size: number): Buffer;
  /** Returns a whole number from 0 to below the given one. */
  integer(below: number): number;
}

/** The platform's cryptographic generator. */
export const cryptoRandomness: Randomness = {
  bytes: (size) => randomBytes(size),
  integer: (below) => randomInt(below),
};
