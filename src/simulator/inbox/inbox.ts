import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Outbox } from '../state/outbox';

export type InboxEndpoint = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** The inbox page. */
export function createInbox(outbox: Outbox): InboxEndpoint {
  return function serveInbox(_request, response, path) {
    if (path === '/') {
      response.writeHead(302, { Location: '/inbox', 'Content-Length': 0 }).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(outbox.messages));
  };
}
