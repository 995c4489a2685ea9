import { setTimeout as wait } from 'node:timers/promises';

const MOST_ROUNDS = 600;

/** Asks until it is so. @throws {Error} when that takes more than half a minute of pauses. */
export async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (await isSo()) return;
    await wait(50);
  }
  throw new Error('it did not come about in time');
}
