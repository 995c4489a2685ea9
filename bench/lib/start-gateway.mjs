import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { wrapWithTaskset } from './cores.mjs';

/** The gateway in a process and on a core of its own. */
export async function startGateway() {
  const [execPath, execArgv] = wrapWithTaskset(1);
  const child = fork(fileURLToPath(new URL('gateway.mjs', import.meta.url)), { execPath, execArgv });
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
