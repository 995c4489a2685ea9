import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SmsOtpStore } from 'passport-sms-otp';

/** Lets this many seconds pass for the store: its own clock decides, not the test's. */
export type PassSeconds = (seconds: number) => Promise<void> | void;

/** One check of a store. */
export interface StoreCheck {
  readonly title: string;
  /**
   * Rejects with an `AssertionError` when the check fails.
   *
   * @param makeStore Returns a client of the database: another one each time, as in another process.
   * It is called twice, and the calls of a check go to the two in turn. A store that lives in one
   * process is returned twice. It need not be empty, because every check uses ids of its own.
   * @param passSeconds Lets time pass. Default: waits, and a check that a busy machine has looked at
   * too late is run again, three times at most. The longest wait is for a lease, 16 s.
   */
  readonly run: (
    makeStore: () => Promise<SmsOtpStore> | SmsOtpStore,
    passSeconds?: PassSeconds,
  ) => Promise<void>;
}

/** What a check works with: the two clients as one store, and ids of its own. */
export interface CheckContext {
  readonly store: SmsOtpStore;
  readonly pass: PassSeconds;
  /** Makes a word unique for this run. */
  readonly name: (word: string) => string;
}

/** How often a check is run that comes too late each time. */
const MOST_RUNS = 3;

/** A check that is later than this may have found a life over. The lives leave a second. */
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

/** Returns a function that creates checks of one part, with that name before each title. */
export function checksOf<User>(part: string, setUp: (context: CheckContext) => User) {
  return (title: string, body: (user: User) => Promise<void>): StoreCheck =>
    check(`${part}: ${title}`, (context) => body(setUp(context)));
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
      // A little more, because the store's clock may have another resolution than ours.
      const ms = seconds * 1000 + 100;
      waitedMs += ms;
      await wait(ms);
    },
    // Without a wait no time is looked at.
    isLate: () => waitedMs > 0 && performance.now() - startedAt - waitedMs > LATE_MS,
  };
}
