import { StoreError } from '../errors';

/** Milliseconds a store has for one operation. */
export const STORE_TIMEOUT_MS = 2_000;

/**
 * One operation of a store, under a deadline of our own: a client library may queue what it cannot send, and wait for ever.
 * @throws {StoreError} `ERR_STORE` when it fails or the time is over. What was sent may still take effect: a charge too
 * much, a challenge nobody knows of; never a success.
 */
export async function answerInTime<Result>(
  operation: string,
  call: () => Promise<Result>,
  timeoutMs = STORE_TIMEOUT_MS,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreError(`${operation}: no answer in time`)), timeoutMs);
  });
  try {
    return await Promise.race([call(), deadline]);
  } catch (error) {
    throw error instanceof StoreError ? error : new StoreError(operation, error);
  } finally {
    clearTimeout(timer);
  }
}
