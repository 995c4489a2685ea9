import type { CallName } from '../call-name';

/**
 * The one deadline of a call, over queue, authentication, connecting, headers and body. It is measured by the
 * monotonic clock, like the timers that guard it: the injected clock of the client does not move it.
 */
export interface CallDeadline {
  readonly call: CallName;
  /** What the call was given in all. */
  readonly limitMs: number;
  readonly endsAtMs: number;
}

/** Starts a deadline. @param usedMs What an earlier part of the call, its admission, has used up already. */
export function startDeadline(call: CallName, limitMs: number, usedMs = 0): CallDeadline {
  return { call, limitMs, endsAtMs: performance.now() + limitMs - usedMs };
}

/** Milliseconds that are left; negative when there are none. */
export function remainingMs({ endsAtMs }: CallDeadline): number {
  return endsAtMs - performance.now();
}

/** A wait is counted in so many parts. */
const PARTS = 10;

/**
 * Waits for a promise, but no longer than so many milliseconds in which this process could have heard of it; then throws
 * what `toError` makes. While the process is busy it hears nothing: whatever holds it up counts as one part of the time,
 * and what has arrived by the end is read first.
 */
export async function waitAtMost<Result>(
  promise: Promise<Result>,
  limitMs: number,
  toError: () => Error,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    const wait = (parts: number): void => {
      if (parts === 0) setImmediate(() => reject(toError()));
      else timer = setTimeout(wait, limitMs / PARTS, parts - 1);
    };
    wait(PARTS);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
