import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { toDigits } from '../../protocol/mobile';
import type { Variant } from '../../protocol/paths';
import type { Outbox } from '../state/history';

/** The longest message that the inbox accepts, longer than any real one. */
const MAX_TEXT_LENGTH = 2_000;

const receivedSchema = z.object({
  mobile: z.string().transform((mobile) => toDigits(mobile) ?? ''),
  text: z.string().min(1).max(MAX_TEXT_LENGTH),
  sender: z.string().max(20).default(''),
});

/** Matches the first run of digits that can be a code. */
const PIN = /(?<![0-9])[0-9]{4,10}(?![0-9])/;

/**
 * Shows a message of another gateway, `{ mobile, text, sender }`, as a phone receives messages from
 * any sender. Returns false if the JSON is not such a message.
 */
export function receiveText(outbox: Outbox, sentAt: number, json: unknown): boolean {
  const { data } = receivedSchema.safeParse(json);
  if (data === undefined || data.mobile === '') return false;
  const { mobile, text, sender } = data;
  const [pin = ''] = PIN.exec(text) ?? [];
  outbox.add({ id: '', mobile: `+${mobile}`, sender, text, pin, sentAt, cost: '0' });
  return true;
}

/** Allows no other origins and nothing inline, because the page shows messages from any sender. */
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** The page and its assets by path, with content type and file. The script inserts the messages. */
const ASSETS: ReadonlyMap<string, readonly [contentType: string, file: string]> = new Map([
  ['/inbox', ['text/html; charset=utf-8', 'inbox.html']],
  ['/inbox/inbox.css', ['text/css; charset=utf-8', 'inbox.css']],
  ['/inbox/inbox.js', ['text/javascript; charset=utf-8', 'inbox.js']],
  ['/inbox/icon.svg', ['image/svg+xml', 'icon.svg']],
]);

/** Reads a file on demand. Returns null if it does not exist, as in a bundle. */
function readAsset(file: string, variant: Variant): string | null {
  try {
    return readFileSync(join(__dirname, 'assets', file), 'utf8').replace('{{variant}}', variant);
  } catch {
    // Without the page, the messages can still be read as JSON.
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

    if (request.method !== 'GET')
      end(response, 405, 'text/plain', 'Only GET requests are answered here.');
    else if (type !== undefined && body !== null) end(response, 200, type, body);
    else if (path === '/')
      response.writeHead(302, { Location: '/inbox', 'Content-Length': 0 }).end();
    else if (path === '/inbox/events') streamMessages(outbox, response);
    else if (path === '/inbox/messages')
      end(response, 200, 'application/json', JSON.stringify(outbox.messages));
    else end(response, 404, 'text/plain', 'Not found. The messages are at /inbox.');
  };
}

function end(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** A client that lets more than this wait unread is disconnected. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/**
 * Sends server-sent events: `snapshot` with all stored messages, then a `message` for each new one.
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

/** One data line is enough, because JSON has no line breaks. */
function sendEvent(response: ServerResponse, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
