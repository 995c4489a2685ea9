import type { Config } from './config';
import { Crew } from './crew';
import type { Gateway } from './gateway';
import { serve, type Serving } from './serve';

/** The variable that holds a worker's orders. */
const ORDERS = 'WORKER_ORDERS';

/** What a worker is told: the configuration as it was read once, so that all have one session secret and one gateway. */
interface Orders {
  readonly config: Config;
  readonly gateway: Gateway;
}

/** No worker can do its work. The first one has said why. */
export class WorkerError extends Error {
  constructor() {
    super('No worker could start.');
    this.name = 'WorkerError';
  }
}

/**
 * As many processes behind one port as the configuration says.
 * @throws {WorkerError} when the first one cannot start.
 */
export async function startWorkers(config: Config, gateway: Gateway): Promise<Serving> {
  const orders: Orders = { config, gateway };
  const crew = new Crew({ [ORDERS]: JSON.stringify(orders) });
  // The first one alone: it finds out whether port and stores can be had, and creates the tables.
  const port = await crew.startFirst();
  if (port === null) throw new WorkerError();
  await Promise.all(Array.from({ length: config.workers - 1 }, () => crew.startOne()));
  return { port, close: () => crew.close() };
}

/** In a worker: follows its orders. @throws {ConfigError} as `serve` does. */
export async function serveAsWorker(): Promise<Serving> {
  const { config, gateway } = JSON.parse(process.env[ORDERS] ?? '') as Orders; // written above
  return serve(config, gateway);
}
