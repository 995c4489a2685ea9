import { describe, expect, it, jest } from '@jest/globals';
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

import { memoryStore } from 'passport-sms-otp';
import { check, type CheckContext } from '../checks/store/context';

type Body = (context: CheckContext) => Promise<void>;

/** Runs a check by the real clock. */
function run(body: Body): Promise<void> {
  return check('a check', body).run(() => memoryStore());
}

/** Fails that often, each time so late. */
function failing(times: number, lateMs: number) {
  return jest.fn<Body>(async ({ pass }) => {
    await pass(0.01);
    times -= 1;
    if (times < 0) return;
    await wait(lateMs);
    assert.fail('the life is over');
  });
}

describe('a check about time that fails', () => {
  it('is run again where the machine was late, with names of its own', async () => {
    const body = failing(2, 600);
    await run(body);
    const names = body.mock.calls.map(([{ name }]) => name('a'));
    expect(new Set(names).size).toBe(3);
  });

  it('fails at once where the machine was not late', async () => {
    const body = failing(1, 0);
    await expect(run(body)).rejects.toThrow('the life is over');
    expect(body).toHaveBeenCalledTimes(1);
  });

  it('fails after three runs that were all late', async () => {
    const body = failing(Infinity, 600);
    await expect(run(body)).rejects.toThrow('the life is over');
    expect(body).toHaveBeenCalledTimes(3);
  });

  it('fails at once, however late, where it has not waited', async () => {
    const body = jest.fn<Body>(async () => {
      await wait(600);
      assert.fail('two were told true');
    });
    await expect(run(body)).rejects.toThrow('two were told true');
    expect(body).toHaveBeenCalledTimes(1);
  });
});
