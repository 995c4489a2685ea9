import { on } from 'node:events';
import { createRequire } from 'node:module';
import type { SmsOtpStore, StoredRecord } from 'passport-sms-otp';

// Run as a program by `storeRace`: `race-program <module> <number> <id> <calls>`. It makes its store,
// says so, and does what the parent process tells it, until that one disconnects.

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

/** What the module of a race exports. */
interface RacedModule {
  readonly makeStore: (process: number) => SmsOtpStore | Promise<SmsOtpStore>;
}

process.once('disconnect', () => process.exit());
void follow().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

async function follow(): Promise<void> {
  const [, , modulePath = '', number = '', raced = '', calls = ''] = process.argv;
  // It loads modules of both kinds.
  const { makeStore } = createRequire(__filename)(modulePath) as RacedModule;
  const store = await makeStore(Number(number));

  const orders = on(process, 'message');
  process.send?.('ready');
  for await (const [order] of orders as AsyncIterable<[string]>) {
    const answer =
      order === 'prepare' ? await prepare(store, raced) : await race(store, raced, Number(calls));
    process.send?.(answer);
  }
}

/** Makes what the processes race for. */
async function prepare({ pendingLogins, records }: SmsOtpStore, raced: string): Promise<string> {
  const placed = { userId: raced, place: 'login others', side: 'others', block: 'block' };
  const bounds = { ttlSeconds: 600, most: 20, protectedSeconds: 60, joinSeconds: 0 };
  await pendingLogins.begin({ pendingId: raced, ...placed, value: '{}' }, bounds);
  await pendingLogins.attach(raced, { otpId: 'x', value: '{}' });
  for (const kind of ['swapped', 'removed'])
    await records.put({ kind, owner: raced, record: toRecord(raced, 'first'), ttlSeconds: 600 });
  return 'prepared';
}

async function race(store: SmsOtpStore, raced: string, calls: number): Promise<RaceResult> {
  const atOnce = <Result>(call: (index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: calls }, (_, index) => call(index)));
  const { pendingLogins, counters, records, tokens } = store;
  const me = `by ${process.pid}`;

  let renewals = 0;
  const renewed = tokens.renew(raced, 0, () => {
    renewals += 1;
    return Promise.resolve({ sealed: me, ttlSeconds: 60 });
  });

  const claims = await atOnce(() => pendingLogins.claim(raced, { of: 'otp', most: 5 }));
  const counter = { key: `${raced}:counter`, windowSeconds: 60, max: 5 };
  const charges = await atOnce(() => counters.charge([counter]));

  const of = (kind: string) => ({ kind, owner: raced, id: raced });
  const swapped = await atOnce(() =>
    records.swap(of('swapped'), 'first', toRecord(raced, me), 600),
  );
  const removed = await atOnce(() => records.remove(of('removed')));

  const finished = await atOnce((index) => {
    const record = toRecord(`${me} ${index}`, 'first');
    const put = { kind: 'finished', owner: raced, record, ttlSeconds: 600 };
    const none = { clears: [], charges: [] };
    return store.finish(raced, { otpId: 'x', leavesMark: true, puts: [put], ...none });
  });
  const priced = { key: `${raced}:budget`, windowSeconds: 60, amount: 7, max: 100 };
  const budget = await atOnce(() => counters.charge([priced]));
  const { sealed } = await renewed;

  return {
    claimed: claims.filter(({ outcome }) => outcome === 'claimed').length,
    charged: charges.filter(({ refusedBy }) => refusedBy === null).length,
    swapped: swapped.filter((isMine) => isMine).length,
    removed: removed.filter((isMine) => isMine).length,
    finished: finished.filter(({ isFinished }) => isFinished).length,
    records: (await records.list({ kind: 'finished', owner: raced })).length,
    budget: budget.filter(({ refusedBy }) => refusedBy === null).length,
    renewals,
    token: sealed,
  };
}

function toRecord(id: string, tag: string): StoredRecord {
  return { id, tag, rank: 1, value: '{}' };
}
