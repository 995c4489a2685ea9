import type { ServerResponse } from 'node:http';
import type { Answer } from '../http/answer';
import { writeHead } from '../http/send-answer';

/** Promises the whole answer, sends half of it and resets the connection. */
export function sendHalf(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(answer.body);
  writeHead(response, answer, body.length);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
}

/** Sends the head at once and the body byte by byte. */
export function sendSlowly(response: ServerResponse, answer: Answer, intervalMs: number): void {
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
