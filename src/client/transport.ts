import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import {
  addDetail,
  GatewayAbortedError,
  type GatewayDetail,
  GatewayRejectedError,
  GatewayResponseError,
  GatewayTimeoutError,
  GatewayUnreachableError,
} from '../errors';
import { closedError } from './call-limiter';
import type { CircuitBreaker } from './back-off';
import { type CallDeadline, onceAborted, remainingMs, throwIfAborted } from './deadline';
import { type GatewayCall, isGatewayFailure, type RawAnswer } from './gateway-call';
import type { ClientSettings } from './options';
import { CONNECT_MS } from './timeouts';
import { readVersion } from './version';

type TransportOptions = Pick<
  ClientSettings,
  'address' | 'connections' | 'dispatcher' | 'keepsDetail'
>;

/**
 * The headers of every request. Compression is not accepted, because a compressed answer could
 * expand to any size.
 */
const HEADERS = [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'user-agent',
  `passport-sms-otp/${readVersion()}`,
];

/** OTP spec §4: bodies are JSON with a content type that says so. */
const BODY_HEADERS = [...HEADERS, 'content-type', 'application/json'];

/**
 * One of undici's clients, which has one socket, or the app's dispatcher, which has all of them.
 */
interface Connection {
  readonly dispatcher: Dispatcher;
  requests: number;
}

/**
 * Sends requests to one gateway over kept connections. No other file opens a connection. undici is
 * loaded at the first request, or right after construction.
 */
export class Transport {
  /**
   * All open sockets. Those still connecting are included because closing an undici client leaves
   * them open.
   */
  readonly #sockets = new Set<Socket>();
  readonly #connections: Connection[] = [];
  /**
   * Connections without a request, the most recently used one last. undici's `Pool` is not used
   * because it opens twice as many as there are calls.
   */
  readonly #idle: Connection[] = [];
  /** Requests in flight. */
  readonly #collectors = new Set<AnswerCollector>();
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
   * Sends a request once, reads its answer, and reports the result to the circuit breaker.
   * @param authorization The value of the Authorization header; null for the authentication itself.
   * OTP spec §5.
   * @throws {GatewayUnreachableError} ERR_GATEWAY_UNREACHABLE
   * @throws {GatewayTimeoutError} ERR_GATEWAY_TIMEOUT
   * @throws {GatewayResponseError} ERR_GATEWAY_RESPONSE: redirect, other content type, encoded, too
   * large, incomplete, fields not as documented.
   * @throws {GatewayRejectedError} ERR_GATEWAY_REJECTED
   * @throws {GatewayAbortedError} ERR_GATEWAY_ABORTED
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
      throwIfAborted(deadline);

      const connection = this.#idle.pop() ?? this.#open(connect);
      connection.requests += 1;
      const settle = (answer: RawAnswer | Error): void => {
        const isBroken = answer instanceof Error;
        this.#collectors.delete(collector);
        this.#release(connection, isBroken);

        try {
          if (isBroken) throw answer;
          const result = call.read(answer);
          this.breaker.record(false);
          resolve(result);
        } catch (error) {
          // An aborted call says nothing about the gateway, so do not count it.
          if (!(error instanceof GatewayAbortedError)) this.breaker.record(isGatewayFailure(error));
          if (this.options.keepsDetail) keepDetail(error, call, collector.readDetail());
          reject(error);
        }
      };

      const collector = new AnswerCollector(call, deadline, settle);
      this.#collectors.add(collector);
      this.#dispatch(connection.dispatcher, this.#toOptions(call, authorization), collector);
    });
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    await this.#loading;
    // A dispatcher that the app has passed in stays open. Only the requests of this client end.
    if (this.options.dispatcher === undefined)
      await Promise.all(this.#connections.map(({ dispatcher }) => dispatcher.destroy()));
    for (const collector of this.#collectors) collector.disconnect();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Starts a request. If a dispatcher of the app throws, nothing has been sent. */
  #dispatch(
    dispatcher: Dispatcher,
    options: Dispatcher.DispatchOptions,
    collector: AnswerCollector,
  ): void {
    try {
      dispatcher.dispatch(options, collector);
    } catch (error) {
      collector.disconnect(error);
    }
  }

  #release(connection: Connection, hasFailed: boolean): void {
    connection.requests -= 1;
    if (connection.requests > 0) return;
    // A failed connection may still be connecting, so use the others first.
    if (hasFailed) this.#idle.unshift(connection);
    else this.#idle.push(connection);
  }

  /**
   * Opens a connection. If there are enough already, returns one to wait for. Only an
   * authentication can find all of them in use.
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
      // Pass a copy, because a dispatcher of the app may add headers to it.
      headers: [...(authorization === null ? [] : ['authorization', authorization]), ...headers],
      // Turn undici's own timeouts off: the collector's timer limits the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }

  async #prepare(): Promise<() => Dispatcher> {
    const { address, dispatcher } = this.options;
    if (dispatcher !== undefined) return (this.#connect = () => dispatcher);

    const { Client, buildConnector } = await import('undici');
    // Always verify certificates: no option and no environment variable turns this off.
    const options = { timeout: CONNECT_MS, rejectUnauthorized: true, allowH2: false };
    const connect = this.#watch(buildConnector(options));
    return (this.#connect = () => new Client(address.origin, { connect }));
  }

  /** Returns the same connector, but remembers every socket until it closes. */
  #watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      // The connector returns the socket, although its type does not say so.
      const socket: unknown = connect(options, callback);
      if (!(socket instanceof Socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    };
  }
}

/**
 * Adds the answer to an error, except an answer to an authentication that is not as documented: it
 * may contain a token.
 */
function keepDetail(
  error: unknown,
  { name }: GatewayCall<unknown>,
  detail: GatewayDetail | null,
): void {
  const isSafe = name !== 'auth' || error instanceof GatewayRejectedError;
  if (isSafe && detail !== null) addDetail(error, detail);
}

/** The error given to undici for requests that we end. No caller sees it. */
const ENDED = new Error('ended');

/**
 * undici's codes for an answer that is not valid HTTP. Errors of its parser have a name but, as of
 * 7.30, no code.
 */
const BROKEN_HTTP = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;

/**
 * Handles one undici request and settles once, with the answer or an error of ours. One timer
 * limits all of it. Anything later is dropped, and a request that has not been sent by then is
 * never sent.
 */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  readonly #stopListening: () => void;
  #httpStatus: number | null = null;
  #headers: IncomingHttpHeaders | null = null;
  #retryAfterSeconds: number | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isSettled = false;

  constructor(
    private readonly call: GatewayCall<unknown>,
    private readonly deadline: CallDeadline,
    private readonly settle: (answer: RawAnswer | Error) => void,
  ) {
    // After the event loop was blocked, timers run before sockets. So read first what has already
    // arrived.
    this.#timer = setTimeout(endSoon, remainingMs(deadline), this);
    this.#stopListening = onceAborted(deadline.signal, () => {
      this.#giveUp(new GatewayAbortedError(call.name, this.#hasStarted));
    });
  }

  get #hasStarted(): boolean {
    return this.#controller !== null;
  }

  /** From here on bytes may have left the process. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing removes the request from undici's queue without closing the connection.
    if (this.#isSettled) throw ENDED;
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (this.#isSettled || httpStatus < 200) return;
    this.#controller ??= controller;
    this.#httpStatus = httpStatus;
    this.#headers = headers;
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

  expire(): void {
    const { call, deadline } = this;
    this.#giveUp(new GatewayTimeoutError(call.name, deadline.limitMs, this.#hasStarted));
  }

  /** Ends the request because the connection is lost. */
  disconnect(cause?: unknown): void {
    this.#giveUp(new GatewayUnreachableError(this.call.name, this.#hasStarted, cause));
  }

  /** Returns the part of the answer that has arrived. Null if there is none. */
  readDetail(): GatewayDetail | null {
    if (this.#headers === null) return null;
    const text = Buffer.concat(this.#chunks).toString();
    return { headers: this.#headers, body: text.slice(0, MAX_DETAIL_CHARACTERS) };
  }

  #giveUp(error: Error): void {
    if (this.#isSettled) return;
    this.#end(error);
    this.#controller?.abort(ENDED);
  }

  #toGatewayError(error: Error): Error {
    const isBrokenHttp =
      error.name === 'HTTPParserError' || ('code' in error && BROKEN_HTTP.test(String(error.code)));
    if (isBrokenHttp) return this.#toResponseError('it is not HTTP/1.1');
    if (this.#httpStatus !== null) return this.#toResponseError('it is incomplete');
    return new GatewayUnreachableError(this.call.name, this.#hasStarted, error);
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
    clearTimeout(this.#timer);
    this.#stopListening();
    this.settle(answer);
    this.#chunks = [];
  }
}

/** The most characters of an answer that are kept for `error.detail`. */
const MAX_DETAIL_CHARACTERS = 4_096;

function endSoon(collector: AnswerCollector): void {
  setImmediate(() => collector.expire());
}

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json[ \t]*(?:;|$)/i;

/**
 * Returns what is not as documented about the head of an answer, or null. OTP spec §4, HLR spec §4:
 * answers are JSON. Redirects and encodings are not documented: a redirect would send the body to
 * another server, and an encoded answer could expand to any size.
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

/** The longest `Retry-After` that is passed on: one day. */
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
