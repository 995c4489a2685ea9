import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Config } from './config';
import type { Gateway, Serving } from './start';

/** A worker that ends is replaced after this time, doubled while its successors also end soon. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that ran for this long did not end soon. */
const STEADY_MS = 60_000;
/** Longer than a worker needs for a clean stop. A worker that still runs then is killed. */
const STOP_TIMEOUT_MS = 20_000;

/** The environment variable with a worker's orders. */
const ORDERS = 'WORKER_ORDERS';

/** What a worker gets: the configuration as it was read once, so that all share one session secret and one gateway. */
interface Orders {
  readonly config: Config;
  readonly gateway: Gateway;
  /** The first one speaks for all: warnings about what they share are printed once. */
  readonly isFirst: boolean;
}

/** Runs in a worker. */
export function readOrders(): Orders {
  return JSON.parse(process.env[ORDERS] ?? '') as Orders; // written below
}

/** Thrown when no worker can start. The first one has printed the reason. */
export class WorkerError extends Error {
  constructor() {
    super('No worker could start.');
    this.name = 'WorkerError';
  }
}

/**
 * Starts the configured number of processes on one port. Each is replaced when it ends, at a bounded rate.
 * @throws {WorkerError} when the first one cannot start.
 */
export async function startWorkers(config: Config, gateway: Gateway): Promise<Serving> {
  const workers = new Set<Worker>();
  const pauses = new Set<NodeJS.Timeout>();
  let isClosing = false;

  function fork(isFirst = false): Worker {
    const orders: Orders = { config, gateway, isFirst };
    const worker = cluster.fork({ [ORDERS]: JSON.stringify(orders) });
    workers.add(worker);
    worker.once('exit', () => workers.delete(worker));
    return worker;
  }

  function replaceAtEnd(worker: Worker, pauseMs: number): void {
    const startedAtMs = performance.now();
    worker.once('exit', (code: number, signal: string | null) => {
      if (isClosing) return;
      const wait = performance.now() - startedAtMs < STEADY_MS ? pauseMs : FIRST_PAUSE_MS;
      console.error(`Worker ${worker.process.pid} ended (${signal ?? code}). Another one starts in ${wait / 1000} s.`);
      const pause = setTimeout(() => {
        pauses.delete(pause);
        replaceAtEnd(fork(), Math.min(2 * wait, LONGEST_PAUSE_MS));
      }, wait);
      pauses.add(pause);
    });
  }

  // The first one starts alone: it finds out whether port and Redis are available.
  const first = fork(true);
  const port = await portOf(first);
  if (port === null) throw new WorkerError();
  const others = Array.from({ length: config.workers - 1 }, () => fork());
  for (const worker of [first, ...others]) replaceAtEnd(worker, FIRST_PAUSE_MS);
  await Promise.all(others.map(portOf));
  return {
    port,
    async close() {
      isClosing = true;
      for (const pause of pauses) clearTimeout(pause);
      await Promise.all(Array.from(workers, stop));
    },
  };
}

/** Resolves when the worker listens, with its port, or has ended, with null. */
async function portOf(worker: Worker): Promise<number | null> {
  return new Promise((resolve) => {
    worker.once('listening', ({ port }) => resolve(port));
    worker.once('exit', () => resolve(null));
  });
}

async function stop({ process: child }: Worker): Promise<void> {
  const hasEnded = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await hasEnded;
  clearTimeout(impatience);
}
