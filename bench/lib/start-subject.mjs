import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { wrapWithTaskset } from './cores.mjs';

/** An app of the login benchmark on core 0. */
export async function startSubject(flow, place, gatewayUrl, redisUrl = '') {
  const [execPath, execArgv] = wrapWithTaskset(0);
  const path = fileURLToPath(new URL('login-subject.mjs', import.meta.url));
  const child = fork(path, [flow, place, gatewayUrl, redisUrl], { execPath, execArgv });
  const codes = new Map();
  const waiting = [];
  child.on('message', (message) => {
    if ('code' in message) codes.set(message.email, message.code);
    else waiting.shift()?.(message);
  });
  child.on('exit', (code) => {
    if (code !== 0) throw new Error(`${flow} ended with ${code}`);
  });
  const hear = () => new Promise((resolve) => waiting.push(resolve));
  const { port } = await hear();
  return {
    url: `http://127.0.0.1:${port}`,
    codes,
    /** Its processor time, and the calls of its session store so far. */
    usage: () => {
      child.send('usage');
      return hear();
    },
    close: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
