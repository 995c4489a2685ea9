/** Waits for a condition, 10 s at most. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new Error('it never came so');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
