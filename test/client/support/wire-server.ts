import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeLater } from './cleanup';

/** A request as it arrived. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that answers just as it is told, where the simulator is too well behaved. */
export interface WireServer {
  readonly baseUrl: string;
  /** What arrived, authentications left out. */
  readonly requests: WireRequest[];
  readonly authentications: WireRequest[];
  readonly server: Server;
}

export const TOKENS = {
  access_token: 'access-1',
  validity_period: 1800,
  refresh_token: 'refresh-1',
};

/** Starts one; it authenticates everybody, and `answer` answers the rest. */
export async function startWireServer(
  answer: (response: ServerResponse, request: WireRequest) => void,
  authenticate: (response: ServerResponse, request: WireRequest) => void = (response) =>
    sendJson(response, 200, { status_code: 200, status_message: 'OK', payload: TOKENS }),
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const authentications: WireRequest[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then((read) => {
      const isAuthentication = read.url.endsWith('/apis/auth');
      (isAuthentication ? authentications : requests).push(read);
      (isAuthentication ? authenticate : answer)(response, read);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => closeServer(server));
  return { baseUrl: `http://127.0.0.1:${portOf(server)}`, requests, authentications, server };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** An envelope of success. */
export function sendPayload(response: ServerResponse, payload: unknown): void {
  sendJson(response, 200, { status_code: 200, status_message: 'OK', payload });
}

export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function readRequest(request: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  const { method = '', url = '', headers } = request;
  return { method, url, headers, body: Buffer.concat(chunks).toString() };
}
