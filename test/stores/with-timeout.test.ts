import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { withTimeout } from '../../src/stores/with-timeout';

const never = (): Promise<never> => new Promise(() => undefined);

describe('the timeout of a store operation', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is 2 s, and rejects with a StoreError that names the operation', async () => {
    const onError = jest.fn<(error: unknown) => void>();
    withTimeout('claim', never).catch(onError);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(onError).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2);
    expect(onError.mock.calls).toEqual([[new StoreError('claim: no answer in time')]]);
  });

  it('can be set by the caller', async () => {
    const onError = jest.fn<(error: unknown) => void>();
    withTimeout('claim', never, 500).catch(onError);
    await jest.advanceTimersByTimeAsync(499);
    expect(onError).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it('leaves no timer after an answer', async () => {
    await expect(withTimeout('claim', () => Promise.resolve(7))).resolves.toBe(7);
    expect(jest.getTimerCount()).toBe(0);
    const later = withTimeout(
      'claim',
      () => new Promise((resolve) => setTimeout(resolve, 1_000, 8)),
    );
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(later).resolves.toBe(8);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves no timer after a failure, also when it is thrown synchronously', async () => {
    const failure = Object.assign(new Error('canary'), { code: 'ECONNRESET' });
    const expected = {
      message: 'The store failed (claim): ECONNRESET',
      cause: { name: 'Error', code: 'ECONNRESET' },
    };
    await expect(withTimeout('claim', () => Promise.reject(failure))).rejects.toMatchObject(
      expected,
    );
    const thrown = withTimeout('claim', () => {
      throw failure;
    });
    await expect(thrown).rejects.toMatchObject(expected);
    expect(jest.getTimerCount()).toBe(0);
  });
});

it('a StoreError is passed on as it is', async () => {
  const full = new StoreError('memoryStore: it is full');
  await expect(withTimeout('begin', () => Promise.reject(full))).rejects.toBe(full);
});

it('a blocked process counts as one part of the timeout: an answer soon after is received', async () => {
  const soon = (resolve: (answer: number) => void): void => void setTimeout(resolve, 50, 7);
  const answer = withTimeout(
    'claim',
    () => new Promise((resolve) => setTimeout(soon, 20, resolve)),
    400,
  );
  const busyUntilMs = performance.now() + 600;
  while (performance.now() < busyUntilMs);
  await expect(answer).resolves.toBe(7);
});
