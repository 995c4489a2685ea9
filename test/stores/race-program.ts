import { sqliteStore } from '../../docs/recipes/sqlite-store';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import type { SmsOtpStore } from '../../src/stores/store';
import { openSqlite } from '../recipes/support/open-sqlite';
import { openPool } from '../services/postgres';
import { makeFinish, makeRecord } from './make-stored';
import { connectIoRedis, connectNodeRedis } from './redis-clients';

/** What one process got out of the race. */
export interface RaceResult {
  readonly claimed: number;
  readonly charged: number;
  readonly swapped: number;
  readonly removed: number;
  readonly finished: number;
  /** How many records the finishes have left. */
  readonly records: number;
  readonly budget: number;
  readonly renewals: number;
  readonly token: string;
}

// Run as a program: `race-program <store> <port or file> <id> <calls>`. It connects, says so, waits
// for the start, and tells its result.
void race().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
  process.disconnect();
});

async function race(): Promise<void> {
  const [, , kind = '', place = '', raced = '', calls = ''] = process.argv;
  const { store, close } = await open(kind, place);
  const started = new Promise((resolve) => process.once('message', resolve));
  process.send?.('ready');
  await started;
  process.send?.(await run(store, raced, Number(calls)));
  await close();
  process.disconnect();
}

async function run(store: SmsOtpStore, raced: string, calls: number): Promise<RaceResult> {
  const atOnce = <Result>(call: (index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
  const { pendingLogins, counters, records, tokens } = store;
  let renewals = 0;
  const renew = (): Promise<{ sealed: string; ttlSeconds: number }> => {
    renewals += 1;
    return Promise.resolve({ sealed: `by ${process.pid}`, ttlSeconds: 60 });
  };
  const counter = { key: raced, windowSeconds: 60, max: 5 };
  const renewed = tokens.renew(raced, 0, renew);
  const claims = await atOnce(() => pendingLogins.claim(raced, { of: 'otp', most: 5 }));
  const charges = await atOnce(() => counters.charge([counter]));
  const of = (kind: string) => ({ kind, owner: 'user', id: raced });
  const next = makeRecord(raced, { tag: `by ${process.pid}` });
  const swapped = await atOnce(() => records.swap(of('swapped'), 'tag', next, 600));
  const removed = await atOnce(() => records.remove(of('removed')));
  const finished = await atOnce((index) => {
    const record = makeRecord(`${process.pid} ${index}`);
    const put = { kind: 'finished', owner: 'user', record, ttlSeconds: 600 };
    return store.finish(raced, makeFinish({ otpId: 'x', leavesMark: true, puts: [put] }));
  });
  const priced = { key: 'budget', windowSeconds: 60, amount: 7, max: 100 };
  const budget = await atOnce(() => counters.charge([priced]));
  const { sealed } = await renewed;
  return {
    claimed: claims.filter(({ outcome }) => outcome === 'claimed').length,
    charged: charges.filter(({ refusedBy }) => refusedBy === null).length,
    swapped: swapped.filter((isMine) => isMine).length,
    removed: removed.filter((isMine) => isMine).length,
    finished: finished.filter(({ isFinished }) => isFinished).length,
    records: (await records.list({ kind: 'finished', owner: 'user' })).length,
    budget: budget.filter(({ refusedBy }) => refusedBy === null).length,
    renewals,
    token: sealed,
  };
}

async function open(
  kind: string,
  place: string,
): Promise<{ store: SmsOtpStore; close: () => Promise<void> | void }> {
  if (kind === 'sqlite') {
    const database = openSqlite(place);
    const store = sqliteStore(database);
    // SQLite lets the processes in by no order: on a busy machine one may wait for long.
    database.exec('PRAGMA busy_timeout = 100000');
    return { store, close: () => database.close() };
  }
  const port = Number(place);
  if (kind === 'postgres') {
    const pool = openPool(port, { max: 3 });
    return { store: postgresStore(pool), close: () => pool.end() };
  }
  const { client, close } = await (kind === 'ioredis'
    ? connectIoRedis(port)
    : connectNodeRedis(port));
  return { store: redisStore(client, { onWarning: () => undefined }), close };
}
