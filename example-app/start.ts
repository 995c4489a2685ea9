import cluster from 'node:cluster';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { smsGateway } from 'passport-sms-otp/sms-gateway';
import { createApp } from './app';
import { ConfigError, readConfig, type Config } from './config';
import { createLog } from './log';
import { openRedis } from './stores';
import { DEMO_PASSWORD, openUsers } from './users';
import { endWorkers, startWorkers, type Orders } from './workers';

/**
 * The gateway, real or simulated, and the page with its messages, which is null with a real
 * gateway.
 */
export type Gateway = NonNullable<Config['gateway']> & { readonly inboxUrl: string | null };
/** The app on its port, in one process or several. */
export type Serving = Awaited<ReturnType<typeof serve>>;
export type RunningSite = Awaited<ReturnType<typeof run>>;

/** How long a stop waits for responses in flight, and how long it may take in total. */
const RESPONSES_MS = 1_000;
const STOP_MS = 1_500;

async function start(): Promise<void> {
  const stopped = waitForSignal();
  const orders = process.env.WORKER_ORDERS; // what a worker of ours gets
  if (!orders && existsSync('.env')) process.loadEnvFile('.env');
  const starting = orders ? serve(JSON.parse(orders) as Orders) : run(readConfig(process.env));
  const site = await Promise.race([starting, stopped]);
  if (site === undefined) return stopEarly();
  if ('address' in site) {
    const { address, inboxUrl } = site;
    console.log(`
Harbour Credit Union  ${address}
Text messages         ${inboxUrl ?? 'go through the gateway to ALICE_PHONE and BOB_PHONE'}
Demo users            alice, bob (sees ${address}/ops) or carol (has no number yet); password ${DEMO_PASSWORD}
Stop with Ctrl+C.`);
  }
  await stopped;
  await site.close();
  if (cluster.isPrimary) console.log('Stopped.');
}

/**
 * Resolves when the app must stop. The process ends soon afterwards, even if something hangs.
 * Ctrl+C reaches workers twice, directly and through the parent process, so all later signals are
 * ignored.
 */
async function waitForSignal(): Promise<void> {
  await new Promise<unknown>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, resolve);
  });
  setTimeout(() => process.exit(), STOP_MS).unref();
}

/** Stops while the app still starts. No response is in flight yet. */
async function stopEarly(): Promise<never> {
  await endWorkers();
  if (cluster.isPrimary) console.log('Stopped.');
  process.exit();
}

/**
 * Starts the app, here or in workers. @throws {ConfigError} if a port is in use, or Redis cannot be
 * used.
 */
export async function run(config: Config) {
  const { gateway, closeGateway } = await openGateway(config);
  const serving = await (config.workers === 1 ? serve : startWorkers)({ config, gateway });
  return {
    address: `http://localhost:${serving.port}`,
    inboxUrl: gateway.inboxUrl,
    close: () => serving.close().finally(closeGateway),
  };
}

/**
 * Returns the configured gateway, or starts the simulator. An app with a real gateway does not load
 * the simulator.
 */
async function openGateway(
  config: Config,
): Promise<{ gateway: Gateway; closeGateway: () => Promise<void> }> {
  if (config.gateway) {
    return {
      gateway: { ...config.gateway, inboxUrl: null },
      closeGateway: () => Promise.resolve(),
    };
  }
  const { GatewaySimulator } = await import('passport-sms-otp/simulator');
  const starting = GatewaySimulator.start({ variant: config.variant, port: config.inboxPort });
  const simulator = await starting.catch((error: unknown) =>
    explainPort('INBOX_PORT', config.inboxPort, error),
  );
  const { baseUrl, username, password, inboxUrl } = simulator;
  return {
    gateway: { baseUrl, username, password, inboxUrl },
    closeGateway: () => simulator.close(),
  };
}

/** Returns the option `gateway`. With GATEWAY=sms this file is the provider: put your own here. */
function toGateway(
  { hasSmsGateway, variant, numbersAs, smsOtpSecret: secret }: Config,
  { inboxUrl, ...gateway }: Gateway,
  store: SmsOtpStore,
) {
  if (!hasSmsGateway) return { ...gateway, variant, numbersAs };
  return smsGateway({
    store,
    secret,
    sendSms: async (mobile, text) => {
      const answer = await fetch(`${inboxUrl}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ mobile, text }),
      });
      if (!answer.ok) throw new Error(`The inbox answered with status ${answer.status}`);
    },
  });
}

async function serve({ config, gateway }: Orders) {
  const { redisUrl } = config;
  // Show each warning about shared state once, by the first worker.
  const warn = cluster.isWorker && cluster.worker?.id !== 1 ? () => undefined : console.warn;
  const stores = redisUrl === null ? null : await openRedis(redisUrl, warn);
  const smsOtpStore = stores?.smsOtpStore ?? memoryStore();
  const { app, smsOtp } = createApp(config, {
    ...stores,
    smsOtpStore,
    gateway: toGateway(config, gateway, smsOtpStore),
    inboxUrl: gateway.inboxUrl,
    users: await openUsers(config, stores?.phoneLists, stores?.passkeyLists),
    now: Date.now,
    log: createLog(config.logLevel),
  });
  // Show the pages even if the gateway does not answer: the first login tries again.
  await smsOtp
    .warmUp()
    .catch((error: unknown) => warn(`The gateway is not ready: ${String(error)}`));
  const server = await listen(app, config);
  return {
    port: (server.address() as AddressInfo).port, // a TCP server's address is never a string
    // Close from the outside in, so that nothing that still runs uses a closed part.
    async close() {
      const impatience = setTimeout(() => server.closeAllConnections(), RESPONSES_MS);
      server.close();
      await once(server, 'close');
      clearTimeout(impatience);
      await smsOtp.close();
      stores?.close();
    },
  };
}

async function listen(app: Express, { port, isProduction }: Config): Promise<Server> {
  // In development listen on this machine only, because the demo's password is public.
  const server = isProduction ? app.listen(port) : app.listen(port, '127.0.0.1');
  // `once` rejects with the server's own error event.
  await once(server, 'listening').catch((error: unknown) => explainPort('PORT', port, error));
  return server;
}

/** @throws {ConfigError} if a port is in use, otherwise the error itself. */
function explainPort(name: string, port: number, error: unknown): never {
  const text =
    error instanceof Error ? `${(error as NodeJS.ErrnoException).code} ${error.message}` : '';
  const code = /EADDRINUSE|EACCES/.exec(text)?.[0];
  if (code === undefined) throw error;
  throw new ConfigError([`${name} ${port} cannot be used (${code}): choose another`]);
}

function explain(error: unknown): void {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}

// Close the channel to the parent process, which would keep a worker running.
if (require.main === module)
  void start()
    .catch(explain)
    .finally(() => cluster.worker?.disconnect());
