import { StoreError } from '../errors';

/** Milliseconds a store has for one operation. */
const STORE_TIMEOUT_MS = 2_000;

/** They are counted in so many parts. */
const PARTS = 10;

/**
 * One operation of a store, under a deadline of our own: a client library may queue what it cannot send, and wait for ever.
 * @throws {StoreError} `ERR_STORE` when it fails or the time is over. What was sent may still take effect: a charge too
 * much, a challenge nobody knows of; never a success.
 */
export function answerInTime<Result>(
  operation: string,
  call: () => Promise<Result>,
  timeoutMs = STORE_TIMEOUT_MS,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const endPatience = startPatience(timeoutMs, () =>
      reject(new StoreError(`${operation}: no answer in time`)),
    );
    const fail = (error: unknown): void => {
      endPatience();
      reject(error instanceof StoreError ? error : new StoreError(operation, error));
    };
    const succeed = (result: Result): void => {
      endPatience();
      resolve(result);
    };
    try {
      Promise.resolve(call()).then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/**
 * Gives up after so many milliseconds in which this process could have heard an answer: while it is busy, a store that
 * has long answered looks silent. Whatever keeps the process busy counts as one part of the time, and what has arrived
 * by the end is read first. @returns what ends it.
 */
function startPatience(milliseconds: number, giveUp: () => void): () => void {
  let parts = PARTS;
  let timer = setTimeout(next, milliseconds / PARTS);
  function next(): void {
    parts -= 1;
    if (parts > 0) timer = setTimeout(next, milliseconds / PARTS);
    else setImmediate(giveUp);
  }
  return () => clearTimeout(timer);
}
