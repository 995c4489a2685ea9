/**
 * Waits for a condition, by default a minute at most: on a busy machine a process takes long to
 * start.
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  limitMs = 60_000,
): Promise<void> {
  const giveUpAt = Date.now() + limitMs;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error('it never came so');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
