import type { ServerResponse } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Answer } from '../http/answer';

const CHUNK_BYTES = 64 * 1024;

/** Sends the answer with a member more, so long that the whole has that many bytes, and without a length. */
export function sendHuge(response: ServerResponse, answer: Answer, bytes: number): void {
  response.writeHead(answer.httpStatus, { 'Content-Type': answer.contentType });
  pour(pad(answer.body, bytes), null, response);
}

/** The same through gzip: a few bytes on the wire that unpack to many. */
export function sendCompressed(response: ServerResponse, answer: Answer, bytes: number): void {
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
