import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { withTimeout } from '../../src/stores/with-timeout';

const never = (): Promise<never> => new Promise(() => undefined);

describe('the time of a store', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is 2 s, and its end a StoreError that names the operation', async () => {
    const heard = jest.fn<(error: unknown) => void>();
    withTimeout('claim', never).catch(heard);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(heard).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2);
    expect(heard.mock.calls).toEqual([[new StoreError('claim: no answer in time')]]);
  });

  it('is another one where that is asked for', async () => {
    const heard = jest.fn<(error: unknown) => void>();
    withTimeout('claim', never, 500).catch(heard);
    await jest.advanceTimersByTimeAsync(499);
    expect(heard).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2);
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('is over with the answer: no timer is left', async () => {
    await expect(withTimeout('claim', () => Promise.resolve(7))).resolves.toBe(7);
    expect(jest.getTimerCount()).toBe(0);
    const later = withTimeout('claim', () => new Promise((resolve) => setTimeout(resolve, 1_000, 8)));
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(later).resolves.toBe(8);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is over with a failure, too, and with one that is thrown at once', async () => {
    const failure = Object.assign(new Error('canary'), { code: 'ECONNRESET' });
    const told = { message: 'The store failed (claim)', cause: { name: 'Error', code: 'ECONNRESET' } };
    await expect(withTimeout('claim', () => Promise.reject(failure))).rejects.toMatchObject(told);
    const thrown = withTimeout('claim', () => {
      throw failure;
    });
    await expect(thrown).rejects.toMatchObject(told);
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('an error of ours stays the one it is', async () => {
  const full = new StoreError('the memory store is full');
  await expect(withTimeout('begin', () => Promise.reject(full))).rejects.toBe(full);
});

it('a process that was busy counts as one part of the time: what comes soon after is heard', async () => {
  const soon = (resolve: (answer: number) => void): void => void setTimeout(resolve, 50, 7);
  const answer = withTimeout('claim', () => new Promise((resolve) => setTimeout(soon, 20, resolve)), 400);
  const busyUntilMs = performance.now() + 600;
  while (performance.now() < busyUntilMs);
  await expect(answer).resolves.toBe(7);
});
