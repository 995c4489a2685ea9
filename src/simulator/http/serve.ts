import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultQueue } from '../faults/fault';
import { createInbox } from '../inbox/inbox';
import { isLoopbackHost } from '../options';
import type { SimulatorState } from '../state';
import { createBareAnswer, sendAnswer } from './answer';
import { createGatewayEndpoint } from './gateway-endpoint';

/** Serves everything the simulator has: the inbox page and the gateway's interface. */
export function createRequestListener(state: SimulatorState, faults: FaultQueue): RequestListener {
  const serveGateway = createGatewayEndpoint(state, faults);
  const serveInbox = createInbox(state.outbox, state.variant);
  return function serve(request, response) {
    // A socket may break at any moment; its request ends with it.
    response.on('error', () => undefined);
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!isLoopbackAuthority(request.headers.host)) {
      sendAnswer(response, createBareAnswer(403, state.readings));
    } else if (path === '/' || path.startsWith('/inbox')) {
      serveInbox(request, response, path);
    } else {
      serveGateway(request, response, path);
    }
  };
}

/**
 * Returns true when the Host header of a request names this machine. Another name means that a web page rebinds its own
 * name to this address.
 */
function isLoopbackAuthority(authority: string | undefined): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:@/]+)(:[0-9]{1,5})?$/i.exec(authority ?? '')?.[1];
  return name !== undefined && isLoopbackHost(name);
}

/** A listening server that can be closed at once. */
export interface Listener {
  readonly port: number;
  /** Ends every connection and stops listening. */
  close(): Promise<void>;
}

/** Idle connections outlive any pause of a test run, so that a reused one is never closed during a request. */
const KEEP_ALIVE_MS = 65_000;
/** Connections that may wait to be accepted, for load tests that open all of them at once. */
const BACKLOG = 2_048;

/** Opens a server on a loopback address. */
export async function listen(host: string, port: number, serve: RequestListener): Promise<Listener> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
  // The address of a server that listens on a port is always the object form.
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
