import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens first, because two servers that call each other have to know each other's address. */
export async function listen(): Promise<{
  url: string;
  serve: (handler: RequestListener) => void;
}> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    serve: (handler) => void server.on('request', handler),
  };
}
