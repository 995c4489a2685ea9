import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { buildConnector, Dispatcher, ProxyAgent } from 'undici';
import { GatewayResponseError, GatewayTimeoutError, GatewayUnreachableError } from '../errors';
import { type CallDeadline, closedError, remainingMs } from './call-limiter';
import type { CircuitBreaker } from './back-off';
import { type GatewayCall, isGatewayFailure, type RawAnswer } from './gateway-call';
import type { ClientSettings } from './options';
import { CONNECT_MS } from './timeouts';

type TransportOptions = Pick<ClientSettings, 'address' | 'connections' | 'ca' | 'proxyUrl'>;
type ConnectOptions = NonNullable<ProxyAgent.Options['requestTls']>;

/**
 * The headers of every request. Compression is not accepted: an answer could unpack to any size.
 */
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

/** One of undici's clients, which has one socket, or with a proxy the agent that has them all. */
interface Connection {
  readonly dispatcher: Dispatcher;
  requests: number;
}

/**
 * Sends requests to one gateway over kept connections. The only place that opens a connection;
 * undici is loaded at the first request, or right after construction.
 */
export class Transport {
  /** All open sockets, including those still connecting, which closing a client leaves alone. */
  readonly #sockets = new Set<Socket>();
  readonly #connections: Connection[] = [];
  /**
   * Those without a request, the one used last at the end. undici's `Pool` opens twice as many as
   * there are calls.
   */
  readonly #idle: Connection[] = [];
  #loading: Promise<() => Dispatcher> | null = null;
  #connect: (() => Dispatcher) | null = null;
  #isClosed = false;

  constructor(
    private readonly options: TransportOptions,
    private readonly breaker: CircuitBreaker,
  ) {}

  /** Loads undici; opens no connection. */
  load(): Promise<() => Dispatcher> {
    return (this.#loading ??= this.#prepare());
  }

  /**
   * Sends a request once, reads its answer, and has the circuit breaker count the result.
   * @param authorization Value of the Authorization header; null for the authentication itself. OTP
   * spec §5.
   * @throws {GatewayUnreachableError} ERR_GATEWAY_UNREACHABLE
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT
   * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: redirect, other content type, encoded, too
   * large, incomplete, fields not as documented.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED
   */
  send<Result>(
    call: GatewayCall<Result>,
    authorization: string | null,
    deadline: CallDeadline,
  ): Promise<Result> {
    const connect = this.#connect;
    if (connect === null) return this.load().then(() => this.send(call, authorization, deadline));

    return new Promise((resolve, reject) => {
      if (remainingMs(deadline) <= 0)
        throw new GatewayTimeoutError(call.name, deadline.limitMs, false);
      if (this.#isClosed) throw closedError();

      const connection = this.#idle.pop() ?? this.#open(connect);
      connection.requests += 1;
      const settle = (answer: RawAnswer | Error): void => {
        const isBroken = answer instanceof Error;
        connection.requests -= 1;
        if (connection.requests === 0) {
          // One that failed may still be connecting: it is used after the others.
          if (isBroken) this.#idle.unshift(connection);
          else this.#idle.push(connection);
        }

        try {
          if (isBroken) throw answer;
          const result = call.read(answer);
          this.breaker.record(false);
          resolve(result);
        } catch (error) {
          this.breaker.record(isGatewayFailure(error));
          reject(error);
        }
      };

      const collector = new AnswerCollector(call, deadline, settle);
      connection.dispatcher.dispatch(this.#toOptions(call, authorization), collector);
    });
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    await this.#loading;
    await Promise.all(this.#connections.map(({ dispatcher }) => dispatcher.destroy()));
    for (const socket of this.#sockets) socket.destroy();
  }

  /**
   * Opens a connection. When there are enough, returns one to wait for; only an authentication can
   * find all of them in use.
   */
  #open(connect: () => Dispatcher): Connection {
    const [first] = this.#connections;
    if (first !== undefined && this.#connections.length >= this.options.connections) return first;
    const connection = { dispatcher: connect(), requests: 0 };
    this.#connections.push(connection);
    return connection;
  }

  #toOptions(call: GatewayCall<unknown>, authorization: string | null): Dispatcher.DispatchOptions {
    const { origin, pathPrefix } = this.options.address;
    const headers = call.body === null ? HEADERS : BODY_HEADERS;

    return {
      origin,
      path: pathPrefix + call.path,
      method: call.method,
      body: call.body,
      headers: authorization === null ? headers : ['authorization', authorization, ...headers],
      // The collector's one timer limits all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }

  async #prepare(): Promise<() => Dispatcher> {
    const { Client, Pool, ProxyAgent, buildConnector } = await import('undici');
    const { address, connections, proxyUrl } = this.options;
    const options = await this.#toConnectOptions();
    const connect = this.#watch(buildConnector(options));

    if (proxyUrl === undefined)
      return (this.#connect = () => new Client(address.origin, { connect }));
    const agent = new ProxyAgent({
      connections,
      uri: proxyUrl,
      requestTls: options,
      clientFactory: (origin) => new Pool(origin, { connect }),
    });
    return (this.#connect = () => agent);
  }

  /** Returns the same connector, with every socket it opens remembered until it closes. */
  #watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // It returns the socket, which its type omits.
      const socket: unknown = connect(options, callback);
      if (!(socket instanceof Socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
  }

  /**
   * Returns the options of every socket. No option and no environment variable switches the
   * verification off.
   */
  async #toConnectOptions(): Promise<ConnectOptions> {
    const { ca } = this.options;
    const options = { timeout: CONNECT_MS, rejectUnauthorized: true, allowH2: false };
    if (ca.length === 0) return options;
    const { createSecureContext, rootCertificates } = await import('node:tls');
    return { ...options, secureContext: createSecureContext({ ca: [...rootCertificates, ...ca] }) };
  }
}

/** The reason given to undici for requests that we end; it goes no further. */
const ENDED = new Error('ended');

/**
 * undici's codes for an answer that is not valid HTTP. The errors of its parser have a name and, as
 * of 7.30, no code.
 */
const BROKEN_HTTP = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;

/**
 * Handles one request of undici and settles once: with the answer, or with an error of ours. One
 * timer limits all of it. What comes later is dropped, and a request that has not left by then
 * never leaves.
 */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #httpStatus: number | null = null;
  #retryAfterSeconds: number | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isSettled = false;

  constructor(
    private readonly call: GatewayCall<unknown>,
    private readonly deadline: CallDeadline,
    private readonly settle: (answer: RawAnswer | Error) => void,
  ) {
    // A process that was busy sees its timers before its sockets: what has arrived by then is read
    // first.
    this.#timer = setTimeout(endSoon, remainingMs(deadline), this);
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
    this.#retryAfterSeconds = readRetryAfter(headers['retry-after']);
    const problem = findHeadProblem(httpStatus, headers, this.call.maxBytes);
    if (problem !== null) this.#refuse(problem);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.call.maxBytes) this.#refuse('it is too large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#isSettled || this.#httpStatus === null) return;

    const [first] = this.#chunks;
    const bytes =
      this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);

    this.#end({
      httpStatus: this.#httpStatus,
      body: bytes.toString(),
      retryAfterSeconds: this.#retryAfterSeconds,
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isSettled) this.#end(this.#toGatewayError(error));
  }

  end(): void {
    if (this.#isSettled) return;
    this.#end(
      new GatewayTimeoutError(this.call.name, this.deadline.limitMs, this.#controller !== null),
    );
    this.#controller?.abort(ENDED);
  }

  #toGatewayError(error: Error): Error {
    const isBrokenHttp =
      error.name === 'HTTPParserError' || ('code' in error && BROKEN_HTTP.test(String(error.code)));
    if (isBrokenHttp) return this.#toResponseError('it is not HTTP/1.1');
    if (this.#httpStatus !== null) return this.#toResponseError('it is incomplete');
    return new GatewayUnreachableError(this.call.name, this.#controller !== null, error);
  }

  #toResponseError(problem: string): GatewayResponseError {
    return new GatewayResponseError(
      this.call.name,
      this.#httpStatus,
      problem,
      this.#retryAfterSeconds,
    );
  }

  #refuse(problem: string): void {
    this.#end(this.#toResponseError(problem));
    this.#controller?.abort(ENDED);
  }

  #end(answer: RawAnswer | Error): void {
    this.#isSettled = true;
    this.#chunks = [];
    clearTimeout(this.#timer);
    this.settle(answer);
  }
}

function endSoon(collector: AnswerCollector): void {
  setImmediate(() => collector.end());
}

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * Returns what is not as documented about the head of an answer, or null. OTP spec §4, HLR spec §4:
 * JSON, and nothing about redirects or encodings: one would send the body to another server, the
 * other could unpack to any size.
 */
function findHeadProblem(
  httpStatus: number,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): string | null {
  const encoding = headers['content-encoding'];
  const type: unknown = headers['content-type'];

  if (httpStatus >= 300 && httpStatus < 400) return 'it is a redirect';
  if (encoding !== undefined && !/^identity$/i.test(encoding)) return 'it is encoded';
  if (type !== 'application/json' && (typeof type !== 'string' || !JSON_TYPE.test(type)))
    return 'its content type is not JSON';
  if (Number(headers['content-length'] ?? 0) > maxBytes) return 'it is too large';
  return null;
}

/** A day: nothing makes the client, or a user, wait for longer. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * Reads the header `Retry-After`, seconds or a date (RFC 9110 §10.2.3); null when it is missing or
 * malformed.
 */
function readRetryAfter(header: unknown): number | null {
  if (typeof header !== 'string') return null;
  let seconds = NaN;
  if (/^[0-9]+$/.test(header)) seconds = Number(header);
  else if (header.endsWith(' GMT')) seconds = Math.ceil((Date.parse(header) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(1, seconds), MAX_RETRY_AFTER_SECONDS);
}
