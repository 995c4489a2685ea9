import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { startRedis } from '../../bench/lib/start-redis.mjs';

const GATEWAY = join(import.meta.dirname, '../../bench/lib/gateway.mjs');
const APP = join(import.meta.dirname, 'login-app.mjs');

/**
 * Counts what one login with Redis opens and runs, in the built `dist` of a checkout. The gateway is
 * in a process of its own, and so is the app. Tokens are those of the compiled JavaScript.
 */
export async function countLogin(checkout) {
  const redis = await startRedis();
  const gateway = fork(GATEWAY);
  try {
    const [port] = await once(gateway, 'message');
    const app = fork(APP, [resolve(checkout), `http://127.0.0.1:${port}`, redis.url]);
    const [figures] = await Promise.race([once(app, 'message'), failure(app)]);
    return figures;
  } finally {
    gateway.disconnect();
    await redis.close();
  }
}

async function failure(child) {
  const [code] = await once(child, 'exit');
  throw new Error(`the login ended with ${code}; is the checkout built?`);
}
