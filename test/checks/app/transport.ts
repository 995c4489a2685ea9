import { Agent, type IncomingMessage, request } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Answer } from './answer';

export interface RawRequest {
  readonly method: string;
  /** The path, sent unchanged. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Milliseconds to wait for an answer, more than the deadlines of the package, which end after 10 s
 * at most.
 */
const ANSWER_MS = 120_000;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/**
 * Returns whether a URL is http with a loopback address (127.0.0.0/8, ::1, localhost). The checks
 * attack no other.
 */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== 'http:' || username !== '' || password !== '') return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Resolves "localhost" without a name server. */
const lookupLoopback: LookupFunction = (_hostname, { all }, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (all === true) callback(null, addresses);
  else callback(null, '127.0.0.1', 4);
};

/** The connections to one app. */
export class Transport {
  readonly origin: string;
  readonly #agent = new Agent({ keepAlive: true });

  /** @throws {TypeError} for any address that is not a loopback one. */
  constructor(baseUrl: string) {
    if (!isLoopbackUrl(baseUrl))
      throw new TypeError(
        'baseUrl must be http:// with a loopback address: no other address is attacked',
      );
    this.origin = new URL(baseUrl).origin;
  }

  /** Sends a request and resolves to its answer, without following a redirect. */
  async send(raw: RawRequest): Promise<Answer> {
    try {
      return await this.#send(raw);
    } catch (error) {
      // Try again: the app had closed the kept connection and has not seen the request.
      if (!(error instanceof ClosedBefore)) throw error;
      return await this.#send(raw);
    }
  }

  #send({ method, path, headers, body }: RawRequest): Promise<Answer> {
    const { hostname, port } = new URL(this.origin);
    return new Promise((resolve, reject) => {
      const sent = request({
        agent: this.#agent,
        host: hostname.replaceAll(/[[\]]/g, ''),
        port: port === '' ? 80 : port,
        lookup: lookupLoopback,
        method,
        path,
        headers: { ...headers, ...(body !== '' && { 'Content-Length': Buffer.byteLength(body) }) },
        timeout: ANSWER_MS,
      });
      sent.on('timeout', () => sent.destroy(new Error('the app did not answer')));
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new ClosedBefore() : error),
      );
      sent.on('response', (response) => void read(response).then(resolve, reject));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

class ClosedBefore extends Error {}

async function read(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  let body = '';
  response.setEncoding('utf8');
  for await (const part of response) if (body.length < MOST_CHARACTERS) body += String(part);
  return { status, headers, body, location: headers.location ?? null };
}
