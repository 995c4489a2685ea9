import { describe, expect, it, jest } from '@jest/globals';
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

import { memoryStore } from 'passport-sms-otp';
import { fact, type FactContext } from '../contracts/store/context';

type Check = (context: FactContext) => Promise<void>;

/** Runs a fact by the real clock. */
function run(check: Check): Promise<void> {
  return fact('a fact', check).run(() => memoryStore());
}

/** Fails that often, each time so late. */
function failing(times: number, lateMs: number) {
  return jest.fn<Check>(async ({ pass }) => {
    await pass(0.01);
    times -= 1;
    if (times < 0) return;
    await wait(lateMs);
    assert.fail('the life is over');
  });
}

describe('a fact about time that fails', () => {
  it('is run again where the machine was late, with names of its own', async () => {
    const check = failing(2, 600);
    await run(check);
    const names = check.mock.calls.map(([{ name }]) => name('a'));
    expect(new Set(names).size).toBe(3);
  });

  it('fails at once where the machine was not late', async () => {
    const check = failing(1, 0);
    await expect(run(check)).rejects.toThrow('the life is over');
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('fails after three runs that were all late', async () => {
    const check = failing(Infinity, 600);
    await expect(run(check)).rejects.toThrow('the life is over');
    expect(check).toHaveBeenCalledTimes(3);
  });

  it('fails at once, however late, where it has not waited', async () => {
    const check = jest.fn<Check>(async () => {
      await wait(600);
      assert.fail('two were told true');
    });
    await expect(run(check)).rejects.toThrow('two were told true');
    expect(check).toHaveBeenCalledTimes(1);
  });
});
