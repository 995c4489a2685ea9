import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { expect, it } from '@jest/globals';

import { sqliteStore } from '../../docs/recipes/sqlite-store';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { openSqlite } from '../recipes/support/open-sqlite';
import { describeWithSqlite, useSqliteFiles } from '../recipes/support/sqlite';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import { isCompleteRun } from '../support/complete-run';
import { beginLogin, makeRecord, makeOtp } from './make-stored';
import type { RaceResult } from './race-program';
import { connectNodeRedis } from './redis-clients';

/** Four in the gate, eight in the complete run, with as many calls in all. */
const PROCESSES = isCompleteRun ? 8 : 4;
const CALLS = 200;
const RACED = 'raced';

describeWithService('redis')(`${PROCESSES} processes at once, half with each library,`, () => {
  it('get 5 of 200 claims through Redis, and one of them swaps, removes, and finishes', async () => {
    const server = await startRedis();
    const { client, close } = await connectNodeRedis(server.port);
    await prepare(redisStore(client, { onWarning: () => undefined }));
    expect(sumUp(await race(['node-redis', 'ioredis'], server.port))).toEqual(oneWinner);
    await close();
    await server.close();
  });
});

describeWithService('postgres')(`${PROCESSES} processes at once`, () => {
  it('get 5 of 200 claims through PostgreSQL, and one of them swaps, removes, and finishes', async () => {
    const server = await startPostgres();
    const pool = openPool(server.port);
    const store = postgresStore(pool);
    await store.migrate();
    await prepare(store);
    expect(sumUp(await race(['postgres'], server.port))).toEqual(oneWinner);
    await pool.end();
    await server.close();
  });
});

describeWithSqlite()(`${PROCESSES} processes at once on one file`, () => {
  const newPath = useSqliteFiles();

  it('get 5 of 200 claims through SQLite, and one of them swaps, removes, and finishes', async () => {
    const path = newPath();
    const database = openSqlite(path);
    await prepare(sqliteStore(database));
    expect(sumUp(await race(['sqlite'], path))).toEqual(oneWinner);
    database.close();
  });
});

/**
 * Of all processes together: 200 claims, 200 charges of a counter that holds 5, 200 times one swap,
 * 200 removals of one record, 200 finishes of one pending login that puts a record each, 200
 * charges of 7 to a budget of 100, one renewal by each.
 */
const oneWinner = {
  claimed: 5,
  charged: 5,
  swapped: 1,
  removed: 1,
  finished: 1,
  records: 1,
  budget: 14,
  renewals: 1,
  tokens: 1,
};

/** What the processes race for. */
async function prepare({ pendingLogins, records }: SmsOtpStore): Promise<void> {
  await beginLogin(pendingLogins, RACED, { otp: makeOtp('x') });
  for (const kind of ['swapped', 'removed'])
    await records.put({ kind, owner: 'user', record: makeRecord(RACED), ttlSeconds: 600 });
}

function sumUp(results: readonly RaceResult[]): typeof oneWinner {
  const sum = (member: Exclude<keyof RaceResult, 'token'>): number =>
    results.reduce((total, result) => total + result[member], 0);
  return {
    claimed: sum('claimed'),
    charged: sum('charged'),
    swapped: sum('swapped'),
    removed: sum('removed'),
    finished: sum('finished'),
    records: Math.max(...results.map(({ records }) => records)),
    budget: sum('budget'),
    renewals: sum('renewals'),
    tokens: new Set(results.map(({ token }) => token)).size,
  };
}

/** Lets the processes loose at the same moment. */
async function race(kinds: readonly string[], place: number | string): Promise<RaceResult[]> {
  const children = Array.from({ length: PROCESSES }, (_, index) =>
    launch(String(kinds[index % kinds.length]), place),
  );
  await Promise.all(children.map((child) => nextMessage(child)));
  const results = children.map((child) => nextMessage(child) as Promise<RaceResult>);
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.send('start');
  const told = await Promise.all(results);
  await Promise.all(ended);
  return told;
}

/** Rejects when the process ends without a word. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const heard = new AbortController();
  const ended = once(child, 'exit', { signal: heard.signal }).then(() => {
    throw new Error('a process of the race gave up');
  });
  const message = once(child, 'message', { signal: heard.signal });
  const [first] = (await Promise.race([message, ended]).finally(() => heard.abort())) as [unknown];
  ended.catch(() => undefined);
  return first;
}

function launch(kind: string, place: number | string): ChildProcess {
  const args = [kind, String(place), RACED, String(CALLS / PROCESSES)];
  return fork(require.resolve('./race-program'), args, {
    execArgv: ['--require', require.resolve('tsx/cjs')],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
