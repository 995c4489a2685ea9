import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Challenge, CounterStore, NextParts, SmsOtpStore } from 'passport-sms-otp';

/** A store that is held to the facts: it has the parts that follow, or not yet. */
export type TestedStore = SmsOtpStore & Partial<NextParts>;

type OldPart = 'recoveryCodes' | 'devices' | 'browsers' | 'logins' | 'notes';

/**
 * A part that a store may leave out. `unlock`: counters with `unlock` and `raisesTo`. Facts about
 * `finish` need `records`, `pendingLogins` and `unlock` as well.
 */
export type OptionalPart = OldPart | keyof NextParts | 'unlock';

/** Lets this many seconds pass for the store: its own clock decides, not the test's. */
export type PassSeconds = (seconds: number) => Promise<void> | void;

/** One fact about a store. */
export interface StoreFact {
  readonly title: string;
  /**
   * The part it is about, when a store may leave that part out. A store without the part does not
   * pass.
   */
  readonly part?: OptionalPart;
  /**
   * Rejects with an `AssertionError` when the fact does not hold.
   *
   * @param makeStore Returns a store; it need not be empty, because every fact uses ids of its own.
   * @param passSeconds Lets time pass. Default: waits. The longest wait is for a lease, 16 s.
   */
  readonly run: (
    makeStore: () => Promise<TestedStore> | TestedStore,
    passSeconds?: PassSeconds,
  ) => Promise<void>;
}

/** What a fact is checked with: the parts that every store has, and ids of its own. */
export interface FactContext extends Omit<SmsOtpStore, OldPart> {
  readonly pass: PassSeconds;
  /** Makes a word unique for this run. */
  readonly name: (word: string) => string;
  /** Makes a challenge that is unique for this run, by default of one and the same user. */
  readonly challenge: (otpId: string, changes?: Partial<Challenge>) => Challenge;
}

/** Creates a fact about a part that every store has. */
export function fact(title: string, check: (context: FactContext) => Promise<void>): StoreFact {
  return {
    title,
    // Redis and PostgreSQL have clocks of their own: for them the time really passes.
    run: async (makeStore, pass = waitSeconds) => check(createContext(await makeStore(), pass)),
  };
}

/**
 * Returns what creates facts about a part that a store may leave out; a store without it never
 * passes.
 */
export function factsOf<Part extends OptionalPart, User>(
  part: Part,
  setUp: (kept: PartOf<Part>, context: FactContext, store: TestedStore) => User,
) {
  type Check = (user: User, context: FactContext) => Promise<void>;
  return (title: string, check: Check): StoreFact => ({
    title: `${part}: ${title}`,
    part,
    run: async (makeStore, pass = waitSeconds) => {
      const store = await makeStore();
      assert.ok(hasPart(store, part), `the store has no ${part}: leave out the facts about it`);
      // The counters have `unlock`, and every other part is the store's own.
      const kept = (
        part === 'unlock' ? store.counters : store[part as keyof TestedStore]
      ) as PartOf<Part>;
      const context = createContext(store, pass);
      await check(setUp(kept, context, store), context);
    },
  });
}

type PartOf<Part extends OptionalPart> = Part extends 'unlock'
  ? Required<CounterStore>
  : Part extends keyof TestedStore
    ? NonNullable<TestedStore[Part]>
    : never;

function hasPart(store: TestedStore, part: OptionalPart): boolean {
  if (part === 'unlock') return store.counters.unlock !== undefined;
  return store[part] !== undefined;
}

/** Asserts that exactly one of many callers was told `true`. */
export function assertOneTrue(answers: readonly unknown[]): void {
  assert.equal(answers.filter((answer) => answer === true).length, 1);
}

/** What an id or a label may be, and a store must not read. */
export const WORDS = [
  '..',
  'a b',
  'a:b',
  '{x}',
  "'",
  '%2e',
  'ü',
  '😀',
  '__proto__',
  '\\',
  '*',
  'a\nb',
  '"',
];

/** Makes this many calls at once and returns their results. */
export function atOnce<Result>(
  calls: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
}

function createContext(
  { challenges, counters, tokens }: TestedStore,
  pass: PassSeconds,
): FactContext {
  const run = randomUUID();
  const name = (word: string): string => `${word}:${run}`;
  const challenge: FactContext['challenge'] = (otpId, changes) => {
    const sentAt = Date.now();
    return {
      version: 1,
      otpId: name(otpId),
      pendingId: name('pending'),
      userId: name('user'),
      userIdType: 'string',
      purpose: 'login',
      isSent: true,
      bucket: 'others',
      mobile: '+12025550123',
      numberKey: 'number-key',
      isNewNumber: false,
      sends: 1,
      maxAttempts: 5,
      sentAt,
      expiresAt: sentAt + 300_000,
      pendingUntil: sentAt + 600_000,
      ...changes,
    };
  };
  return { challenges, counters, tokens, pass, name, challenge };
}

async function waitSeconds(seconds: number): Promise<void> {
  // A little more, because the store's clock may have another resolution than ours.
  await wait(seconds * 1000 + 100);
}
