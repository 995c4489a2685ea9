import { setTimeout as wait } from 'node:timers/promises';

/** Waits until a condition holds. @throws {Error} when it does not within ten seconds. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000; round += 1) {
    if (condition()) return;
    await wait(10);
  }
  throw new Error('the condition did not come true within ten seconds');
}
