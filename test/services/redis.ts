import { createConnection } from 'node:net';
import { once } from 'node:events';

import { findOnPath, startService, type Service } from './service';

export const findRedis = (): string | null => findOnPath('redis-server');

/** Starts a Redis server that keeps nothing on disk. */
export function startRedis(settings: readonly string[] = []): Promise<Service> {
  const command = findRedis();
  if (command === null) throw new Error('redis-server is not installed');
  return startService({
    command,
    args: (folder, port) => [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...['--save', '', '--appendonly', 'no', '--daemonize', 'no', ...settings],
    ],
    isUp: answers,
  });
}

/** Also while it loads its data: then it says so. */
async function answers(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return /^(\+PONG|-LOADING)/.test(answer.toString());
  } catch {
    // Refused: it does not listen yet.
    return false;
  } finally {
    socket.destroy();
  }
}
