import type { IncomingMessage } from 'node:http';

/** More than any documented request needs. */
const MAX_BODY_BYTES = 64 * 1024;

/** Reads a request's body; null when it is too long. A request that breaks off is never reported. */
export function readBody(request: IncomingMessage, onRead: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    // What is too long is still read to its end, so that the refusal can be read, but not kept.
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => onRead(size <= MAX_BODY_BYTES ? Buffer.concat(chunks, size) : null));
  // A client that goes away takes its request with it.
  request.on('error', () => undefined);
}
