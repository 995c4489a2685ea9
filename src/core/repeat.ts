/** Milliseconds before each further try: five in all, within 30 s with a deadline of 2 s each. */
const PAUSES_MS = [500, 2_000, 5_000, 10_000];

/** Work that is retried in the background. Neither promise rejects. */
export interface Repeated {
  /** Whether the first try succeeded. A request waits only for this. */
  readonly first: Promise<boolean>;
  /** Resolves when the work is done, or after the last try. */
  readonly last: Promise<void>;
}

/**
 * Starts work that must be done in the end, such as taking back what may have been written. It is
 * tried at most five times within 30 s, and keeps no process running.
 */
export function repeatUntilDone(work: () => Promise<unknown>): Repeated {
  const first = isDone(work);
  return { first, last: goOn(first, work) };
}

async function goOn(first: Promise<boolean>, work: () => Promise<unknown>): Promise<void> {
  if (await first) return;
  for (const pauseMs of PAUSES_MS) {
    await pause(pauseMs);
    if (await isDone(work)) return;
  }
}

function isDone(work: () => Promise<unknown>): Promise<boolean> {
  // Ignore the error: `store-failing` reports each failure.
  return work().then(
    () => true,
    () => false,
  );
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}
