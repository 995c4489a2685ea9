import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { CookieJar } from '../../support/cookie-jar';

/** Made by the connection, or by the relay. */
const OWN_HEADERS = ['host', 'cookie', 'connection', 'content-length', 'content-type'];

/** An answer that was read to its end. */
export interface Relayed {
  readonly status: number;
  readonly url: string;
  readonly location: string | null;
  readonly type: string;
  readonly text: string;
}

/** Such as a form, or what the browser has sent. */
export interface Sent {
  readonly body: string;
  readonly type: string;
}

/**
 * One request of a browser that stands for several, as where redirects lead to another server and
 * back: it goes on with the cookies and headers of the browser, which is given all new cookies.
 */
export class Relay {
  readonly #jar = new CookieJar();
  readonly #setCookies: string[] = [];
  readonly #headers: [string, string][];

  constructor({ headers }: IncomingMessage) {
    this.#jar.keep((headers.cookie ?? '').split('; '));
    this.#headers = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !OWN_HEADERS.includes(name) ? [[name, value]] : [],
    );
  }

  cookie(name: string): string | undefined {
    return this.#jar.cookies.get(name);
  }

  async ask(url: string, method = 'GET', sent?: Sent): Promise<Relayed> {
    const headers = new Headers(this.#headers);
    if (this.#jar.header !== '') headers.set('cookie', this.#jar.header);
    if (sent !== undefined && sent.type !== '') headers.set('content-type', sent.type);
    const body = sent === undefined || method === 'GET' || method === 'HEAD' ? null : sent.body;
    const answer = await fetch(url, { method, headers, body, redirect: 'manual' });
    const lines = answer.headers.getSetCookie();
    this.#jar.keep(lines);
    this.#setCookies.push(...lines);
    return {
      status: answer.status,
      url,
      location: answer.headers.get('location'),
      type: answer.headers.get('content-type') ?? '',
      text: await answer.text(),
    };
  }

  /** Answers the browser, with all cookies that came on the way. */
  answer(res: ServerResponse, { status, location, type, text }: Relayed): void {
    if (this.#setCookies.length > 0) res.setHeader('set-cookie', this.#setCookies);
    if (location !== null) res.setHeader('location', location);
    res.writeHead(status, { 'content-type': type }).end(text);
  }
}

/** Reads what a browser has sent. */
export async function readSent(req: IncomingMessage): Promise<Sent> {
  let body = '';
  for await (const part of req) body += String(part);
  return { body, type: req.headers['content-type'] ?? '' };
}

/** Sends a request on to an app, and its answer back. */
export function pass(url: string, req: IncomingMessage, res: ServerResponse): void {
  const { hostname, port } = new URL(url);
  const { method, url: path, headers } = req;
  const onward = request({ hostname, port, method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    answer.pipe(res);
  });
  onward.on('error', (error) => res.destroy(error));
  req.pipe(onward);
}
