import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createClient, type RedisClientType } from 'redis';

import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool } from '../services/postgres';
import { startRedis } from '../services/redis';
import { usePostgres, useServer } from '../services/use-service';
import { redisLibraries } from './redis-clients';
import { until } from './until';
import { makeBegin, makePendingLogin } from './make-stored';

// What people meet: each is named in the message, in the cause and in `store-failing`.

const CHARGE = [{ key: 'a', windowSeconds: 60 }];

/** What a charge is refused with. */
async function refusalOf({ counters }: SmsOtpStore): Promise<unknown> {
  return counters.charge(CHARGE).then(
    () => 'charged',
    (error: unknown) => error,
  );
}

function failedWith(code: string): unknown {
  return expect.objectContaining({
    ...{ code: 'ERR_STORE', status: 503, problem: code },
    ...{ message: `The store failed (charge): ${code}`, cause: { name: expect.any(String), code } },
  });
}

describeWithService('redis')('a store error says what Redis said', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function start(settings: readonly string[] = []): Promise<number> {
    const server = await startRedis(settings);
    closing.push(() => server.close());
    return server.port;
  }

  /** Connects as this user. A server that refuses the login may be connected to all the same. */
  async function connect(port: number, user: object = {}): Promise<RedisClientType> {
    const client: RedisClientType = createClient({ url: `redis://127.0.0.1:${port}`, ...user });
    client.on('error', () => undefined);
    await client.connect();
    closing.push(() => client.destroy());
    return client;
  }

  const storeOf = (client: RedisClientType): SmsOtpStore =>
    redisStore(client, { onWarning: () => undefined });

  it.each(redisLibraries)('READONLY and OOM, with %s', async (_library, open) => {
    const { client, command, close } = await open(await start());
    closing.push(close);
    const store = redisStore(client, { onWarning: () => undefined });
    await command('REPLICAOF', '127.0.0.1', '1');
    expect(await refusalOf(store)).toEqual(failedWith('READONLY'));
    await command('REPLICAOF', 'NO', 'ONE');
    await command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await refusalOf(store)).toEqual(failedWith('OOM'));
  });

  it('NOPERM, also for a command inside of a script', async () => {
    const port = await start();
    const admin = await connect(port);
    const user = { username: 'app', password: 'x' };
    const rights = ['on', '>x', '~*', '+hello', '+client', '+evalsha', '+eval'];
    await admin.sendCommand(['ACL', 'SETUSER', 'app', ...rights]);
    expect(await refusalOf(storeOf(await connect(port, user)))).toEqual(failedWith('NOPERM'));
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '-eval', '-evalsha']);
    expect(await refusalOf(storeOf(await connect(port, user)))).toEqual(failedWith('NOPERM'));
  });

  it('NOAUTH', async () => {
    const port = await start();
    const client = await connect(port);
    await client.sendCommand(['CONFIG', 'SET', 'requirepass', 'x']);
    // A client that is connected stays logged in, until something resets the connection.
    expect(await refusalOf(storeOf(client))).toBe('charged');
    await client.sendCommand(['RESET']);
    expect(await refusalOf(storeOf(client))).toEqual(failedWith('NOAUTH'));
  });

  it('MISCONF', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sms-otp-misconf-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    // A folder is where the file should be.
    mkdirSync(join(folder, 'dump.rdb', 'x'), { recursive: true });
    const client = await connect(await start(['--enable-protected-configs', 'yes']));
    await client.sendCommand(['CONFIG', 'SET', 'dir', folder]);
    await client.sendCommand(['CONFIG', 'SET', 'save', '3600 1']);
    await client.sendCommand(['SET', 'a', 'b']);
    await client.sendCommand(['BGSAVE']);
    await until(async () => (await client.info('persistence')).includes('bgsave_status:err'));
    expect(await refusalOf(storeOf(client))).toEqual(failedWith('MISCONF'));
  });

  it('CLUSTERDOWN', async () => {
    const client = await connect(await start(['--cluster-enabled', 'yes']));
    expect(await refusalOf(storeOf(client))).toEqual(failedWith('CLUSTERDOWN'));
  });

  it('our own words for a record of an earlier release, and for one that is none', async () => {
    const client = await connect(await start());
    const store = storeOf(client);
    await client.set('{sms-otp}:counter:a', '1:5:9999999999999:0:0:1');
    const version = { message: 'The store failed (charge: record of an unknown version)' };
    expect(await refusalOf(store)).toMatchObject(version);
    await client.set('{sms-otp}:counter:a', 'canary');
    const malformed = { message: 'The store failed (charge: malformed record)' };
    expect(await refusalOf(store)).toMatchObject(malformed);
  });
});

describeWithService('postgres')('a store error says what PostgreSQL said', () => {
  const running = usePostgres((pool) => postgresStore(pool).migrate());
  const pools: Pool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });

  function open(config: ConstructorParameters<typeof Pool>[0]): Pool {
    const pool = openPool(running.server.port, config);
    pools.push(pool);
    return pool;
  }

  it('our own words for missing tables, and 42P01 for one that goes later', async () => {
    const store = postgresStore(running.pool, { prefix: 'missing' });
    const problem = 'tables are missing or of another release';
    expect(await refusalOf(store)).toMatchObject({ problem });
    await store.migrate();
    expect(await refusalOf(store)).toBe('charged');
    await running.pool.query('DROP TABLE missing_counter');
    expect(await refusalOf(store)).toEqual(failedWith('42P01'));
  });

  it('42501: a right is missing', async () => {
    await running.pool.query('CREATE ROLE poor LOGIN');
    expect(await refusalOf(postgresStore(open({ user: 'poor' })))).toEqual(failedWith('42501'));
  });

  it('53300: too many connections', async () => {
    await running.pool.query('CREATE ROLE crowded LOGIN CONNECTION LIMIT 0');
    const store = postgresStore(open({ user: 'crowded' }));
    expect(await refusalOf(store)).toEqual(failedWith('53300'));
  });

  it('57014: the statement took too long', async () => {
    const client = await running.pool.connect();
    await client.query('BEGIN');
    await client.query('LOCK sms_otp_counter IN ACCESS EXCLUSIVE MODE');
    const store = postgresStore(open({ statement_timeout: 200 }));
    expect(await refusalOf(store)).toEqual(failedWith('57014'));
    await client.query('ROLLBACK');
    client.release();
  });

  it('25006: the server is a standby', async () => {
    const store = postgresStore(open({ options: '-c default_transaction_read_only=on' }));
    expect(await refusalOf(store)).toEqual(failedWith('25006'));
  });

  it('our own words for a counter of another version, at a charge and at a success', async () => {
    const store = postgresStore(running.pool);
    await store.counters.charge(CHARGE);
    await running.pool.query('UPDATE sms_otp_counter SET version = 2');
    const problem = 'record of an unknown version';
    expect(await refusalOf(store)).toMatchObject({ problem });
    await store.pendingLogins.begin(makePendingLogin('a'), makeBegin());
    const change = { leavesMark: false, clears: [], charges: CHARGE, puts: [] };
    await expect(store.finish('a', change)).rejects.toMatchObject({
      ...{ problem, message: `The store failed (finish: ${problem})` },
    });
    await running.pool.query('UPDATE sms_otp_counter SET version = 1, count = -1');
    expect(await refusalOf(store)).toMatchObject({ problem: 'malformed record' });
  });
});

describeWithService('postgres')('a store error says why there is no connection', () => {
  const server = useServer(() => startRedis());

  it('ECONNREFUSED', async () => {
    const { port } = server;
    await server.crash();
    const pool = new Pool(connectionOf(port));
    expect(await refusalOf(postgresStore(pool))).toEqual(failedWith('ECONNREFUSED'));
    await pool.end();
  });
});

it('a memory store that is full says so', async () => {
  const store = memoryStore({ maxEntries: 1 });
  const charges = Array.from({ length: 11 }, (_, index) =>
    store.counters.charge([{ key: `${index}`, windowSeconds: 60 }]),
  );
  const [full] = (await Promise.allSettled(charges)).slice(-1);
  expect(full).toMatchObject({ reason: { problem: 'it is full' } });
});
