import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';

const { createClient } = createRequire(import.meta.url)('redis');

/** A Redis of our own on a free port, that keeps nothing. */
export async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break;
  const client = createClient({ url: `redis://127.0.0.1:${port}`, disableOfflineQueue: true });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: `redis://127.0.0.1:${port}`,
    client,
    close: async () => {
      await client.close();
      child.kill();
      await once(child, 'exit');
    },
  };
}
