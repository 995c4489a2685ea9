import { once } from 'node:events';
import { forkOnCore } from './cores.mjs';

/** The gateway in a process and on a core of its own. */
export async function startGateway() {
  const child = forkOnCore(1, 'gateway.mjs');
  const [port] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    calls: async () => Number(await (await fetch(`${url}/calls`)).text()),
    close: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
