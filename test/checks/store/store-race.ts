import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { RaceResult } from './race-program';

/** How a race is run. */
export interface StoreRaceOptions {
  /** How many processes race. Default: 4. */
  readonly processes?: number | undefined;
  /**
   * Flags of Node for the processes, such as `['--import', 'tsx']`. Default: those of this process.
   */
  readonly execArgv?: readonly string[] | undefined;
}

/** Calls of each kind, over all processes. */
const CALLS = 200;

/** What all processes together must win, and what that is. */
const RIGHT = {
  claimed: [5, 'attempts at one OTP, which has 5'],
  charged: [5, 'charges of a counter, which holds 5'],
  swapped: [1, 'swaps of one record'],
  removed: [1, 'removals of one record'],
  finished: [1, 'finishes of one pending login'],
  records: [1, 'records that its finishes have put'],
  budget: [14, 'charges of 7 to a budget of 100'],
  renewals: [1, 'renewals of one token'],
  tokens: [1, 'tokens that were returned'],
} as const;

type Won = { readonly [Kind in keyof typeof RIGHT]: number };

/**
 * Lets processes race through a store for the attempts and the finish of one pending login, for a
 * counter, a record and the renewal of a token. Rejects with an `AssertionError` that says what was
 * won too often, for any test runner:
 *
 * ```ts
 * test('processes race', () => storeRace(require.resolve('./store-of-the-race.js')));
 * ```
 *
 * @param modulePath A module that exports `makeStore`: it returns a store, or a promise of one, on
 * the database that all processes share. It gets the number of its process, from 0.
 */
export async function storeRace(modulePath: string, options: StoreRaceOptions = {}): Promise<void> {
  const { processes = 4, execArgv } = options;
  const raced = randomUUID();
  const calls = Math.ceil(CALLS / processes);
  const children = Array.from({ length: processes }, (_, number) =>
    fork(
      require.resolve('./race-program'),
      [resolve(modulePath), String(number), raced, String(calls)],
      // What a store prints, and why it has failed, is shown.
      {
        ...(execArgv && { execArgv: [...execArgv] }),
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    ),
  );

  try {
    await Promise.all(children.map((child) => answerOf(child)));
    await tell(children.slice(0, 1), 'prepare');
    const results = await tell(children, 'race');
    // What a process answers to `race`.
    assertWon(sumUp(results as readonly RaceResult[]));
  } finally {
    for (const child of children) child.kill();
  }
}

/** Tells all processes at the same moment, and returns what they answer. */
async function tell(children: readonly ChildProcess[], order: string): Promise<unknown[]> {
  const answers = children.map((child) => answerOf(child));
  for (const child of children) child.send(order);
  return Promise.all(answers);
}

/** Rejects when the process ends without an answer. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('A process of the race has ended: it has printed why');
  });
  ended.catch(() => undefined);

  const message = once(child, 'message', { signal });
  const [answer] = (await Promise.race([message, ended]).finally(() => heard.abort())) as [unknown];
  return answer;
}

function sumUp(results: readonly RaceResult[]): Won {
  const sum = (kind: Exclude<keyof RaceResult, 'token'>): number =>
    results.reduce((total, result) => total + result[kind], 0);
  return {
    claimed: sum('claimed'),
    charged: sum('charged'),
    swapped: sum('swapped'),
    removed: sum('removed'),
    finished: sum('finished'),
    records: Math.max(...results.map(({ records }) => records)),
    budget: sum('budget'),
    renewals: sum('renewals'),
    tokens: new Set(results.map(({ token }) => token)).size,
  };
}

function assertWon(won: Won): void {
  const wrong = Object.entries(RIGHT).flatMap(([kind, [right, what]]) => {
    // The kinds are those of `RIGHT`.
    const found = won[kind as keyof Won];
    return found === right ? [] : [`${found} ${what}`];
  });
  if (wrong.length > 0)
    throw new assert.AssertionError({ message: `the processes have won ${wrong.join('; ')}` });
}
