import { jest } from '@jest/globals';

/** What the explorer itself waits by. */
const REAL = [
  'nextTick',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'performance',
] as const;

/** Takes time and chance out of the orders that are tried, for the rest of a suite. */
export function fakeTime(): void {
  // No deadline may end a call that waits for its turn.
  jest.useFakeTimers({ doNotFake: [...REAL] });
  // Gaps grow by a random tenth: whether a text may be sent must not be left to chance.
  jest.spyOn(Math, 'random').mockReturnValue(0);
}
