import { createServer } from 'node:http';
import { connect } from 'node:net';
import { closeLater } from './cleanup';
import { closeServer, portOf } from './wire-server';

/** A proxy that knows CONNECT. */
export interface Proxy {
  readonly url: string;
  /** Hosts and ports that were asked for. */
  readonly targets: string[];
  readonly authorizations: string[];
  /** Tunnels that were opened. */
  tunnels: number;
}

/** For tunnels that are not opened. */
export const NEVER = new Promise<void>(() => undefined);

/**
 * @param status What CONNECT is answered with; 200 opens the tunnel.
 * @param opened Tunnels are opened as soon as this has resolved.
 */
export async function startProxy({
  status = 200,
  opened = Promise.resolve(),
} = {}): Promise<Proxy> {
  const [targets, authorizations]: [string[], string[]] = [[], []];
  const server = createServer();
  server.on('connect', (request, socket) => {
    targets.push(request.url ?? '');
    const authorization = request.headers['proxy-authorization'];
    if (authorization !== undefined) authorizations.push(authorization);
    socket.on('error', () => undefined).on('end', () => socket.destroy());
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const open = (): void => {
      proxy.tunnels += 1;
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    };
    const target = connect(Number(port), host, () => void opened.then(open));
    socket.on('close', () => target.destroy());
    return target.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => closeServer(server));
  const proxy: Proxy = {
    url: `http://127.0.0.1:${portOf(server)}`,
    targets,
    authorizations,
    tunnels: 0,
  };
  return proxy;
}
