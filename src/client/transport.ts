import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { buildConnector, Dispatcher, ProxyAgent } from 'undici';
import { GatewayResponseError, GatewayTimeoutError, GatewayUnreachableError } from '../errors';
import type { CallName } from './events';
import type { GatewayCall } from './exchange';
import type { ClientSettings } from './options';

/** The sockets of one client. Closing a pool leaves those to themselves that are still connecting; here they are known. */
class OpenSockets {
  readonly #sockets = new Set<Socket>();

  /** The same connector, with every socket it opens remembered until it closes. */
  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // It gives the socket back, though its type does not say so.
      const socket: unknown = connect(options, callback);
      if (!(socket instanceof Socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * What is not as documented about the head of an answer, or null. OTP spec §4, HLR spec §4: JSON, and nothing about
 * redirects or encodings: one would send the body to another server, the other could unpack to any size.
 */
function findHeadProblem(httpStatus: number, headers: IncomingHttpHeaders, maxBytes: number): string | null {
  const encoding: unknown = headers['content-encoding'];
  const type: unknown = headers['content-type'];
  if (httpStatus >= 300 && httpStatus < 400) return 'it is a redirect';
  if (encoding !== undefined && !isIdentity(encoding)) return 'it is encoded';
  if (typeof type !== 'string' || !JSON_TYPE.test(type)) return 'it is not JSON';
  if (Number(headers['content-length'] ?? 0) > maxBytes) return 'it is too large';
  return null;
}

function isIdentity(encoding: unknown): boolean {
  return typeof encoding === 'string' && encoding.toLowerCase() === 'identity';
}

/** An answer whose transport was as documented: a final status and a text that calls itself JSON. */
export interface RawAnswer {
  readonly httpStatus: number;
  readonly text: string;
}

/** What an answer is held against. */
export interface AnswerBounds {
  readonly call: CallName;
  readonly maxBytes: number;
  /** What the whole call was given. */
  readonly limitMs: number;
  /** What is left of it. */
  readonly leftMs: number;
}

/** The reason given to undici for requests that we end; it goes no further. */
const ENDED = new Error('ended');

/** undici's codes for an answer that is no proper HTTP. The errors of its parser have a name and, as of 7.30, no code. */
const BROKEN_HTTP = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;

/**
 * Hears what undici says of one request and settles once: with the answer's text, or with an error of ours. One timer
 * bounds it all. What comes later is dropped, and a request that has not left by then never leaves.
 */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #bounds: AnswerBounds;
  readonly #resolve: (answer: RawAnswer) => void;
  readonly #reject: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #httpStatus: number | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isSettled = false;

  constructor(bounds: AnswerBounds, resolve: (answer: RawAnswer) => void, reject: (error: Error) => void) {
    this.#bounds = bounds;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(endAtDeadline, bounds.leftMs, this);
  }

  /** From here on bytes may have left. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing takes the request out of undici's queue and leaves the connection alone.
    if (this.#isSettled) throw ENDED;
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#isSettled || httpStatus < 200) return;
    this.#httpStatus = httpStatus;
    const problem = findHeadProblem(httpStatus, headers, this.#bounds.maxBytes);
    if (problem !== null) this.#refuse(problem);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#bounds.maxBytes) this.#refuse('it is too large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isSettled || this.#httpStatus === null) return;
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#settle();
    this.#resolve({ httpStatus: this.#httpStatus, text: bytes.toString() });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isSettled) this.#fail(this.#toOurs(error));
  }

  /** The deadline has come. */
  end(): void {
    if (this.#isSettled) return;
    const { call, limitMs } = this.#bounds;
    this.#fail(new GatewayTimeoutError(call, limitMs, this.#controller !== null));
    this.#controller?.abort(ENDED);
  }

  #toOurs(error: Error): Error {
    const { call } = this.#bounds;
    if (isBrokenHttp(error)) return new GatewayResponseError(call, this.#httpStatus, 'it is not HTTP/1.1');
    if (this.#httpStatus !== null)
      return new GatewayResponseError(call, this.#httpStatus, 'it ends half way');
    return new GatewayUnreachableError(call, this.#controller !== null, error);
  }

  #refuse(problem: string): void {
    this.#fail(new GatewayResponseError(this.#bounds.call, this.#httpStatus, problem));
    this.#controller?.abort(ENDED);
  }

  #fail(error: Error): void {
    this.#settle();
    this.#chunks = [];
    this.#reject(error);
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
  }
}

function isBrokenHttp(error: Error): boolean {
  return error.name === 'HTTPParserError' || ('code' in error && BROKEN_HTTP.test(String(error.code)));
}

/** A process that was busy sees its timers before its sockets: what has arrived by now is read first. */
function endAtDeadline(collector: AnswerCollector): void {
  setImmediate(() => collector.end());
}

type SenderSettings = Pick<ClientSettings, 'address' | 'connections' | 'timeouts' | 'ca' | 'proxyUrl'>;
type ConnectOptions = NonNullable<ProxyAgent.Options['requestTls']>;

/** The headers of every request. Nothing compressed is asked for: it could unpack to any size. */
const HEADERS = [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'user-agent',
  'passport-sms-otp',
];

/** OTP spec §4: bodies are JSON with a content type that says so. */
const BODY_HEADERS = [...HEADERS, 'content-type', 'application/json'];

/**
 * Sends requests to one gateway over a pool of kept connections. The only place that opens a connection; undici is
 * loaded at the first request.
 */
export class RequestSender {
  readonly #settings: SenderSettings;
  readonly #sockets = new OpenSockets();
  #loading: Promise<Dispatcher> | null = null;
  #dispatcher: Dispatcher | null = null;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
  }

  /** Loads undici and makes the pool; opens no connection. */
  load(): Promise<Dispatcher> {
    return (this.#loading ??= this.#makeDispatcher());
  }

  /**
   * Sends a request once and waits for its answer.
   * @param authorization Value of the Authorization header; null for the authentication itself. OTP spec §5.
   * @throws {GatewayUnreachableError} ERR_GATEWAY_UNREACHABLE
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT
   * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: redirect, other content type, encoded, too large, half.
   */
  async send(
    call: GatewayCall<unknown>,
    authorization: string | null,
    bounds: AnswerBounds,
  ): Promise<RawAnswer> {
    const dispatcher = this.#dispatcher ?? (await this.load());
    return new Promise((resolve, reject) => {
      dispatcher.dispatch(this.#toOptions(call, authorization), new AnswerCollector(bounds, resolve, reject));
    });
  }

  /** Ends every request and connection. */
  async destroy(): Promise<void> {
    await (await this.#loading)?.destroy();
    this.#sockets.destroy();
  }

  #toOptions(
    { method, path, body }: GatewayCall<unknown>,
    authorization: string | null,
  ): Dispatcher.DispatchOptions {
    const { origin, pathPrefix } = this.#settings.address;
    const headers = body === null ? HEADERS : BODY_HEADERS;
    return {
      origin,
      path: pathPrefix + path,
      method,
      body,
      headers: authorization === null ? headers : ['authorization', authorization, ...headers],
      // The collector's one timer bounds all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }

  async #makeDispatcher(): Promise<Dispatcher> {
    const { Pool, ProxyAgent, buildConnector } = await import('undici');
    const { address, connections, proxyUrl } = this.#settings;
    const options = await this.#toConnectOptions();
    const connect = this.#sockets.watch(buildConnector(options));
    const pool = { connections, pipelining: 1, allowH2: false };
    this.#dispatcher =
      proxyUrl === undefined
        ? new Pool(address.origin, { ...pool, connect })
        : new ProxyAgent({
            ...pool,
            uri: proxyUrl,
            requestTls: options,
            clientFactory: (origin) => new Pool(origin, { connect }),
          });
    return this.#dispatcher;
  }

  /** What a socket is opened with. No option and no environment variable switches the verification off. */
  async #toConnectOptions(): Promise<ConnectOptions> {
    const { ca, timeouts } = this.#settings;
    const options = { timeout: timeouts.connectMs, rejectUnauthorized: true, allowH2: false };
    const authorities = Array.isArray(ca) ? ca : [ca];
    if (authorities.length === 0) return options;
    const { createSecureContext, rootCertificates } = await import('node:tls');
    return { ...options, secureContext: createSecureContext({ ca: [...rootCertificates, ...authorities] }) };
  }
}
