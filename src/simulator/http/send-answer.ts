import type { ServerResponse } from 'node:http';
import type { Answer } from './answer';

/** Writes a whole answer at once. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.end(body);
}

/** Writes the head of an answer with a body of that many bytes. */
export function writeHead(response: ServerResponse, answer: Answer, bytes: number): void {
  response.writeHead(answer.httpStatus, {
    'Content-Type': answer.contentType,
    'Content-Length': bytes,
    'Cache-Control': 'no-store',
    ...answer.headers,
  });
}
