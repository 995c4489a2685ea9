import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { finishLogin } from '../../src/core/finish-login';
import { repeatUntilDone } from '../../src/core/repeat';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const LOST = new StoreError('finish: no answer in time');
const NOTHING = { leavesMark: true, clears: [], charges: [] };

/** Finishes at a store that fails, and notes the calls that follow. */
async function finishWith(
  failure: StoreError,
  end: () => Promise<boolean>,
  undone = (): Promise<void> => Promise.resolve(),
): Promise<{ readonly calls: readonly string[]; readonly error: unknown }> {
  const calls: string[] = [];
  const note = (call: string): number => calls.push(call);
  const pendingLogins = {
    finish: () => Promise.reject(failure),
    end: () => {
      note('end');
      return end();
    },
  };
  const undo = (): Promise<void> => {
    note('undo');
    return undone();
  };
  const puts = [{ put: {} as never, done: () => undefined, undo }];
  const success = { kind: 'prepared', puts } as const;
  const parts = { store: { pendingLogins }, warn: note };
  const error = await finishLogin(parts, 'a', success, NOTHING).catch((one: unknown) => one);
  return { calls, error };
}

describe('a finish whose answer is lost', () => {
  it('ends the login first, and then takes out what was written', async () => {
    const { calls, error } = await finishWith(LOST, () => Promise.resolve(true));
    expect([error, calls]).toEqual([LOST, ['end', 'undo']]);
  });

  it('is answered after the first try, and the rest is tried again for 30 s, five times', async () => {
    const { calls, error } = await finishWith(LOST, () => Promise.reject(new StoreError('end')));
    expect([error, calls]).toEqual([LOST, ['end']]);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(calls).toEqual(['end', 'end', 'end', 'end', 'end', 'undo']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each<[string, Error, readonly string[]]>([
    ['an error', new TypeError('no cookie'), ['SMS_OTP_FOLLOW_UP']],
    ['the store, whose event says so', new StoreError('swap'), []],
  ])('reports what cannot be taken out because of %s', async (_name, failure, warned) => {
    const ended = (): Promise<boolean> => Promise.resolve(true);
    const { calls, error } = await finishWith(LOST, ended, () => Promise.reject(failure));
    expect([error, calls]).toEqual([LOST, ['end', 'undo', ...warned]]);
  });

  it('takes out what was written as soon as the login has ended', async () => {
    let tries = 0;
    const end = (): Promise<boolean> => {
      tries += 1;
      return tries === 3 ? Promise.resolve(true) : Promise.reject(new StoreError('end'));
    };
    const { calls } = await finishWith(LOST, end);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(calls).toEqual(['end', 'end', 'end', 'undo']);
  });
});

it('a finish that the store has refused changes nothing, and nothing is taken back', async () => {
  const refused = new StoreError('finish', new Error('OOM command not allowed'));
  const { calls, error } = await finishWith(refused, () => Promise.resolve(true));
  expect([error, calls]).toEqual([refused, []]);
});

describe('work that must be done in the end', () => {
  it('is tried five times at most, and says at once whether the first try was enough', async () => {
    let tries = 0;
    const { first, last } = repeatUntilDone(() => {
      tries += 1;
      return Promise.reject(new Error('x'));
    });
    expect([await first, tries]).toEqual([false, 1]);
    await jest.advanceTimersByTimeAsync(30_000);
    await last;
    expect(tries).toBe(5);
  });

  it('is done once where it works', async () => {
    let tries = 0;
    const { first, last } = repeatUntilDone(() => Promise.resolve((tries += 1)));
    expect(await first).toBe(true);
    await last;
    expect([tries, jest.getTimerCount()]).toEqual([1, 0]);
  });
});
