import { SmsOtpError, StoreError } from '../errors';

/** Milliseconds a store has for one operation. */
export const STORE_TIMEOUT_MS = 2_000;

/** Milliseconds after which a server gives up, so that its answer arrives before that. */
export const SERVER_TIMEOUT_MS = STORE_TIMEOUT_MS - 100;

/**
 * Runs one operation of a store under a deadline of our own: a client library may queue what it
 * cannot send, and wait forever.
 * @throws {StoreError} `ERR_STORE` when the operation fails or the time is up. What was sent may
 * still take effect: a charge too many, a pending login that is never used, a success whose login
 * `finishLogin` ends again, and which no session names.
 */
export function withTimeout<Result>(
  operation: string,
  work: () => Promise<Result>,
  timeoutMs = STORE_TIMEOUT_MS,
): Promise<Result> {
  // What a renewal inside it threw is ours already.
  const convert = (error: unknown): Error =>
    error instanceof SmsOtpError ? error : new StoreError(operation, error);

  try {
    return waitAtMost(
      work(),
      timeoutMs,
      () => new StoreError(`${operation}: no answer in time`),
      convert,
    );
  } catch (error) {
    return Promise.reject(convert(error));
  }
}

/** A wait is counted in this many parts. */
const PARTS = 10;

const NOW = Promise.resolve();

/**
 * Waits for a promise, but for no more than `limitMs` during which this process could have received
 * the result; then rejects with the error that `toError` returns. A process that is busy receives
 * nothing: whatever blocks it counts as one part of the time, and what has arrived by the end is
 * read first.
 * @param convert Makes the error to reject with of what the promise rejects with. Default: the
 * same.
 */
export function waitAtMost<Result>(
  work: Promise<Result>,
  limitMs: number,
  toError: () => Error,
  convert?: (error: unknown) => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let parts = PARTS;
    let isSettled = false;
    let timer: NodeJS.Timeout | undefined;

    function waitForNextPart(): void {
      if (isSettled) return;
      if (parts > 0) timer = setTimeout(waitForNextPart, limitMs / PARTS);
      else setImmediate(() => reject(toError()));
      parts -= 1;
    }

    const succeed = (result: Result): void => {
      isSettled = true;
      clearTimeout(timer);
      resolve(result);
    };

    const fail = (error: unknown): void => {
      isSettled = true;
      clearTimeout(timer);
      reject(convert === undefined ? (error as Error) : convert(error));
    };

    // A store written in JavaScript may return a plain value.
    Promise.resolve(work).then(succeed, fail).catch(reject);
    // What is there already, as in the memory store, needs no timer.
    void NOW.then(waitForNextPart);
  });
}
