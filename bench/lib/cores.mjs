import { fork, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const isPinned =
  availableParallelism() > 1 &&
  spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/**
 * How to start node on one core: subject and load must not share one. Where that cannot be had, or
 * for null, plain node.
 */
export function wrapWithTaskset(core) {
  return isPinned && core !== null
    ? ['taskset', ['-c', String(core), process.execPath]]
    : [process.execPath, []];
}

/**
 * Starts a module of this folder in a process and on a core of its own. Its failure ends the
 * benchmark.
 */
export function forkOnCore(core, module, ...args) {
  const [execPath, execArgv] = wrapWithTaskset(core);
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), args, { execPath, execArgv });
  child.on('exit', (code) => {
    if (code !== 0) throw new Error([module, ...args, 'ended with', code].join(' '));
  });
  return child;
}

export const PINNING = isPinned ? 'subject on core 0, load on core 1' : 'not pinned';
