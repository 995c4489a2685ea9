import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** How to start node on one core: subject and load must not share one. Where that cannot be had, plain node. */
export function wrapWithTaskset(core) {
  return isPinned ? ['taskset', ['-c', String(core), process.execPath]] : [process.execPath, []];
}

export const PINNING = isPinned ? 'subject on core 0, load on core 1' : 'not pinned';
