import type { ServerResponse } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Answer, sendAnswer, writeAnswer, writeBareStatus, writeHead } from '../http/answer';
import type { Readings } from '../readings';
import type { Fault } from './fault';

const CHUNK_BYTES = 64 * 1024;

/** Sends the answer with a member more, so long that the whole has that many bytes, and without a length. */
function sendHuge(response: ServerResponse, answer: Answer, bytes: number): void {
  response.writeHead(answer.httpStatus, { 'Content-Type': answer.contentType });
  pour(pad(answer.body, bytes), null, response);
}

/** The same through gzip: a few bytes on the wire that unpack to many. */
function sendCompressed(response: ServerResponse, answer: Answer, bytes: number): void {
  response.writeHead(answer.httpStatus, {
    'Content-Type': answer.contentType,
    'Content-Encoding': 'gzip',
  });
  pour(pad(answer.body, bytes), createGzip(), response);
}

/** The JSON object with a last member that fills it up, in pieces. */
function* pad(body: string, bytes: number): Generator<string> {
  yield `${body.slice(0, -1)},"padding":"`;
  let missing = Math.max(0, bytes - Buffer.byteLength(body) - ',"padding":""'.length);
  const chunk = 'x'.repeat(CHUNK_BYTES);
  for (; missing > 0; missing -= CHUNK_BYTES) yield chunk.slice(0, missing);
  yield '"}';
}

function pour(pieces: Generator<string>, transform: Transform | null, response: ServerResponse): void {
  const source = Readable.from(pieces, { objectMode: false });
  const poured = transform === null ? pipeline(source, response) : pipeline(source, transform, response);
  // A client that hangs up in the middle is what the fault is for.
  poured.catch(() => undefined);
}

/** Promises the whole answer, sends half of it and resets the connection. */
function sendHalf(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
}

/** Sends the head at once and the body byte by byte. */
function sendSlowly(response: ServerResponse, answer: Answer, intervalMs: number): void {
  const body = Buffer.from(answer.body);
  let sent = 0;
  writeHead(response, answer, body.length);
  response.flushHeaders();
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + 1));
    sent += 1;
    if (sent === body.length) response.end();
  }, intervalMs);
  response.once('close', () => clearInterval(timer));
}

/** What a fault needs to strike. */
export interface Stage {
  readonly response: ServerResponse;
  readonly readings: Readings;
  /** Does what was asked and gives the answer that would have been sent. */
  readonly answer: () => Answer;
}

/** Plays one fault on one call. */
export function playFault(fault: Fault, stage: Stage): void {
  if ('when' in fault && fault.when === 'after' && fault.kind !== 'latency') stage.answer();
  const { response, readings, answer } = stage;
  switch (fault.kind) {
    case 'latency':
      return delay(fault.ms, fault.when ?? 'before', stage);
    case 'no-answer':
      return undefined;
    case 'reset':
      return reset(response);
    case 'half-answer':
      return sendHalf(response, answer());
    case 'slow-drip':
      return sendSlowly(response, answer(), fault.intervalMs);
    case 'huge':
      return sendHuge(response, answer(), fault.bytes);
    case 'compressed':
      return sendCompressed(response, answer(), fault.bytes);
    case 'content-type':
      return sendAnswer(response, { ...answer(), contentType: fault.value });
    case 'error':
    case 'html-502':
    case 'redirect':
    case 'status':
    case 'body':
      return sendAnswer(response, composeAnswer(fault, readings));
  }
}

type ComposedFault = Extract<Fault, { kind: 'error' | 'html-502' | 'redirect' | 'status' | 'body' }>;

function composeAnswer(fault: ComposedFault, readings: Readings): Answer {
  switch (fault.kind) {
    case 'error':
      return composeError(fault, readings);
    case 'html-502':
      return {
        httpStatus: 502,
        contentType: 'text/html',
        body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
      };
    case 'redirect': {
      const headers = { Location: fault.location ?? '/apis/redirected' };
      return { ...writeBareStatus(fault.status ?? 307, readings), headers };
    }
    case 'status': {
      const headers =
        fault.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(fault.retryAfterSeconds) };
      return { ...writeBareStatus(fault.status, readings), headers };
    }
    case 'body':
      return {
        httpStatus: fault.status,
        contentType: fault.contentType ?? 'application/json',
        body: fault.body,
      };
  }
}

function composeError(
  { code, httpStatus, status200 }: Extract<Fault, { kind: 'error' }>,
  readings: Readings,
): Answer {
  const asked = status200 === true ? 200 : httpStatus;
  return writeAnswer({ kind: 'refused', code, ...(asked !== undefined && { httpStatus: asked }) }, readings);
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

function delay(ms: number, when: 'before' | 'after', { response, answer }: Stage): void {
  const early = when === 'after' ? answer() : null;
  const timer = setTimeout(() => sendAnswer(response, early ?? answer()), ms);
  response.once('close', () => clearTimeout(timer));
}
