import type { ServerResponse } from 'node:http';
import type { Outbox } from '../state/outbox';

/** A reader that has left that much unread is gone for good. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Server-sent events: `snapshot` with all messages that are kept, then a `message` for each new one. */
export function streamMessages(outbox: Outbox, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  sendEvent(response, 'snapshot', outbox.messages);
  const stopWatching = outbox.watch((message) => {
    if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    else sendEvent(response, 'message', message);
  });
  response.once('close', stopWatching);
}

/** JSON has no line breaks, so one data line holds it. */
function sendEvent(response: ServerResponse, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
