import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';

/** A worker that ends is replaced after this time, doubled while its successors also end soon. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that ran for this long did not end soon. */
const STEADY_MS = 60_000;

/** Longer than a worker needs for a clean stop. A worker that still runs then is killed. */
const STOP_TIMEOUT_MS = 20_000;

/** Worker processes that share a port. Each is replaced when it ends, at a bounded rate. */
export class WorkerCluster {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #workers = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isClosing = false;

  /** @param environment Variables for each worker, in addition to the environment of this process. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  /** Starts a worker and returns its port; null if it ended before it listened, and then it is not replaced. */
  async startFirst(): Promise<number | null> {
    const worker = this.#fork();
    const port = await portOf(worker);
    if (port !== null) this.#replaceAtEnd(worker, FIRST_PAUSE_MS);
    return port;
  }

  /** Resolves when the worker listens, or has ended and will be replaced. */
  async startOne(pauseMs = FIRST_PAUSE_MS): Promise<void> {
    const worker = this.#fork();
    this.#replaceAtEnd(worker, pauseMs);
    await portOf(worker);
  }

  /** Stops every worker, as a signal to each would. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    await Promise.all(Array.from(this.#workers, stop));
  }

  #fork(): Worker {
    const worker = cluster.fork(this.#environment);
    this.#workers.add(worker);
    worker.once('exit', () => this.#workers.delete(worker));
    return worker;
  }

  #replaceAtEnd(worker: Worker, pauseMs: number): void {
    const startedAtMs = performance.now();
    worker.once('exit', (code: number, signal: string | null) => {
      if (this.#isClosing) return;
      const pause = performance.now() - startedAtMs < STEADY_MS ? pauseMs : FIRST_PAUSE_MS;
      console.error(`Worker ${worker.process.pid} ended (${signal ?? code}). Another one starts in ${pause / 1000} s.`);
      this.#startLater(pause);
    });
  }

  #startLater(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.startOne(Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#pauses.add(pause);
  }
}

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
