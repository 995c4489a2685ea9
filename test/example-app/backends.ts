import { createClient } from 'redis';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';

/** A server that the example app can keep its state in. */
export interface Backend {
  readonly service: 'redis';
  /** The variable that names it. */
  readonly variable: 'REDIS_URL';
  readonly start: () => Promise<Service>;
  readonly addressOf: (port: number) => string;
  /** How many sessions, users with pending logins, and counters there are. */
  readonly count: (
    port: number,
  ) => Promise<{ sessions: number; waiting: number; counters: number }>;
  /** Lets questions about sessions wait, until what it gives is called. */
  readonly silence: (server: Service) => Promise<() => Promise<void>>;
}

export const redis: Backend = {
  service: 'redis',
  variable: 'REDIS_URL',
  start: () => startRedis(['--appendonly', 'yes']),
  addressOf: (port) => `redis://127.0.0.1:${port}`,
  async count(port) {
    const client = createClient({ url: redis.addressOf(port) });
    await client.connect();
    const keys = await client.keys('*');
    client.destroy();
    const countOf = (beginning: string): number =>
      keys.filter((key) => key.startsWith(beginning)).length;
    return {
      sessions: countOf('harbour:session:'),
      waiting: countOf('{sms-otp}:pending-logins:'),
      counters: countOf('{sms-otp}:counter:'),
    };
  },
  silence(server) {
    server.freeze();
    return Promise.resolve(() => Promise.resolve(server.thaw()));
  },
};
