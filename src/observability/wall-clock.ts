/** `Date.now()` cuts off less than this. */
const ROUNDING_MS = 1;

/**
 * Milliseconds since 1970 with their fractions, so that spans of one request keep their order. Follows the system's clock
 * when that is set.
 */
export function createWallClock(
  readTimeMs: () => number = () => Date.now(),
  readStopwatchMs: () => number = () => performance.now(),
): () => number {
  let offsetMs = readTimeMs() - readStopwatchMs();
  return () => {
    const stopwatchMs = readStopwatchMs();
    const newOffsetMs = readTimeMs() - stopwatchMs;
    if (Math.abs(newOffsetMs - offsetMs) > ROUNDING_MS) offsetMs = newOffsetMs;
    return offsetMs + stopwatchMs;
  };
}
