import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import { ConfigError, readConfig } from './config';
import { run, type RunningSite } from './run';
import { DEMO_PASSWORD } from './users/demo-users';
import { serveAsWorker, WorkerError } from './workers';

/** The entry of `npm run example`, and of its workers. */
async function start(): Promise<void> {
  if (cluster.isWorker) {
    stopOnSignals(await serveAsWorker());
    return;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  const site = await run(readConfig(process.env));
  console.log(describe(site));
  stopOnSignals(site);
}

/** Stops once, however many signals arrive: Ctrl+C reaches the workers directly and through the process that started them. */
function stopOnSignals(site: { close(): Promise<void> }): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (isStopping) return;
      isStopping = true;
      site.close().then(sayStopped, explain);
    });
  }
}

function describe({ address, inboxUrl }: RunningSite): string {
  return [
    `Harbour Credit Union  ${address}`,
    `Demo users            alice, bob or carol, password ${DEMO_PASSWORD}`,
    `Text messages         ${inboxUrl ?? 'go through the gateway to ALICE_PHONE and BOB_PHONE'}`,
    'Stop with Ctrl+C.',
  ].join('\n');
}

function sayStopped(): void {
  if (cluster.isPrimary) console.log('Stopped.');
  else endWorker();
}

function explain(error: unknown): void {
  console.error(error instanceof ConfigError || error instanceof WorkerError ? error.message : error);
  process.exitCode = 1;
  endWorker();
}

/** The channel to the parent process would keep a worker alive. */
function endWorker(): void {
  cluster.worker?.disconnect();
}

start().catch(explain);
