import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { storeChecks } from 'passport-sms-otp/testing';
import { sqliteStore } from '../../docs/recipes/sqlite-store';
import { beginLogin, makeRecord, makeOtp } from '../stores/make-stored';
import { step, type Step } from '../stores/store-steps';
import { casesOf } from '../support/complete-run';
import { useSharedApp } from '../support/use-app';
import { visit } from '../support/visit';
import { openSqlite, type SqliteFile } from './support/open-sqlite';
import { describeWithSqlite, useSqliteFiles } from './support/sqlite';

const WHERE = { kind: 'device', owner: '7' };

describeWithSqlite()('the recipe for a store on SQLite', () => {
  const newPath = useSqliteFiles();

  function openStore(
    path: string,
    now?: () => number,
  ): { database: SqliteFile; store: SmsOtpStore } {
    const database = openSqlite(path);
    const store = sqliteStore(database, now);
    // What is written is not waited for: no test turns the power off.
    database.exec('PRAGMA synchronous = OFF');
    return { database, store };
  }

  describe('passes the store checks', () => {
    let [time, opened] = [Date.now(), undefined as ReturnType<typeof openStore> | undefined];
    // One file for all of it: every check has names of its own.
    const makeStore = (): SmsOtpStore => (opened ??= openStore(newPath(), () => time)).store;
    afterAll(() => opened?.database.close());

    it.each(storeChecks)('$title', async ({ run }) => {
      const pass = (seconds: number): void => void (time += seconds * 1000);
      await expect(run(makeStore, pass)).resolves.toBeUndefined();
    });
  });

  it('answers any sequence of calls as memoryStore does', async () => {
    const answerOf = ({ run }: Step, store: SmsOtpStore): Promise<unknown> =>
      run(store).catch(() => 'refused');
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      async (steps) => {
        const [database, model] = [openSqlite(':memory:'), memoryStore()];
        const store = sqliteStore(database);
        for (const one of steps)
          expect(await answerOf(one, store)).toEqual(await answerOf(one, model));
        database.close();
      },
    );
    await expect(fc.assert(property, { numRuns: casesOf(300) })).resolves.toBeUndefined();
  });

  it('finds everything again in its file', async () => {
    const path = newPath();
    const first = openStore(path);
    await beginLogin(first.store.pendingLogins, 'a', { otp: makeOtp('x') });
    await first.store.records.put({ ...WHERE, record: makeRecord('r'), ttlSeconds: null });
    await first.store.counters.charge([{ key: 'k', windowSeconds: 600 }]);
    const renewed = await first.store.tokens.renew('account', 0, () =>
      Promise.resolve({ sealed: 'sealed', ttlSeconds: 600 }),
    );
    first.database.close();
    const { database, store } = openStore(path);
    expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
    expect(await store.records.list(WHERE)).toEqual([makeRecord('r')]);
    expect((await store.counters.charge([{ key: 'k', windowSeconds: 600 }])).counts[0]?.count).toBe(
      2,
    );
    expect(await store.tokens.read('account')).toEqual(renewed);
    database.close();
  });

  it('refuses a call while another process writes, and has then changed nothing', async () => {
    const path = newPath();
    const [mine, other] = [openStore(path), openStore(path)];
    const counter = { key: 'k', windowSeconds: 600 };
    mine.database.exec('PRAGMA busy_timeout = 1');
    other.database.exec('BEGIN IMMEDIATE');
    await expect(mine.store.counters.charge([counter])).rejects.toThrow(/locked/);
    other.database.exec('COMMIT');
    expect((await mine.store.counters.charge([counter])).counts[0]?.count).toBe(1);
    mine.database.close();
    other.database.close();
  });

  it('refuses what a full disk has no room for, and keeps what there is', async () => {
    const { database, store } = openStore(newPath());
    const [used] = database.prepare('PRAGMA page_count').all() as [{ page_count: number }];
    database.exec(`PRAGMA max_page_count = ${used.page_count + 4}`);
    const value = JSON.stringify('x'.repeat(8_000));
    const put = (id: string): Promise<unknown> =>
      store.records.put({ ...WHERE, record: makeRecord(id, { value }), ttlSeconds: null });
    await put('kept');
    await put('kept too');
    for (const id of ['new', 'newer'])
      await expect(put(id)).rejects.toThrow('database or disk is full');
    expect((await store.records.list(WHERE)).map(({ id }) => id)).toEqual(['kept', 'kept too']);
    expect(await store.records.removeAll(WHERE)).toEqual(['kept', 'kept too']);
    expect(await put('new')).toEqual({ isPut: true, gone: [], replaced: null });
    database.close();
  });

  describe('in an app', () => {
    const test = useSharedApp({ store: ({ now }) => sqliteStore(openSqlite(':memory:'), now) });

    it('logs in with the texted code, and with no other', async () => {
      const alice = visit(test);
      await alice.login();
      expect((await alice.enterWrong()).status).toBe(401);
      expect((await alice.enterRight()).status).toBe(200);
    });
  });
});
