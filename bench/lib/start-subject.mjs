import { once } from 'node:events';
import { join } from 'node:path';
import { forkOnCore } from './cores.mjs';

/**
 * An app of the login benchmark on core 0. @param folder Where it lies, of this checkout or another
 * one.
 */
export async function startSubject(
  flow,
  place,
  gatewayUrl,
  redisUrl,
  folder = import.meta.dirname,
) {
  return listenTo(
    forkOnCore(0, join(folder, 'login-subject.mjs'), flow, place, gatewayUrl, redisUrl ?? ''),
  );
}

/** An app in a process of its own, once it listens. */
export async function listenTo(child) {
  const codes = new Map();
  const waiting = [];
  child.on('message', (message) => {
    if ('code' in message) codes.set(message.email, message.code);
    else waiting.shift()?.(message);
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
