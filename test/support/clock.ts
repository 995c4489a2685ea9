/**
 * A clock that stands still until it is moved. Begins at the real time, because cookies and
 * sessions expire by that.
 */
export interface TestClock {
  readonly now: () => number;
  readonly advanceSeconds: (seconds: number) => void;
}

export function testClock(start = Date.now()): TestClock {
  let time = start;
  return {
    now: () => time,
    advanceSeconds: (seconds) => {
      time += seconds * 1000;
    },
  };
}
