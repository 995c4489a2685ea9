import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

import { type PostgresPool, postgresStore, type PostgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { openPool } from '../services/postgres';
import { usePostgres, useRedis } from '../services/use-service';
import { everyCall } from './every-call';
import { beginLogin, makeOtp } from './make-stored';
import { until } from './until';

// The rights are those that the page lists, no more and no fewer.

const PAGE = readFileSync(join(__dirname, '../../docs/scaling.md'), 'utf8');

/** The listings under a heading. */
function listingsOf(heading: string): readonly string[] {
  const [, section = ''] = PAGE.split(`\n### ${heading}\n`);
  const [text = ''] = section.split(/^#+ /m);
  return Array.from(text.matchAll(/```\w*\n(.*?)```/gs), ([, listing = '']) => listing);
}

/** Makes every call of a store, one after the other; returns why the first one failed, or null. */
async function problemOf(store: SmsOtpStore): Promise<string | null> {
  const { counters, pendingLogins, records } = store;
  const unlimited = { kind: 'codes', owner: 'user', ttlSeconds: null };
  const record = { id: 'a', tag: 'tag', rank: 1, value: '{}' };
  const more = [
    () => records.put({ ...unlimited, record }),
    () => records.remove({ ...unlimited, id: 'a' }),
    () => beginLogin(pendingLogins, 'b', { otp: makeOtp('x') }, 60),
    () => beginLogin(pendingLogins, 'c', { otp: makeOtp('y') }, 60),
    () => pendingLogins.end('b'),
    () => pendingLogins.endAll('user'),
    () => counters.charge([{ key: 'a', windowSeconds: 60, lock: { every: 1, seconds: [9] } }]),
    () => counters.unlock(['a']),
    () => counters.clear(['a'], { keepsLocked: true }),
  ];
  for (const call of [...everyCall(store), ...more]) {
    const problem = await call().then(
      () => null,
      (error: unknown) => String((error as { problem?: unknown }).problem),
    );
    if (problem !== null) return problem;
  }
  return null;
}

describeWithService('redis')('the rights in Redis', () => {
  const running = useRedis();
  const [listing = ''] = listingsOf('Rights in Redis');
  const [command = '', ...words] = listing.split(/\s+/).filter((word) => word !== '');
  const commands = words.filter((word) => word.startsWith('+'));
  const onlyChecked = ['+info', '+config|get'];
  const needed = commands.filter((word) => ![...onlyChecked, '+ping', '+hello'].includes(word));
  let number = 0;

  /** Makes every call as a user with the rights of the page, but for these. */
  async function problemWithout(
    left: readonly string[],
    onWarning: 'throw' | (() => void) = () => undefined,
  ): Promise<string | null> {
    number += 1;
    const [password, username] = ['password', `app${number}`];
    const rights = words.slice(2).filter((word) => !left.includes(word));
    await running.client.sendCommand([command, 'SETUSER', username, ...rights]);
    const url = `redis://${username}:${password}@127.0.0.1:${running.server.port}`;
    const client = createClient({ url, pingInterval: 1_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      // The server runs what it has cached without asking for it.
      await running.client.sendCommand(['SCRIPT', 'FLUSH']);
      await running.client.sendCommand(['FLUSHALL']);
      return await problemOf(redisStore(client, { onWarning }));
    } finally {
      client.destroy();
    }
  }

  it('are enough for every call, with and without those for the warnings', async () => {
    expect(needed).toHaveLength(20);
    expect(await problemWithout([])).toBeNull();
    expect(await problemWithout(onlyChecked)).toBeNull();
  });

  it('are enough with ioredis', async () => {
    const rights = words.slice(2).filter((word) => !onlyChecked.includes(word));
    await running.client.sendCommand([command, 'SETUSER', 'io', ...rights]);
    const login = { username: 'io', password: 'password' };
    const client = new Redis({ port: running.server.port, host: '127.0.0.1', ...login });
    await running.client.sendCommand(['FLUSHALL']);
    await until(() => client.status === 'ready');
    expect(await problemOf(redisStore(client, { onWarning: () => undefined }))).toBeNull();
    client.disconnect();
  });

  it.each(needed)('are not enough without %s', async (right) => {
    expect(await problemWithout([right])).toBe('NOPERM');
  });

  it.each(onlyChecked)("say so without %s where onWarning is 'throw'", async (right) => {
    const problem = await problemWithout([right], 'throw');
    expect(problem).toContain('allow +info and +config|get');
  });
});

describeWithService('postgres')('the rights in PostgreSQL', () => {
  const [grants = '', migrating = ''] = listingsOf('Rights in PostgreSQL');
  const running = usePostgres(async (pool) => {
    await pool.query(`
      CREATE ROLE app LOGIN; CREATE ROLE migrator LOGIN;
      REVOKE ALL ON SCHEMA public FROM PUBLIC;
      ALTER DEFAULT PRIVILEGES FOR ROLE migrator REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;`);
    await pool.query(migrating);
    const own = openPool(Number((pool as { options?: { port?: number } }).options?.port), {
      user: 'migrator',
    });
    await postgresStore(own).migrate();
    await own.end();
    await pool.query(grants);
  });

  async function asApp<Result>(work: (store: PostgresStore) => Promise<Result>): Promise<Result> {
    const pool = openPool(running.server.port, { user: 'app' });
    try {
      return await work(postgresStore(pool, { random: () => 0 }));
    } finally {
      await pool.end();
    }
  }

  /** Makes every call, and says what has failed of them, or beside them: nobody waits for pruning. */
  async function problemOfApp(): Promise<string | null> {
    const pool = openPool(running.server.port, { user: 'app' });
    const beside: unknown[] = [];
    const query: PostgresPool['query'] = async (text, values) => {
      try {
        return await pool.query(text, values);
      } catch (error) {
        beside.push((error as { code?: unknown }).code);
        throw error;
      }
    };
    const problem = await problemOf(postgresStore({ query }, { random: () => 0 }));
    await pool.end();
    return problem ?? (beside.length > 0 ? String(beside[0]) : null);
  }

  it('are enough for every call, and for migrate() where nothing is missing', async () => {
    expect(await problemOfApp()).toBeNull();
    await asApp((store) => store.migrate());
  });

  it('are not enough to make what is missing', async () => {
    await running.pool.query('DROP INDEX sms_otp_turn_expiry');
    await expect(asApp((store) => store.migrate())).rejects.toMatchObject({ problem: '42501' });
    const own = openPool(running.server.port, { user: 'migrator' });
    await postgresStore(own).migrate();
    await own.end();
    await asApp((store) => store.migrate());
  });

  const granted = Array.from(
    grants.matchAll(/GRANT ([A-Z, ]+) ON ([a-z_, ]+) TO app/g),
    ([, rights = '', tables = '']) =>
      tables.split(', ').flatMap((table) => rights.split(', ').map((right) => [right, table])),
  ).flat();

  describe.each(granted)('without %s on %s', (right = '', table = '') => {
    it('are not enough', async () => {
      await running.pool.query(
        'TRUNCATE sms_otp_turn, sms_otp_record, sms_otp_counter, sms_otp_pending_login',
      );
      await running.pool.query(`REVOKE ${right} ON ${table} FROM app`);
      try {
        expect(await problemOfApp()).toBe('42501');
      } finally {
        await running.pool.query(`GRANT ${right} ON ${table} TO app`);
      }
    });
  });

  it('are not enough without the functions, or the schema', async () => {
    const all = 'ALL FUNCTIONS IN SCHEMA public';
    await running.pool.query(`REVOKE EXECUTE ON ${all} FROM app`);
    expect(await problemOfApp()).toBe('42501');
    await running.pool.query(`GRANT EXECUTE ON ${all} TO app`);
    await running.pool.query('REVOKE USAGE ON SCHEMA public FROM app');
    expect(await problemOfApp()).not.toBeNull();
  });
});
