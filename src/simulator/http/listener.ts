import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A listening server that can be closed without a rest. */
export interface Listener {
  readonly port: number;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Idle connections outlive any pause of a test run, so that a reused one is never closed under a request. */
const KEEP_ALIVE_MS = 65_000;
/** Connections that may wait to be accepted, for load tests that open all at once. */
const BACKLOG = 2_048;

/** Opens a server on a loopback address. */
export async function listen(host: string, port: number, serve: RequestListener): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
  // An address of a server that listens on a port is always this one of the three forms.
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
