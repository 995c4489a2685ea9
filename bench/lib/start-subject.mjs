import { once } from 'node:events';
import { forkOnCore } from './cores.mjs';

/** An app of the login benchmark on core 0. @param build The checkout it is of; default: this one. */
export async function startSubject(flow, place, gatewayUrl, redisUrl, build = '../..') {
  return listenTo(
    forkOnCore(0, 'login-subject.mjs', flow, place, gatewayUrl, redisUrl ?? '', build),
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
