import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SmsOtpStore } from 'passport-sms-otp';

/** Lets this many seconds pass for the store, by its own clock and not by the test's. */
export type PassSeconds = (seconds: number) => Promise<void> | void;

export interface StoreCheck {
  readonly title: string;
  /**
   * Rejects with an `AssertionError` if the check fails.
   *
   * @param makeStore Returns a store. It need not be empty, because every check uses its own ids.
   * @param passSeconds Lets time pass. Default: waits. A check whose result came too late on a busy
   * machine is repeated, up to three times. The longest wait is for a lease, 16 s.
   */
  readonly run: (
    makeStore: () => Promise<SmsOtpStore> | SmsOtpStore,
    passSeconds?: PassSeconds,
  ) => Promise<void>;
}

/** The parts that a check works with: the store and its own ids. */
export interface CheckContext {
  readonly store: SmsOtpStore;
  readonly pass: PassSeconds;
  /** Makes a word unique for this run. */
  readonly name: (word: string) => string;
}

/** How often a check is run if its result comes too late each time. */
const MOST_RUNS = 3;

/**
 * With a longer delay a check may have found an entry expired. The times of the checks leave a
 * second.
 */
const LATE_MS = 500;

/** Creates a check. */
export function check(title: string, body: (context: CheckContext) => Promise<void>): StoreCheck {
  return {
    title,
    run: async (makeStore, passSeconds) => {
      const store = inTurn([await makeStore(), await makeStore()]);
      for (let runsLeft = MOST_RUNS; ; runsLeft -= 1) {
        const run = randomUUID();
        const clock = startClock();
        const pass = passSeconds ?? clock.waitSeconds;
        try {
          return await body({ store, pass, name: (word) => `${word}:${run}` });
        } catch (error) {
          if (runsLeft === 1 || !clock.isLate()) throw error;
        }
      }
    },
  };
}

/** Returns a function that creates checks of one part. Their titles begin with its name. */
export function checksOf<User>(part: string, setUp: (context: CheckContext) => User) {
  return (title: string, body: (user: User) => Promise<void>): StoreCheck =>
    check(`${part}: ${title}`, (context) => body(setUp(context)));
}

/** Asserts that exactly one of many callers got `true`. */
export function assertOneTrue(answers: readonly unknown[]): void {
  assert.equal(answers.filter((answer) => answer === true).length, 1);
}

/** Strings that ids and labels may contain, and that a store must not interpret. */
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

/** Returns a store whose calls go to two clients in turn, as those of two processes do. */
function inTurn(clients: readonly [SmsOtpStore, SmsOtpStore]): SmsOtpStore {
  let calls = 0;
  const next = (): SmsOtpStore => {
    calls += 1;
    return clients[calls % 2 === 1 ? 0 : 1];
  };
  const partInTurn = <Part extends Exclude<keyof SmsOtpStore, 'finish'>>(
    part: Part,
  ): SmsOtpStore[Part] => {
    const get = (_none: object, name: string): unknown => {
      const called = next()[part];
      const call: unknown = Reflect.get(called, name);
      return typeof call === 'function' ? call.bind(called) : call;
    };
    // Everything is read from one of the clients.
    return new Proxy({}, { get }) as SmsOtpStore[Part];
  };
  return {
    pendingLogins: partInTurn('pendingLogins'),
    counters: partInTurn('counters'),
    records: partInTurn('records'),
    tokens: partInTurn('tokens'),
    finish: (...given) => next().finish(...given),
  };
}

/** Redis and PostgreSQL have clocks of their own: for them the time really passes. */
function startClock(): { waitSeconds: PassSeconds; isLate: () => boolean } {
  const startedAt = performance.now();
  let waitedMs = 0;
  return {
    waitSeconds: async (seconds) => {
      // Wait a little longer, because the store's clock may have another resolution.
      const ms = seconds * 1000 + 100;
      waitedMs += ms;
      await wait(ms);
    },
    // Without a wait no time matters.
    isLate: () => waitedMs > 0 && performance.now() - startedAt - waitedMs > LATE_MS,
  };
}
