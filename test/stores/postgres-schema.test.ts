import { beforeEach, describe, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';

import { postgresStore } from 'passport-sms-otp/postgres';
import { schemaParts } from '../../src/stores/postgres/schema';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool } from '../services/postgres';
import { usePostgres } from '../services/use-service';
import { isCompleteRun } from '../support/complete-run';
import { beginLogin, makeFinish, makeRecord, makeOtp } from './make-stored';

/** The table of counters before a lock knew its count, and a counter its generation. */
const OLDER = `
CREATE TABLE sms_otp_counter (
  key text PRIMARY KEY,
  version integer NOT NULL DEFAULT 1,
  count bigint NOT NULL,
  reset_at timestamptz,
  locked_until timestamptz
) WITH (fillfactor = 80);
INSERT INTO sms_otp_counter (key, count, reset_at) VALUES ('a', 3, now() + interval '1 hour');`;

/** Everything that the catalogs say of the schema `public`. */
const CATALOG = `
SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' '
  || a.attnotnull || ' ' || a.attcollation || ' ' || COALESCE(pg_get_expr(d.adbin, d.adrelid), '')
  AS part
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
ORDER BY part`;

const COUNTER = { key: 'a', windowSeconds: 3_600 };
const FORM = 'tables are missing or of another release';

describeWithService('postgres')('the schema in PostgreSQL', () => {
  const running = usePostgres(() => Promise.resolve());

  beforeEach(async () => {
    await running.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  });

  async function catalog(): Promise<readonly string[]> {
    const { rows } = await running.pool.query<{ part: string }>(CATALOG);
    return rows.map(({ part }) => part);
  }

  async function todays(): Promise<readonly string[]> {
    await postgresStore(running.pool).migrate();
    const parts = await catalog();
    await running.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    return parts;
  }

  it('is that of this release after migrate() over the one of an earlier build, and keeps its rows', async () => {
    const expected = await todays();
    await running.pool.query(OLDER);
    const store = postgresStore(running.pool);
    await expect(store.counters.charge([COUNTER])).rejects.toMatchObject({ problem: FORM });
    await store.migrate();
    expect(await catalog()).toEqual(expected);
    expect((await store.counters.charge([COUNTER])).counts).toMatchObject([{ count: 4 }]);
  });

  it('is the same by schemaSql', async () => {
    const expected = await todays();
    await running.pool.query(OLDER);
    const sql = schemaParts('sms_otp').flatMap((part) => part.sql ?? []);
    await running.pool.query(sql.join('\n'));
    expect(await catalog()).toEqual(expected);
  });

  describe.each(schemaParts('sms_otp').filter(({ sql }) => sql !== undefined))(
    'without $name',
    ({ name, sql = '', isIndex = false }) => {
      const drop = (): string => {
        const column = /ADD COLUMN IF NOT EXISTS (\w+)/.exec(sql)?.[1];
        if (column !== undefined) return `ALTER TABLE sms_otp_counter DROP COLUMN ${column}`;
        if (sql.includes('CREATE INDEX')) return `DROP INDEX ${name}`;
        return sql.includes('CREATE TABLE') ? `DROP TABLE ${name}` : `DROP FUNCTION ${name}`;
      };

      it('the first call says so, and migrate() makes it', async () => {
        const expected = await todays();
        await postgresStore(running.pool).migrate();
        await running.pool.query(drop());
        const store = postgresStore(running.pool);
        const outcome = await store.counters.charge([COUNTER]).catch((error: unknown) => error);
        // An index only makes calls fast.
        const expectedOutcome = isIndex ? { refusedBy: null } : { problem: FORM, hasRefused: true };
        expect(outcome).toMatchObject(expectedOutcome);
        await store.migrate();
        // A column that comes back is the last one.
        expect([...(await catalog())].sort()).toEqual([...expected].sort());
        await store.counters.charge([COUNTER]);
      });
    },
  );

  it.each([
    'CREATE TABLE sms_otp_record (id text PRIMARY KEY)',
    'CREATE TABLE sms_otp_counter (key text PRIMARY KEY, version integer, count integer)',
    'CREATE VIEW sms_otp_turn AS SELECT 1 AS kind',
  ])('of another app is refused by migrate() and by the first call: %s', async (foreign) => {
    await running.pool.query(foreign);
    const store = postgresStore(running.pool);
    await expect(store.migrate()).rejects.toThrow('The store failed (migrate');
    await expect(store.counters.charge([COUNTER])).rejects.toMatchObject({ problem: FORM });
  });

  it('is asked for once, and not while it is right', async () => {
    const texts: string[] = [];
    const { pool } = running;
    const query: Pool['query'] = (...given: unknown[]) => {
      texts.push(String(given[0]));
      return Reflect.apply(pool.query.bind(pool), pool, given) as never;
    };
    const store = postgresStore({ query });
    await store.migrate();
    texts.length = 0;
    await Promise.all([store.counters.charge([COUNTER]), store.counters.unlock(['a'])]);
    await store.counters.charge([COUNTER]);
    expect(texts.filter((text) => text.includes('pg_attribute'))).toHaveLength(1);
  });

  it('takes no lock where there is nothing to do', async () => {
    const store = postgresStore(running.pool);
    await store.migrate();
    const locker = new Client(connectionOf(running.server.port));
    await locker.connect();
    await locker.query('BEGIN');
    const tables = ['pending_login', 'counter', 'token', 'record', 'turn'];
    const names = tables.map((table) => `sms_otp_${table}`).join();
    await locker.query(`LOCK ${names} IN ACCESS EXCLUSIVE MODE`);
    const startedAt = performance.now();
    await store.migrate();
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await locker.end();
  });

  it('is migrated 50 times beside 300 logins without a deadlock', async () => {
    const pool = openPool(running.server.port, { max: 20 });
    const store = postgresStore(pool, { random: () => 1 });
    await store.migrate();
    const logins = isCompleteRun ? 300 : 60;
    const rounds = isCompleteRun ? 10 : 3;

    async function logIn(number: number): Promise<boolean> {
      const [pendingId, userId] = [`login ${number}`, `user ${number % 20}`];
      const charge = [
        { key: 'total', windowSeconds: 60 },
        { key: userId, windowSeconds: 60 },
      ];
      await store.counters.charge(charge);
      await beginLogin(store.pendingLogins, pendingId, { userId });
      await store.pendingLogins.attach(pendingId, makeOtp('x'));
      await store.pendingLogins.claim(pendingId, { of: 'otp', most: 5 });
      const record = makeRecord(pendingId);
      const put = { kind: 'login', owner: userId, record, ttlSeconds: 60, most: 5 };
      const finished = await store.finish(pendingId, makeFinish({ puts: [put], clears: [userId] }));
      return finished.isFinished;
    }

    /** Five processes at once, every other time with something to do. */
    async function migrateAgain(): Promise<void> {
      for (let round = 0; round < rounds; round += 1) {
        if (round % 2 === 0) await pool.query('DROP INDEX sms_otp_turn_expiry');
        await Promise.all(Array.from({ length: 5 }, () => postgresStore(pool).migrate()));
      }
    }

    async function logInAll(): Promise<boolean[]> {
      const done: boolean[] = [];
      const waiting = Array.from({ length: logins }, (_, number) => number);
      const work = async (): Promise<void> => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
          done.push(await logIn(next));
      };
      await Promise.all(Array.from({ length: 10 }, work));
      return done;
    }

    const [done] = await Promise.all([logInAll(), migrateAgain()]);
    expect(done).toEqual(Array.from({ length: logins }, () => true));
    const { rows } = await pool.query<{ deadlocks: string }>(
      'SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: '0' }]);
    await pool.end();
  });
});
