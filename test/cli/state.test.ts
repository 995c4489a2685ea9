import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createClient } from 'redis';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from 'passport-sms-otp';
import { OTHER_BROWSERS } from '../../src/limits/buckets';
import type { Counter } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';
import { limitTable } from '../support/limit-table';
import { until } from '../stores/until';
import { openAccount } from './support/account';
import { runDoctor, resultOf } from './support/doctor';
import { jsonOf, runCli } from './support/terminal';

/** What a store is opened and closed with; `own` is what the command gets. */
interface Opened {
  readonly store: SmsOtpStore;
  readonly env: Record<string, string>;
  close(): Promise<void>;
}

async function openRedisStore({ port }: Service, prefix?: string): Promise<Opened> {
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url });
  client.on('error', () => undefined);
  await client.connect();
  const store = redisStore(client, {
    onWarning: () => undefined,
    ...(prefix !== undefined && { prefix }),
  });
  return { store, env: { REDIS_URL: url }, close: () => Promise.resolve(client.destroy()) };
}

async function openPostgresStore({ port }: Service, prefix?: string): Promise<Opened> {
  const pool = openPool(port);
  const store = postgresStore(pool, prefix === undefined ? {} : { prefix });
  await store.migrate();
  const env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres` };
  return { store, env, close: () => pool.end() };
}

const PLACES = [
  ['redis', 'Redis', startRedis, openRedisStore],
  ['postgres', 'PostgreSQL', startPostgres, openPostgresStore],
] as const;

function guessCounters(user: string): readonly Counter[] {
  const limits = limitTable({}, { hasKnownBrowsers: false });
  const about = { user, bucket: OTHER_BROWSERS, method: 'sms' };
  return limits.rowsOf('guess', about).map(({ counter }) => counter);
}

/** So many wrong codes. */
async function failTimes({ counters }: SmsOtpStore, user: string, times: number): Promise<void> {
  const counted = guessCounters(user);
  for (let time = 0; time < times; time += 1) {
    await counters.charge(counted);
    // As if the lock were over.
    if (time < times - 1) await counters.unlock([counted[1]?.key ?? '']);
  }
}

async function failuresOf({ counters }: SmsOtpStore, user: string): Promise<[number, boolean]> {
  const counted = guessCounters(user);
  const { counts } = await counters.charge(
    counted.map((counter) => ({ ...counter, isOnlyRead: true })),
  );
  return [counts[0]?.count ?? 0, (counts[1]?.lockedSeconds ?? 0) > 0];
}

/** The second since 1970 up to which all browsers of the user are unknown; 0: none was given. */
async function cutOffOf({ counters }: SmsOtpStore, user: string): Promise<number> {
  const key = `browsers:cut-off:${user}`;
  const { counts } = await counters.charge([{ key, windowSeconds: 86_400, isOnlyRead: true }]);
  return counts[0]?.count ?? NaN;
}

for (const [service, place, start, open] of PLACES) {
  describeWithService(service)(`the state in ${place}`, () => {
    let server: Service;
    let opened: Opened;

    beforeAll(async () => {
      server = await start();
      opened = await open(server);
    });

    afterAll(async () => {
      await opened.close();
      await server.close();
    });

    it('unlock lifts the lock and keeps the failures', async () => {
      await failTimes(opened.store, 'alice', 10);
      expect(await failuresOf(opened.store, 'alice')).toEqual([10, true]);
      const ended = await runCli(['unlock', 'alice'], opened);
      expect(ended).toEqual({
        code: 0,
        stdout: `unlocked  alice  was: 10 failures, locked for 30 more minutes, in ${place}\n`,
        stderr:
          'Failures that stay counted: 10. If they have disabled codes, verify the number again, then add --enable.\n',
      });
      expect(await failuresOf(opened.store, 'alice')).toEqual([10, false]);
    });

    it('unlock ends with 1 where there is nothing to lift, as it is when it has been lifted', async () => {
      await failTimes(opened.store, 'grace', 10);
      expect((await runCli(['unlock', 'grace'], opened)).code).toBe(0);
      const again = await runCli(['unlock', 'grace'], opened);
      expect([again.code, again.stdout]).toEqual([1, '']);
      expect(again.stderr).toMatch(
        /There is nothing to lift: no lock, and no message counted\.\s+Failures that stay counted: 10\./,
      );
      expect(await runCli(['unlock', 'grace', '--json'], opened)).toMatchObject({ code: 1 });
      expect(await failuresOf(opened.store, 'grace')).toEqual([10, false]);
    });

    it('unlock --enable forgets the failures and browsers of one user, and lifts all else', async () => {
      const key = 'sends:all:others:bob';
      await failTimes(opened.store, 'bob', 50);
      await failTimes(opened.store, 'carol', 3);
      await opened.store.counters.charge([{ key, windowSeconds: 86_400, amount: 4 }]);
      expect((await runCli(['unlock', 'bob'], opened)).code).toBe(0);
      expect(await failuresOf(opened.store, 'bob')).toEqual([50, false]);
      expect(await cutOffOf(opened.store, 'bob')).toBe(0);
      await opened.store.counters.charge([{ key, windowSeconds: 86_400, amount: 4 }]);
      const ended = await runCli(['unlock', 'bob', '--enable', '--json'], opened);
      expect(jsonOf(ended)).toEqual({
        ...{ user: 'bob', place, failures: 50, lockedSeconds: 0, sends: 4 },
        ...{ unlocked: false, enabled: true },
      });
      expect(await failuresOf(opened.store, 'bob')).toEqual([0, false]);
      expect(await failuresOf(opened.store, 'carol')).toEqual([3, false]);
      expect(await cutOffOf(opened.store, 'bob')).toBeGreaterThan(0);
      expect(await cutOffOf(opened.store, 'carol')).toBe(0);
    });

    it('says when there was nothing to do', async () => {
      const key = `sends:day:user:others:erin`;
      for (const [options, note] of [
        [[], 'There was no lock. The limits on messages are lifted.'],
        [['--enable'], 'There were no failures.'],
      ] as const) {
        await opened.store.counters.charge([{ key, windowSeconds: 86_400 }]);
        const ended = await runCli(['unlock', 'erin', ...options], opened);
        expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
      }
      const { counts } = await opened.store.counters.charge([
        { key, windowSeconds: 86_400, isOnlyRead: true },
      ]);
      expect(counts[0]?.count).toBe(0);
    });

    it('unlock says how many texts are no longer counted', async () => {
      const key = 'sends:all:others:frank';
      await opened.store.counters.charge([{ key, windowSeconds: 86_400, amount: 4 }]);
      const ended = await runCli(['unlock', 'frank', '--json'], opened);
      expect(jsonOf(ended)).toEqual({
        ...{ user: 'frank', place, failures: 0, lockedSeconds: 0, sends: 4 },
        ...{ unlocked: false, enabled: false },
      });
      await opened.store.counters.charge([{ key, windowSeconds: 86_400 }]);
      const again = await runCli(['unlock', 'frank'], opened);
      expect(again.stdout).toBe(
        `unlocked  frank  was: 0 failures, no lock, 1 message counted, in ${place}\n`,
      );
    });

    it('ends with 1 for a user of whom nothing is counted: the id or the prefix is wrong', async () => {
      for (const options of [[], ['--enable']]) {
        const ended = await runCli(['unlock', 'nobody', ...options], opened);
        expect([ended.code, ended.stdout]).toEqual([1, '']);
        expect(ended.stderr).toMatch(
          /Nothing is counted for this user\.\s+Check the id and the prefix\./,
        );
      }
    });

    it('under a prefix of its own is reached by --prefix', async () => {
      const other = await open(server, 'other');
      await failTimes(other.store, 'alice', 10);
      expect((await runCli(['unlock', 'alice', '--prefix', 'other'], opened)).code).toBe(0);
      expect(await failuresOf(other.store, 'alice')).toEqual([10, false]);
      await other.close();
      expect(await runCli(['unlock', 'alice', '--prefix', '{x}'], opened)).toMatchObject({
        ...{ code: 2, stderr: expect.stringContaining('prefix must be') },
      });
    });

    it('is looked at by doctor, with what is wrong and what to do', async () => {
      const { env } = await openAccount();
      const { results } = await runDoctor({ env: { ...env, ...opened.env } });
      const good = service === 'redis' ? /keeps nothing on disk/ : /the store works/;
      const { status, detail } = resultOf(results, service);
      expect([status, detail]).toEqual([
        service === 'redis' ? 'warn' : 'pass',
        expect.stringMatching(good),
      ]);
    });
  });
}

describe('a store that cannot be used', () => {
  it.each([
    [
      'unlock',
      { REDIS_URL: 'redis://user:hunter2@127.0.0.1:1' },
      'Redis cannot be used (ECONNREFUSED)',
    ],
    [
      'unlock',
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
      'PostgreSQL cannot be used (ECONNREFUSED)',
    ],
    ['unlock', { REDIS_URL: 'hunter2' }, 'REDIS_URL is not an address of Redis.'],
    ['unlock', { REDIS_URL: 'http://hunter2' }, 'REDIS_URL is not an address of Redis.'],
    [
      'unlock',
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:99999/x' },
      'DATABASE_URL is not an address of PostgreSQL.',
    ],
  ])('%s with %j ends with 1, and the address is not shown', async (name, env, words) => {
    const { code, stdout, stderr } = await runCli([name, 'alice'], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(stdout + stderr).not.toContain('hunter2');
  });
});

describeWithService('redis')('a Redis that refuses the password', () => {
  it('is told; frozen, it is given up, and doctor says what to do', async () => {
    const server = await startRedis();
    try {
      const { env } = await openAccount();
      const run = {
        env: { ...env, REDIS_URL: `redis://stranger:wrong-one@127.0.0.1:${server.port}` },
      };
      const refused = await runDoctor(run);
      expect(resultOf(refused.results, 'redis')).toMatchObject({
        ...{ status: 'fail', detail: 'Redis cannot be used (WRONGPASS).' },
        advice: 'Check user name and password in REDIS_URL.',
      });
      server.freeze();
      const frozen = await runDoctor(run);
      expect(resultOf(frozen.results, 'redis')).toMatchObject({
        ...{ status: 'fail', detail: 'Redis cannot be used (no answer in time).' },
      });
      expect(refused.output + frozen.output).not.toMatch(/hunter2|wrong-one/);
    } finally {
      await server.close();
    }
  });
});

describeWithService('redis')('a Redis whose user lacks a right', () => {
  it('fails in doctor, with what it said', async () => {
    const rights = ['on', '>x', '~*', '+hello', '+client', '+eval', '+evalsha', '+info'];
    const server = await startRedis(['--user', 'app', ...rights]);
    try {
      const { env } = await openAccount();
      const REDIS_URL = `redis://app:x@127.0.0.1:${server.port}`;
      const { results } = await runDoctor({ env: { ...env, REDIS_URL } });
      expect(resultOf(results, 'redis')).toMatchObject({
        ...{ status: 'fail', detail: 'The store failed (charge): NOPERM' },
        advice: expect.stringContaining('rights'),
      });
    } finally {
      await server.close();
    }
  });
});

describeWithService('postgres')('a database without the tables', () => {
  it('fails in doctor, with the way to make them', async () => {
    const server = await startPostgres();
    try {
      const { env } = await openAccount();
      const DATABASE_URL = `postgres://postgres@127.0.0.1:${server.port}/postgres`;
      const { code, results } = await runDoctor({ env: { ...env, DATABASE_URL } });
      expect(resultOf(results, 'postgres')).toMatchObject({
        ...{
          status: 'fail',
          detail: 'The store failed (charge: tables are missing or of another release)',
          advice: expect.stringContaining('store.migrate() or docs/postgres.sql'),
        },
      });
      expect(code).toBe(1);
    } finally {
      await server.close();
    }
  });
});

/** Answers like PgBouncer to a parameter that it does not know, and passes all others on. */
function startPooler({ port }: Service): Promise<Server> {
  const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  const refusal = Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]);
  const pooler = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', (startup) => {
      if (startup.includes('statement_timeout')) return client.end(refusal);
      const server = connect(port, '127.0.0.1').on('error', () => undefined);
      server.write(startup);
      return client.pipe(server).pipe(client);
    });
  });
  return new Promise((resolve) => {
    pooler.listen(0, '127.0.0.1', () => resolve(pooler));
  });
}

describeWithService('postgres')('the limit on a statement of the command', () => {
  let server: Service;
  let opened: Opened;
  beforeAll(async () => {
    server = await startPostgres();
    opened = await openPostgresStore(server);
  });
  afterAll(async () => {
    await opened.close();
    await server.close();
  });

  it('ends at the server what waits for a lock', async () => {
    const [admin, locker] = [openPool(server.port), new Client(connectionOf(server.port))];
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('LOCK sms_otp_counter IN ACCESS EXCLUSIVE MODE');
    const { code } = await runCli(['unlock', 'alice'], opened);
    expect(code).toBe(1);
    const waiting = `SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    await until(async () => (await admin.query(waiting)).rows.length === 0, 10_000);
    await locker.end();
    await admin.end();
  });

  it('is left to the role behind a pooler that refuses the parameter', async () => {
    await failTimes(opened.store, 'henry', 10);
    const pooler = await startPooler(server);
    const { port } = pooler.address() as AddressInfo; // a TCP server's address is never a string
    const env = { DATABASE_URL: `postgres://postgres@127.0.0.1:${port}/postgres` };
    expect(await runCli(['unlock', 'henry'], { env })).toMatchObject({ code: 0 });
    expect(await failuresOf(opened.store, 'henry')).toEqual([10, false]);
    pooler.close();
  });
});
