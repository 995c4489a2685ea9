import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Variant } from '../../protocol/paths';
import type { Outbox } from '../state/outbox';
import { INBOX_BEHAVIOUR } from './inbox-behaviour';
import { INBOX_ICON } from './inbox-icon';
import { INBOX_LOOK } from './inbox-look';
import { renderInboxPage } from './inbox-page';
import { streamMessages } from './message-stream';

/** Answers one request of the inbox page. */
export type InboxEndpoint = (request: IncomingMessage, response: ServerResponse, path: string) => void;

/** Nothing from elsewhere, nothing inline: the page shows texts that anybody may have had sent. */
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

type Asset = readonly [contentType: string, body: string];

const ASSETS: readonly (readonly [path: string, asset: Asset])[] = [
  ['/inbox/inbox.css', ['text/css; charset=utf-8', INBOX_LOOK]],
  ['/inbox/inbox.js', ['text/javascript; charset=utf-8', INBOX_BEHAVIOUR]],
  ['/inbox/icon.svg', ['image/svg+xml', INBOX_ICON]],
];

/** The inbox page, what it is made of, and the messages as a stream of events and as JSON. */
export function createInbox(outbox: Outbox, variant: Variant): InboxEndpoint {
  const page: Asset = ['text/html; charset=utf-8', renderInboxPage(variant)];
  const assets = new Map([...ASSETS, ['/inbox', page]]);
  return function serveInbox({ method }, response, path) {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const asset = assets.get(path);
    if (method !== 'GET') end(response, 405, 'text/plain', 'Only GET is served here.');
    else if (asset !== undefined) end(response, 200, ...asset);
    else if (path === '/') response.writeHead(302, { Location: '/inbox', 'Content-Length': 0 }).end();
    else if (path === '/inbox/events') streamMessages(outbox, response);
    else if (path === '/inbox/messages')
      end(response, 200, 'application/json', JSON.stringify(outbox.messages));
    else end(response, 404, 'text/plain', 'Nothing is here. The messages are at /inbox.');
  };
}

function end(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
