import type { IncomingMessage, RequestListener } from 'node:http';
import { WebSocket } from 'ws';
import { pass } from './relay';

/** What a page of the app shows of a socket. */
interface Opened {
  readonly status: number;
  readonly text: string;
}

/**
 * Stands in front of an app whose guarded parts are sockets, and makes a page of each: a GET opens
 * the socket at that address as a page of the app does, with the cookies of the request, and answers
 * with the first message, or with the status of the refusal. All else goes to the app as it is.
 * @param url Of the app. @param origin Of its pages.
 */
export function createSocketsFront(url: string, origin: string): RequestListener {
  return (req, res) => {
    if (req.method === 'POST' || req.url?.startsWith('/login') === true) pass(url, req, res);
    else
      open(url, origin, req).then(
        ({ status, text }) =>
          res.writeHead(status, { 'content-type': 'application/json' }).end(text),
        () => res.destroy(), // The check says that nothing was answered.
      );
  };
}

function open(url: string, origin: string, { url: path = '/', headers }: IncomingMessage) {
  const isSocketIo = path.toLowerCase().includes('socket.io');
  const query = isSocketIo ? `${path.includes('?') ? '&' : '?'}EIO=4&transport=websocket` : '';
  const { cookie = '' } = headers;
  return new Promise<Opened>((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'), {
      headers: { cookie, origin },
      handshakeTimeout: HANDSHAKE_MS,
      // The address as it came: an odd spelling may open what the usual one does not.
      finishRequest: (asked) => void Object.assign(asked, { path: path + query }).end(),
    });
    socket.on('open', () => isSocketIo && socket.send(CONNECT));
    socket.on('unexpected-response', (_asked, { statusCode = 500 }) =>
      resolve({ status: statusCode, text: '{}' }),
    );
    socket.on('error', reject);
    socket.on('message', (data) => {
      const opened = read((data as Buffer).toString()); // What ws gives unless told otherwise.
      if (opened === null) return;
      socket.terminate();
      resolve(opened);
    });
  });
}

/** An app that leaves a request for a socket unanswered fails the check that made it. */
const HANDSHAKE_MS = 20_000;

/** Packets of socket.io's protocol. */
const CONNECT = '40';
const REFUSED = '44';
const PREPARATIONS = /^(0\{|2|40)/;

/** Returns null for what comes before the first message. */
function read(text: string): Opened | null {
  if (PREPARATIONS.test(text)) return null;
  return text.startsWith(REFUSED)
    ? { status: 403, text: JSON.stringify({ error: text }) }
    : { status: 200, text: JSON.stringify({ text }) };
}
