import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { GatewaySimulator } from 'passport-sms-otp/simulator';
import { createApp, type AppParts } from './app';
import { ConfigError, type Config } from './config';

/** How long a stop waits for answers that are still being written. */
const STOP_TIMEOUT_MS = 5_000;

/** What runs, and the way to end it. */
export interface RunningSite {
  readonly address: string;
  /** Where the text messages can be read; null with a real gateway. */
  readonly inboxUrl: string | null;
  close(): Promise<void>;
}

/** Starts the simulator, unless a gateway is named, and then the app. @throws {ConfigError} when the port is taken. */
export async function run(config: Config): Promise<RunningSite> {
  const simulator = config.gateway ? null : await startSimulator(config.variant);
  try {
    const parts = toParts(config, simulator);
    const { app, smsOtp } = createApp(config, parts);
    const server = await listen(app, config);
    return {
      address: `http://localhost:${(server.address() as AddressInfo).port}`, // a TCP server's address is never a string
      inboxUrl: parts.inboxUrl,
      async close() {
        await stopServer(server);
        await smsOtp.close();
        await simulator?.close();
      },
    };
  } catch (error) {
    await simulator?.close();
    throw error;
  }
}

/** Loaded here, so that an app with a real gateway holds no simulator. */
async function startSimulator(variant: Config['variant']): Promise<GatewaySimulator> {
  const { GatewaySimulator } = await import('passport-sms-otp/simulator');
  return GatewaySimulator.start({ variant });
}

function toParts({ gateway, variant, numbersAs }: Config, simulator: GatewaySimulator | null): AppParts {
  const account = gateway ?? simulator;
  if (!account) throw new Error('There is neither a gateway nor a simulator');
  const { baseUrl, username, password } = account;
  return {
    gateway: { baseUrl, variant, username, password, numbersAs },
    inboxUrl: simulator?.inboxUrl ?? null,
    now: Date.now,
  };
}

async function listen(app: Express, { port, isProduction }: Config): Promise<Server> {
  // The demo's password is known to everyone, so that in development only this machine can come in.
  const server = isProduction ? app.listen(port) : app.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    // `once` rejects with the server's own error event.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw new ConfigError([`PORT ${port} cannot be had (${code}): choose another`]);
  }
}

async function stopServer(server: Server): Promise<void> {
  const impatience = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
  server.close();
  await once(server, 'close');
  clearTimeout(impatience);
}
