import { afterEach } from '@jest/globals';

const open: (() => Promise<void>)[] = [];

/** Closes something after the test, the newest first. */
export function closeLater(close: () => Promise<void>): void {
  open.unshift(close);
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
