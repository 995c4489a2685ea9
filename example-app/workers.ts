import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { ConfigError, type Config } from './config';
import type { Gateway, Serving } from './start';

/** The pause before a worker that has ended is replaced. */
const RESTART_PAUSE_MS = 1_000;

/**
 * The settings of a worker: the configuration as it was read once, so that all share one session
 * secret and one gateway.
 */
export interface Orders {
  readonly config: Config;
  readonly gateway: Gateway;
}

/** @throws {ConfigError} if the first worker, which prints the reason, cannot start. */
export async function startWorkers(orders: Orders): Promise<Serving> {
  const fork = (): Worker => cluster.fork({ WORKER_ORDERS: JSON.stringify(orders) });
  let isClosing = false;

  // Start the first worker alone: it finds out whether port and Redis are available.
  const port = await portOf(fork());
  if (port === null) throw new ConfigError(['No worker could start']);
  cluster.on('exit', ({ process: { pid } }, code, signal: string | null) => {
    if (isClosing) return;
    console.error(`Worker ${pid} ended (${signal ?? code}). Another one starts.`);
    setTimeout(() => isClosing || fork(), RESTART_PAUSE_MS).unref();
  });
  await Promise.all(Array.from({ length: orders.config.workers - 1 }, () => portOf(fork())));
  return {
    port,
    async close() {
      isClosing = true;
      await endWorkers();
    },
  };
}

/** Ends all workers, even those that still start, and replaces none. */
export async function endWorkers(): Promise<void> {
  cluster.removeAllListeners('exit');
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const ends = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) worker.process.kill('SIGTERM');
  await Promise.all(ends);
}

/** Resolves with the worker's port when it listens, or with null if it has ended. */
async function portOf(worker: Worker): Promise<number | null> {
  return new Promise((resolve) => {
    worker.once('listening', ({ port }) => resolve(port));
    worker.once('exit', () => resolve(null));
  });
}
