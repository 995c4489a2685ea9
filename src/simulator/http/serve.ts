import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultQueue } from '../faults/fault';
import { createInbox } from '../inbox/inbox';
import type { World } from '../state';
import { sendAnswer, writeBareStatus } from './answer';
import { createGatewayEndpoint } from './gateway-endpoint';

/** True for a host that never leaves the machine: 127.0.0.0/8, ::1 and localhost. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  if (name === 'localhost' || name === '::1' || name === '[::1]') return true;
  return /^127(\.(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}$/.test(name);
}

/**
 * True when the Host header of a request names this machine; another name is a web page's attempt to rebind
 * its own.
 */
function isLoopbackAuthority(authority: string | undefined): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:@/]+)(:[0-9]{1,5})?$/i.exec(authority ?? '')?.[1];
  return name !== undefined && isLoopbackHost(name);
}

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

/** Everything the simulator serves: the inbox page and the gateway's interface. */
export function createServe(world: World, faults: FaultQueue): RequestListener {
  const serveGateway = createGatewayEndpoint(world, faults);
  const serveInbox = createInbox(world.outbox, world.variant);
  return function serve(request, response) {
    // A socket may break at any moment; the request goes with it.
    response.on('error', () => undefined);
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!isLoopbackAuthority(request.headers.host)) {
      sendAnswer(response, writeBareStatus(403, world.readings));
    } else if (path === '/' || path.startsWith('/inbox')) {
      serveInbox(request, response, path);
    } else {
      serveGateway(request, response, path);
    }
  };
}
