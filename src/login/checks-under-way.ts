/** The checks of codes that are under way in this process. */
export interface ChecksUnderWay {
  /** Runs a check of a pending login. */
  readonly run: <Result>(pendingId: string, check: () => Promise<Result>) => Promise<Result>;
  /** Waits for the checks of a pending login that are under way. Never rejects. */
  readonly end: (pendingId: string) => Promise<void>;
}

/**
 * Makes the list of checks under way. A code that is sent twice at once is right for one request,
 * and used up for the other: that one is answered when it is known whether the first has passed.
 */
export function createChecksUnderWay(): ChecksUnderWay {
  const underWay = new Map<string, Set<Promise<unknown>>>();

  return {
    async run(pendingId, check) {
      const checks = underWay.get(pendingId) ?? new Set();
      underWay.set(pendingId, checks);
      const running = check();
      checks.add(running);
      try {
        return await running;
      } finally {
        checks.delete(running);
        if (checks.size === 0) underWay.delete(pendingId);
      }
    },
    async end(pendingId) {
      const checks = underWay.get(pendingId);
      if (checks !== undefined) await Promise.allSettled(checks);
    },
  };
}
