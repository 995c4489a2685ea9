import type { Call, Fault, GatewaySimulator } from 'passport-sms-otp/simulator';

/**
 * What may go wrong with a call. 1009 is left out: the token refused again and again looks like a
 * second holder of the account, and the client then holds its authentications back on purpose.
 */
const FAULTS: readonly Fault[] = [
  { kind: 'no-answer' },
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'after' },
  { kind: 'half-answer' },
  { kind: 'html-502' },
  { kind: 'error', code: 2121 },
  { kind: 'error', code: 2107, status200: true },
  { kind: 'redirect', status: 307, location: 'http://127.0.0.1:9/' },
  { kind: 'content-type', value: 'text/plain' },
  { kind: 'huge', bytes: 300_000 },
  { kind: 'latency', ms: 200 },
  { kind: 'status', status: 503, retryAfterSeconds: 1 },
];

const CALLS: readonly Call[] = ['generate', 'validate'];

/** Takes one of a list. @param random From 0 to 1. */
export function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** Makes one of so many calls of the gateway go wrong. @param rate From 0 to 1. */
export function maybeFail(simulator: GatewaySimulator, rate: number, random: () => number): void {
  if (random() < rate) simulator.failNext(pick(CALLS, random), pick(FAULTS, random));
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
