import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import { createApp } from './app';
import { ConfigError, type Config } from './config';
import type { Gateway } from './gateway';
import { createLog } from './log';
import { openUsers, type UserData } from './users/open-users';
import { openStores, type Stores } from './stores/open-stores';

/** How long a stop waits for responses in flight. */
const STOP_TIMEOUT_MS = 5_000;

/** The app on its port, in one process or several. */
export interface Serving {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts the app in this process. @throws {ConfigError} when the port is taken, or a store cannot be used. */
export async function serve(config: Config, gateway: Gateway): Promise<Serving> {
  const stores = await openStores(config);
  try {
    return await serveWith(stores, await openUsers(config, stores.userStores), config, gateway);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function serveWith(stores: Stores, userData: UserData, config: Config, gateway: Gateway): Promise<Serving> {
  const { variant, numbersAs } = config;
  const { baseUrl, username, password, inboxUrl } = gateway;
  const { app, smsOtp } = createApp(config, {
    gateway: { baseUrl, variant, username, password, numbersAs },
    inboxUrl,
    userData,
    now: Date.now,
    sessionStore: stores.sessionStore,
    smsOtpStore: stores.smsOtpStore,
    figures: stores.figures,
    log: createLog(config.logLevel),
  });
  const server = await listen(app, config);
  return {
    port: (server.address() as AddressInfo).port, // a TCP server's address is never a string
    // From the outside in, so that nothing that still runs uses what is closed.
    async close() {
      await stopServer(server);
      await smsOtp.close();
      await stores.close();
    },
  };
}

async function listen(app: Express, { port, isProduction }: Config): Promise<Server> {
  // Everyone knows the demo's password, so in development the app listens on this machine only.
  const server = isProduction ? app.listen(port) : app.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    // `once` rejects with the server's own error event.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    throw new ConfigError([`PORT ${port} cannot be used (${code}): choose another`]);
  }
}

async function stopServer(server: Server): Promise<void> {
  const impatience = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
  server.close();
  await once(server, 'close');
  clearTimeout(impatience);
}
