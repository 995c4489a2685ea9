import { randomUUID } from 'node:crypto';
import { open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { sqliteStore } from '../../docs/recipes/sqlite-store';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { openSqlite } from '../recipes/support/open-sqlite';
import { openPool } from '../services/postgres';
import { type CallLog, type LoggedCall, logStore } from './log-store';
import { connectIoRedis, connectNodeRedis } from './redis-clients';

/** The stores that race, by name. `place`: a port or a file. */
export const RACED: Readonly<
  Record<string, (place: string, process: number) => SmsOtpStore | Promise<SmsOtpStore>>
> = {
  /** Half of the processes with each library. */
  redis: async (place, process) => {
    const connect = process % 2 === 0 ? connectNodeRedis : connectIoRedis;
    const { client } = await connect(Number(place));
    return redisStore(client, { onWarning: () => undefined });
  },
  postgres: (place) => postgresStore(openPool(Number(place), { max: 3 })),
  sqlite: (place) => {
    const database = openSqlite(place);
    const store = sqliteStore(database);
    // SQLite lets the processes in by no order: on a busy machine one may wait for long.
    database.exec('PRAGMA busy_timeout = 100000');
    return store;
  },
  'locked file': (place) => logStore(fileLog(place), Date.now, () => true),
  'file without a lock': (place) => logStore(fileLog(place), Date.now, () => false),
};

/** A log in a file, which is never seen half written. */
function fileLog(path: string): CallLog {
  const lockPath = `${path}.lock`;

  async function take(): Promise<void> {
    for (;;) {
      const file = await open(lockPath, 'wx').catch(() => null);
      if (file !== null) return file.close();
      await wait(1);
    }
  }

  return {
    async read() {
      const text = await readFile(path, 'utf8').catch(() => '[]');
      // What this module has written.
      return JSON.parse(text) as LoggedCall[];
    },
    async write(calls) {
      const next = `${path}.${randomUUID()}`;
      await writeFile(next, JSON.stringify(calls));
      await rename(next, path);
    },
    async lock(work) {
      await take();
      try {
        return await work();
      } finally {
        await unlink(lockPath);
      }
    },
  };
}
