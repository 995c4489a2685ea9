/** Redis counts whole milliseconds, and at least one. */
export function milliseconds(seconds: number): number {
  return Math.max(1, Math.ceil(seconds * 1000));
}
