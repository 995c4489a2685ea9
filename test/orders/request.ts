import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly cookie: string;
  readonly userAgent?: string | undefined;
  /** As `express.json()` leaves it. */
  readonly body: object | undefined;
}

export interface Received {
  readonly status: number;
  readonly setCookies: readonly string[];
  readonly text: string;
}

/**
 * Hands a request to an app and returns its answer, without a connection: no socket may decide when
 * a request arrives, and tens of thousands of them are made.
 */
export function request(
  app: RequestListener,
  { method, url, cookie, userAgent, body }: Sent,
): Promise<Received> {
  const message = new IncomingMessage(new NoSocket());
  const headers = {
    host: 'localhost',
    ...(cookie !== '' && { cookie }),
    ...(userAgent !== undefined && { 'user-agent': userAgent }),
  };
  Object.assign(message, { method, url, headers, body });
  return new Promise((resolve) => {
    const response = new ServerResponse(message);
    const chunks: Uint8Array[] = [];
    const write = (chunk: string | Uint8Array): boolean => {
      if (!response.headersSent) response.writeHead(response.statusCode);
      chunks.push(Buffer.from(chunk));
      return true;
    };
    const end = (chunk: string | Uint8Array = ''): void => {
      write(chunk);
      const setCookies = [response.getHeader('set-cookie') ?? []].flat().map(String);
      resolve({ status: response.statusCode, setCookies, text: Buffer.concat(chunks).toString() });
    };
    // Of the response itself, because Express gives it another prototype.
    app(message, Object.assign(response, { write, end }));
  });
}

/** Is never connected. */
class NoSocket extends Socket {
  override readonly remoteAddress = '127.0.0.1';
}
