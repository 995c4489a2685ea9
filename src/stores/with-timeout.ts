import { SmsOtpError, StoreError } from '../errors';

/** Milliseconds for one operation of a store. */
export const STORE_TIMEOUT_MS = 2_000;

/** Milliseconds after which a server gives up, so that its answer arrives before the deadline. */
export const SERVER_TIMEOUT_MS = STORE_TIMEOUT_MS - 100;

/**
 * Runs one operation of a store under our own deadline, because a client library may queue a
 * command and wait forever.
 * @throws {StoreError} `ERR_STORE` if the operation fails or the time is up. The operation may
 * still take effect: a charge too many, a pending login that is never used, or a success whose
 * login `finishLogin` ends again and which no session names.
 */
export function withTimeout<Result>(
  operation: string,
  work: () => Promise<Result>,
  timeoutMs = STORE_TIMEOUT_MS,
): Promise<Result> {
  // An error of a renewal inside the operation is already one of ours.
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

/** The number of parts into which a wait is divided. */
const PARTS = 10;

const NOW = Promise.resolve();

/**
 * Waits for a promise, but at most `limitMs`. Then rejects with the error that `toError` returns.
 * Time during which the event loop was blocked counts as one part only, and an answer that arrived
 * meanwhile is still read.
 * @param convert Converts the error of the promise. Default: unchanged.
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

    // Wrap it in a promise: a store written in JavaScript may return a plain value.
    Promise.resolve(work).then(succeed, fail).catch(reject);
    // Wait a moment before setting a timer: the memory store has answered by then.
    void NOW.then(waitForNextPart);
  });
}
