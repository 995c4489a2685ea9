import { afterEach, jest } from '@jest/globals';

/** The monotonic clock, in the hand of a test. */
export interface StoppedWatch {
  advanceMs(milliseconds: number): void;
}

/**
 * Stops the monotonic clock that the client measures deadlines by, until the test ends. Timers that
 * are set go on running in real time.
 */
export function stopWatch(): StoppedWatch {
  let time = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => time);
  return { advanceMs: (milliseconds) => void (time += milliseconds) };
}

afterEach(() => {
  jest.restoreAllMocks();
});
