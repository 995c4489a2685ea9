import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { GatewayResponseError, GatewayTimeoutError, GatewayUnreachableError } from '../../errors';
import { findHeadProblem } from './answer-head';
import type { CallName } from '../call-name';

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
export class AnswerCollector implements Dispatcher.DispatchHandler {
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
