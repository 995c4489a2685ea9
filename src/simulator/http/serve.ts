import type { RequestListener } from 'node:http';
import type { FaultQueue } from '../faults/fault-queue';
import { createInbox } from '../inbox/inbox';
import type { World } from '../world';
import { writeBareStatus } from './answer';
import { createGatewayEndpoint } from './gateway-endpoint';
import { isLoopbackAuthority } from './loopback';
import { sendAnswer } from './send-answer';

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
