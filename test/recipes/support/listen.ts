import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The path at which a program of the tests starts its app afresh. */
export const AFRESH = '/of-the-tests/afresh';

/** Listens first, because two servers that call each other have to know each other's address. */
export async function listen(): Promise<{
  url: string;
  serve: (handler: RequestListener) => void;
  /** Serves what `create` makes, and makes it anew, with an empty store, for a request of `AFRESH`. */
  serveAfresh: (create: () => RequestListener) => void;
}> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    serve: (handler) => void server.on('request', handler),
    serveAfresh: (create) => {
      let current = create();
      server.on('request', (req, res) => {
        if (req.url !== AFRESH) return current(req, res);
        current = create();
        res.end();
      });
    },
  };
}
