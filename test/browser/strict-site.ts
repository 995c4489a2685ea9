import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** What a site sends that allows no script and no style but its own files. */
const POLICY = "default-src 'self'; base-uri 'none'; object-src 'none'";

/** A site in front of an app: strict about scripts, and slow to answer a form. */
export interface StrictSite {
  readonly origin: string;
  /** The paths of the forms that the app got, in order. */
  readonly submitted: readonly string[];
  close(): void;
}

/** @param appUrl Where the app listens. @param delayMs How long a form waits for its answer. */
export async function openStrictSite(appUrl: string, delayMs = 400): Promise<StrictSite> {
  const submitted: string[] = [];
  const server = createServer((req, res) => {
    const { method = 'GET', url = '/', headers } = req;
    const isForm = method === 'POST';
    if (isForm) submitted.push(url);
    const onward = request(new URL(url, appUrl), { method, headers }, (answer) => {
      void wait(isForm ? delayMs : 0).then(() => {
        const given = { ...answer.headers, 'content-security-policy': POLICY };
        res.writeHead(answer.statusCode ?? 502, given);
        answer.pipe(res);
      });
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    origin: `http://127.0.0.1:${port}`,
    submitted,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
