import { randomBytes, randomInt } from 'node:crypto';

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
