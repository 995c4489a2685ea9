import type { ServerResponse } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { oneOf, parseOptions, strictOptions, switchOption, wholeNumber } from '../define-options';
import { type Call, CALLS } from './calls/call';
import {
  type SimulatedAnswer,
  createAnswer,
  createBareAnswer,
  sendAnswer,
  statusMessage,
  writeHead,
} from './http/answer';
import { headerValue, httpStatus, type Readings } from './readings';

/** At most one gibibyte: more would only test the machine. */
const bytes = wholeNumber(1, 1_073_741_824);
const DELAY = 'must be a number of milliseconds from 0 to 3600000';
const delayMs = z.number(DELAY).min(0, DELAY).max(3_600_000, DELAY);
/** Adds a `Retry-After` header. */
const retryAfterSeconds = wholeNumber(0, Number.MAX_SAFE_INTEGER).optional();

/**
 * Whether the fault occurs before or after the gateway has processed the request. Default:
 * `before`, so nothing was processed.
 */
const when = oneOf('before', 'after').optional();

const faultSchema = z.discriminatedUnion(
  'kind',
  [
    /**
     * Answers with an error of the gateway's lists. Nothing is processed. `status200` sends it with
     * HTTP 200.
     */
    strictOptions({
      kind: z.literal('error'),
      code: wholeNumber(1, Number.MAX_SAFE_INTEGER),
      httpStatus: httpStatus.optional(),
      status200: switchOption().optional(),
      retryAfterSeconds,
    }),
    /**
     * Waits, then processes as usual, unless the client has disconnected. With `when: 'after'` it
     * processes first.
     */
    strictOptions({ kind: z.literal('latency'), ms: delayMs, when }),
    /** Keeps the connection open and sends nothing. */
    strictOptions({ kind: z.literal('no-answer'), when }),
    /** Resets the connection. */
    strictOptions({ kind: z.literal('reset'), when }),
    /** Processes, announces the whole answer, sends half of it, and resets the connection. */
    strictOptions({ kind: z.literal('half-answer') }),
    /** Answers with the error page of a proxy. */
    strictOptions({ kind: z.literal('html-502'), when }),
    /** Processes, and answers with another content type. */
    strictOptions({ kind: z.literal('content-type'), value: headerValue }),
    /** Processes, and pads the answer to that many bytes without announcing its length. */
    strictOptions({ kind: z.literal('huge'), bytes }),
    /** Processes, and pads the answer to that many bytes, which gzip makes small. */
    strictOptions({ kind: z.literal('compressed'), bytes }),
    /**
     * Redirects. Default status: 307, which repeats method and body. Default location: a path of
     * the simulator itself.
     */
    strictOptions({
      kind: z.literal('redirect'),
      status: httpStatus.optional(),
      location: headerValue.optional(),
      when,
    }),
    /** Processes, and sends the answer byte by byte. */
    strictOptions({ kind: z.literal('slow-drip'), intervalMs: delayMs }),
    /**
     * Answers with a well-formed envelope with neither payload nor errors, as in 429 and 503. With
     * `envelope: false` it is plain text, as from a load balancer.
     */
    strictOptions({
      kind: z.literal('status'),
      status: httpStatus,
      retryAfterSeconds,
      envelope: switchOption().optional(),
      when,
    }),
    /** Sends any answer. */
    strictOptions({
      kind: z.literal('body'),
      status: httpStatus,
      body: z.string('must be a string'),
      contentType: headerValue.optional(),
      when,
    }),
  ],
  'must be a known kind of fault',
);

/** A failure of one call. */
export type Fault = Readonly<z.output<typeof faultSchema>>;

/** The faults that need no data, so that their kind is enough. */
export type FaultName = 'no-answer' | 'reset' | 'half-answer' | 'html-502' | 'redirect';

const failNextSchema = z.object({
  call: z.enum(['any', ...CALLS], `must be any or one of ${CALLS.join(', ')}`),
  fault: faultSchema,
  /** How often it still occurs. */
  times: z.union(
    [z.literal(Infinity), wholeNumber(1, Number.MAX_SAFE_INTEGER)],
    'must be a whole number from 1, or Infinity',
  ),
});

/** The faults that wait for their calls, in the order in which they were added. */
export class FaultQueue {
  #planned: z.output<typeof failNextSchema>[] = [];

  /** @throws {TypeError} that names the wrong field and never shows its value. */
  add(call: Call | 'any', given: Fault | FaultName, times: number): void {
    const fault = typeof given === 'string' ? { kind: given } : given;
    this.#planned.push(parseOptions('failNext', failNextSchema, { call, fault, times }));
  }

  /** Returns the fault for a call that has just arrived, or null. */
  take(call: Call): Fault | null {
    const planned = this.#planned.find(
      (candidate) => candidate.call === call || candidate.call === 'any',
    );
    if (planned === undefined) return null;

    planned.times -= 1;
    if (planned.times < 1)
      this.#planned = this.#planned.filter((candidate) => candidate !== planned);
    return planned.fault;
  }

  clear(): void {
    this.#planned = [];
  }
}

export interface FaultContext {
  readonly response: ServerResponse;
  readonly readings: Readings;
  /** Processes the request and returns the answer that would be sent. */
  readonly answer: () => SimulatedAnswer;
}

type FaultKind = Fault['kind'];
type OfKind<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;

/** The action of each fault. */
const PLAY_BY_KIND: {
  readonly [Kind in FaultKind]: (fault: OfKind<Kind>, call: FaultContext) => void;
} = {
  latency: delay,
  'no-answer': () => undefined,
  reset: (_fault, call) => void call.response.socket?.resetAndDestroy(),
  'half-answer': (_fault, call) => sendHalf(call.response, call.answer()),
  'slow-drip': (fault, call) => sendSlowly(call.response, call.answer(), fault.intervalMs),
  huge: (fault, call) => sendPadded(call.response, call.answer(), fault.bytes, null),
  compressed: (fault, call) => sendPadded(call.response, call.answer(), fault.bytes, createGzip()),
  'content-type': (fault, call) =>
    sendAnswer(call.response, { ...call.answer(), contentType: fault.value }),
  error: (fault, call) => sendAnswer(call.response, createError(fault, call.readings)),
  'html-502': (_fault, call) => sendAnswer(call.response, BAD_GATEWAY),
  redirect: (fault, call) =>
    sendAnswer(call.response, {
      ...createBareAnswer(fault.status ?? 307, call.readings),
      headers: { Location: fault.location ?? '/apis/redirected' },
    }),
  status: (fault, call) => sendAnswer(call.response, createStatus(fault, call.readings)),
  body: (fault, call) =>
    sendAnswer(call.response, {
      httpStatus: fault.status,
      contentType: fault.contentType ?? 'application/json',
      body: fault.body,
    }),
};

export function playFault<Kind extends FaultKind>(
  fault: OfKind<Kind> & { readonly kind: Kind },
  call: FaultContext,
): void {
  if ('when' in fault && fault.when === 'after' && fault.kind !== 'latency') call.answer();
  PLAY_BY_KIND[fault.kind](fault, call);
}

function delay(fault: OfKind<'latency'>, call: FaultContext): void {
  const early = fault.when === 'after' ? call.answer() : null;
  const timer = setTimeout(() => sendAnswer(call.response, early ?? call.answer()), fault.ms);
  call.response.once('close', () => clearTimeout(timer));
}

function sendHalf(response: ServerResponse, answer: SimulatedAnswer): void {
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
}

function sendSlowly(response: ServerResponse, answer: SimulatedAnswer, intervalMs: number): void {
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.flushHeaders();

  let sent = 0;
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + 1));
    sent += 1;
    if (sent === body.length) response.end();
  }, intervalMs);
  response.once('close', () => clearInterval(timer));
}

/**
 * Sends the answer with one more field that makes it that many bytes long, and without a length.
 * Gzip makes it a few bytes on the wire.
 */
function sendPadded(
  response: ServerResponse,
  answer: SimulatedAnswer,
  bytes: number,
  gzip: Transform | null,
): void {
  response.writeHead(answer.httpStatus, {
    'Content-Type': answer.contentType,
    ...(gzip !== null && { 'Content-Encoding': 'gzip' }),
  });

  const source = Readable.from(pad(answer.body, bytes), { objectMode: false });
  const sent = gzip === null ? pipeline(source, response) : pipeline(source, gzip, response);
  // Ignore the error: this fault makes the client close the connection before the end.
  sent.catch(() => undefined);
}

const CHUNK_BYTES = 64 * 1024;

/** Yields the JSON object in chunks, with a last field that fills it up. */
function* pad(body: string, bytes: number): Generator<string> {
  yield `${body.slice(0, -1)},"padding":"`;
  let missing = Math.max(0, bytes - Buffer.byteLength(body) - ',"padding":""'.length);
  const chunk = 'x'.repeat(CHUNK_BYTES);
  for (; missing > 0; missing -= CHUNK_BYTES) yield chunk.slice(0, missing);
  yield '"}';
}

const BAD_GATEWAY: SimulatedAnswer = {
  httpStatus: 502,
  contentType: 'text/html',
  body: '<html><body><h1>502 Bad Gateway</h1></body></html>',
};

function createError(fault: OfKind<'error'>, readings: Readings): SimulatedAnswer {
  const httpStatus = fault.status200 === true ? 200 : fault.httpStatus;
  const refusal = {
    kind: 'refused',
    code: fault.code,
    ...(httpStatus !== undefined && { httpStatus }),
  } as const;
  return { ...createAnswer(refusal, readings), headers: retryAfter(fault.retryAfterSeconds) };
}

/**
 * Not shown in OTP spec §7: any 429 or 503, and whether a load balancer answers instead of the
 * gateway.
 */
function createStatus(fault: OfKind<'status'>, readings: Readings): SimulatedAnswer {
  const { status } = fault;
  const answer =
    fault.envelope === false
      ? { httpStatus: status, contentType: 'text/plain', body: statusMessage(status) }
      : createBareAnswer(status, readings);
  return { ...answer, headers: retryAfter(fault.retryAfterSeconds) };
}

function retryAfter(seconds: number | undefined): Readonly<Record<string, string>> {
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) };
}
