import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { toDigits } from '../../protocol/mobile';
import type { Variant } from '../../protocol/paths';
import type { Outbox } from '../state/history';

/** Longer than any text message. */
const MAX_TEXT_LENGTH = 2_000;

const receivedSchema = z.object({
  mobile: z.string().transform((mobile) => toDigits(mobile) ?? ''),
  text: z.string().min(1).max(MAX_TEXT_LENGTH),
  sender: z.string().max(20).default(''),
});

/** The first run of digits that can be a code. */
const PIN = /(?<![0-9])[0-9]{4,10}(?![0-9])/;

/**
 * Puts a message on the page that another gateway has sent, as a phone receives messages from
 * anyone: `{ mobile, text, sender }`. Returns false when the JSON is no such message.
 */
export function receiveText(outbox: Outbox, sentAt: number, json: unknown): boolean {
  const { data } = receivedSchema.safeParse(json);
  if (data === undefined || data.mobile === '') return false;
  const { mobile, text, sender } = data;
  const [pin = ''] = PIN.exec(text) ?? [];
  outbox.add({ id: '', mobile: `+${mobile}`, sender, text, pin, sentAt, cost: '0' });
  return true;
}

/** No other origins and nothing inline: the page shows messages that anyone may have sent. */
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** The page and its assets, by path: content type and file. The script inserts the messages. */
const ASSETS: ReadonlyMap<string, readonly [contentType: string, file: string]> = new Map([
  ['/inbox', ['text/html; charset=utf-8', 'inbox.html']],
  ['/inbox/inbox.css', ['text/css; charset=utf-8', 'inbox.css']],
  ['/inbox/inbox.js', ['text/javascript; charset=utf-8', 'inbox.js']],
  ['/inbox/icon.svg', ['image/svg+xml', 'icon.svg']],
]);

/** Reads a file when it is asked for. A bundle has none of them; null: it is not there. */
function readAsset(file: string, variant: Variant): string | null {
  try {
    return readFileSync(join(__dirname, 'assets', file), 'utf8').replace('{{variant}}', variant);
  } catch {
    // The messages can be read as JSON all the same.
    return null;
  }
}

/** Serves the inbox page, its assets, and the messages as an event stream and as JSON. */
export function createInbox(outbox: Outbox, variant: Variant) {
  return function serveInbox(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): void {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);

    const [type, file] = ASSETS.get(path) ?? [];
    const body = file === undefined ? null : readAsset(file, variant);

    if (request.method !== 'GET') end(response, 405, 'text/plain', 'Only GET is served here.');
    else if (type !== undefined && body !== null) end(response, 200, type, body);
    else if (path === '/')
      response.writeHead(302, { Location: '/inbox', 'Content-Length': 0 }).end();
    else if (path === '/inbox/events') streamMessages(outbox, response);
    else if (path === '/inbox/messages')
      end(response, 200, 'application/json', JSON.stringify(outbox.messages));
    else end(response, 404, 'text/plain', 'Nothing is here. The messages are at /inbox.');
  };
}

function end(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** A client that has not read this much is disconnected. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * Server-sent events: `snapshot` with all messages that are kept, then a `message` for each new
 * one.
 */
function streamMessages(outbox: Outbox, response: ServerResponse): void {
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
