import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from './repository';
import { mustRun } from './run';

const LOCK = join(ROOT, 'node_modules/.passport-sms-otp-build');
const SOURCES = ['src', 'test/checks'];
const LOCK_LIFE_MS = 120_000;

/**
 * Builds dist when it is missing or older than its sources; test files that run at the same time wait for
 * one build.
 */
export async function ensureBuilt(): Promise<void> {
  if (isFresh() && !isLocked()) return;
  await takeLock();
  try {
    if (!isFresh()) await mustRun('npm', ['run', 'build'], ROOT);
  } finally {
    freeLock();
  }
}

function isFresh(): boolean {
  const built = statSync(join(ROOT, 'dist/index.js'), { throwIfNoEntry: false });
  if (built === undefined) return false;
  return SOURCES.every((directory) => newestMs(join(ROOT, directory)) <= built.mtimeMs);
}

function newestMs(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map((name) => statSync(join(directory, name)).mtimeMs));
}

function isLocked(): boolean {
  const lock = statSync(LOCK, { throwIfNoEntry: false });
  return lock !== undefined && Date.now() - lock.mtimeMs < LOCK_LIFE_MS;
}

async function takeLock(): Promise<void> {
  const deadline = Date.now() + LOCK_LIFE_MS;
  while (Date.now() < deadline) {
    if (tryToLock()) return;
    await pause(100);
  }
  throw new Error('Another build does not end');
}

function tryToLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    // Somebody else holds the lock; one that is older than a build can last is taken away.
    if (!isLocked()) freeLock();
    return false;
  }
}

function freeLock(): void {
  rmSync(LOCK, { recursive: true, force: true });
}
