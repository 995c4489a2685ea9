import type { Config } from './config';
import { WorkerCluster } from './cluster';
import type { Gateway } from './gateway';
import { serve, type Serving } from './serve';

/** The environment variable with a worker's orders. */
const ORDERS = 'WORKER_ORDERS';

/** What a worker gets: the configuration as it was read once, so that all share one session secret and one gateway. */
interface Orders {
  readonly config: Config;
  readonly gateway: Gateway;
}

/** Thrown when no worker can start. The first one has printed the reason. */
export class WorkerError extends Error {
  constructor() {
    super('No worker could start.');
    this.name = 'WorkerError';
  }
}

/**
 * Starts the configured number of processes on one port.
 * @throws {WorkerError} when the first one cannot start.
 */
export async function startWorkers(config: Config, gateway: Gateway): Promise<Serving> {
  const orders: Orders = { config, gateway };
  const cluster = new WorkerCluster({ [ORDERS]: JSON.stringify(orders) });
  // The first one starts alone: it finds out whether port and stores are available, and creates the tables.
  const port = await cluster.startFirst();
  if (port === null) throw new WorkerError();
  await Promise.all(Array.from({ length: config.workers - 1 }, () => cluster.startOne()));
  return { port, close: () => cluster.close() };
}

/** Runs in a worker. @throws {ConfigError} as `serve` does. */
export async function serveAsWorker(): Promise<Serving> {
  const { config, gateway } = JSON.parse(process.env[ORDERS] ?? '') as Orders; // written above
  return serve(config, gateway);
}
