import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Challenge, Counter, SmsOtpStore } from '../store';

/** A part that a store may leave out. */
export type OptionalPart = 'recoveryCodes' | 'devices' | 'notes';

/** Lets so many seconds pass for the store: its own clock decides, not that of the test. */
export type PassSeconds = (seconds: number) => Promise<void> | void;

/** One fact about a store. */
export interface StoreFact {
  readonly title: string;
  /** What it is about, when a store may leave that part out. A store without the part does not pass. */
  readonly part?: OptionalPart;
  /**
   * Rejects with an `AssertionError` when the fact does not hold.
   *
   * @param makeStore A store; it need not be empty, because every fact uses ids of its own.
   * @param passSeconds Lets time pass. Default: waits. The longest wait is that for a lease, 16 s.
   */
  readonly run: (
    makeStore: () => Promise<SmsOtpStore> | SmsOtpStore,
    passSeconds?: PassSeconds,
  ) => Promise<void>;
}

/** What a fact is checked with. */
export interface Bench extends Omit<SmsOtpStore, OptionalPart> {
  readonly pass: PassSeconds;
  /** A word made unique for this run. */
  readonly name: (word: string) => string;
  /** A challenge that is unique for this run; the same word gives the same user. */
  readonly challenge: (otpId: string, changes?: Partial<Challenge>) => Challenge;
}

export function fact(title: string, check: (bench: Bench) => Promise<void>): StoreFact {
  return {
    title,
    // A store with a clock of its own is really waited for: Redis and PostgreSQL.
    run: async (makeStore, pass = waitSeconds) => check(layBench(await makeStore(), pass)),
  };
}

/** A fact about a part that a store may leave out; a store without it never passes. */
export function factOf<Part extends OptionalPart>(
  part: Part,
  title: string,
  check: (kept: NonNullable<SmsOtpStore[Part]>, bench: Bench) => Promise<void>,
): StoreFact {
  return {
    title: `${part}: ${title}`,
    part,
    run: async (makeStore, pass = waitSeconds) => {
      const store = await makeStore();
      const kept = store[part];
      assert.ok(kept !== undefined, `the store has no ${part}: leave out the facts whose part it is`);
      await check(kept, layBench(store, pass));
    },
  };
}

/** So many calls at once, and what they answered. */
export function atOnce<Result>(calls: number, call: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
}

/** A counter that falls after ten minutes. */
export function windowed(key: string, more: Partial<Counter> = {}): Counter {
  return { key, windowSeconds: 600, ...more };
}

function layBench(store: SmsOtpStore, pass: PassSeconds): Bench {
  const run = randomUUID();
  const name = (word: string): string => `${word}:${run}`;
  return { ...pick(store), pass, name, challenge: (otpId, changes) => makeChallenge(name, otpId, changes) };
}

function pick({ challenges, counters, tokens }: SmsOtpStore): Omit<SmsOtpStore, OptionalPart> {
  return { challenges, counters, tokens };
}

function makeChallenge(
  name: (word: string) => string,
  otpId: string,
  changes: Partial<Challenge> = {},
): Challenge {
  const sentAt = Date.now();
  return {
    version: 1,
    otpId: name(otpId),
    pendingId: name('pending'),
    userId: name('user'),
    userIdType: 'string',
    purpose: 'login',
    mobile: '+12025550123',
    isNewNumber: false,
    sends: 1,
    maxAttempts: 5,
    sentAt,
    expiresAt: sentAt + 300_000,
    pendingUntil: sentAt + 600_000,
    ...changes,
  };
}

async function waitSeconds(seconds: number): Promise<void> {
  // A little more, because the store's clock may count in other steps than ours.
  await wait(seconds * 1000 + 100);
}
