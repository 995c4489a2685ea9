import { beforeEach, expect, it } from '@jest/globals';

import { postgresStore } from 'passport-sms-otp/postgres';
import { StoreError } from '../../src/errors';
import type { RecordPut } from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { beginLogin, makeFinish, makeRecord } from './make-stored';
import { finishedOf, usePostgres } from './postgres-ground';
import { until } from './until';

const of = { kind: 'login', owner: 'user' };
const makePut = (id: string, changes: Partial<RecordPut> = {}): RecordPut => ({
  ...of,
  ...{ record: makeRecord(id), ttlSeconds: 600, ...changes },
});
const TURN = `SELECT sms_otp_take_turn_v1('login', 'user')`;

describeWithService('postgres')('records in PostgreSQL', () => {
  const ground = usePostgres();
  beforeEach(() => ground().pool.query('TRUNCATE sms_otp_record, sms_otp_turn, sms_otp_counter'));

  const idsOf = async (): Promise<string[]> =>
    (await ground().store.records.list(of)).map(({ id }) => id);

  it.each([
    ['that has others', true],
    ['that has none', false],
  ])('are put in turns for an owner %s, whatever was written meanwhile', async (_whose, hasOne) => {
    const { records } = ground().store;
    if (hasOne) await records.put(makePut('first'));
    const results = await ground().beside<unknown>({ statement: TURN }, () => [
      ...Array.from({ length: 8 }, (_, index) => records.put(makePut(`new ${index}`, { most: 2 }))),
      records.removeAll(of),
    ]);
    const removed = results.pop() as string[];
    const gone = (results as { gone: string[] }[]).flatMap((result) => result.gone);
    const left = await idsOf();
    expect(left.length).toBeLessThanOrEqual(2);
    const all = [...(hasOne ? ['first'] : []), ...Array.from({ length: 8 }, (_, i) => `new ${i}`)];
    expect([...gone, ...removed, ...left].sort()).toEqual(all);
  });

  it('are put, swapped and removed together by one call at a time of an owner', async () => {
    const { store } = ground();
    const { pendingLogins, records } = store;
    await records.put(makePut('a'));
    await beginLogin(pendingLogins, 'p');
    const results = await ground().beside<unknown>({ statement: TURN }, () => [
      records.swap({ ...of, id: 'a' }, 'tag', makeRecord('a'), 600),
      records.put(makePut('b', { ifNone: true })),
      store.finish('p', makeFinish({ replaces: { ...of, id: 'none' } })),
      records.removeAll(of, 'a'),
    ]);
    expect(results).toEqual([
      true,
      { isPut: false, gone: [], replaced: null },
      { isFinished: false },
      [],
    ]);
  });

  it('are written once by many that put while there is none', async () => {
    const { records } = ground().store;
    const results = await ground().beside({ statement: TURN }, () =>
      Array.from({ length: 8 }, (_, index) =>
        records.put(makePut(`new ${index}`, { ifNone: true })),
      ),
    );
    expect(results.filter(({ isPut }) => isPut)).toHaveLength(1);
    expect(await idsOf()).toHaveLength(1);
  });

  it('are listed by rank and id, in whatever order they were written', async () => {
    await ground().pool.query(`INSERT INTO sms_otp_record
      SELECT 'login', 'user', to_char(n, 'FM000'), 'tag', n % 2, '{}', 'infinity'
      FROM generate_series(199, 0, -1) AS n`);
    const ids = Array.from({ length: 200 }, (_, n) => String(n).padStart(3, '0'));
    const [even, odd] = [0, 1].map((rest) => ids.filter((id) => Number(id) % 2 === rest));
    expect(await idsOf()).toEqual([...(even ?? []), ...(odd ?? [])]);
  });

  it('do not escape from a removal of all under another id', async () => {
    const { records } = ground().store;
    await records.put(makePut('old'));
    const swap = `SELECT sms_otp_swap_record_v2('login', 'user', 'old', 'tag', 'new', 't', 1, '{}', 600, 9000)`;
    const [removed] = await ground().beside({ statement: swap, then: 'SELECT' }, () => [
      records.removeAll(of),
    ]);
    expect([removed, await idsOf()]).toEqual([['new'], []]);
  });

  it('keep the ceiling when one of them is swapped for another id meanwhile', async () => {
    const { records } = ground().store;
    for (const id of ['a', 'b']) await records.put(makePut(id));
    const swap = `SELECT sms_otp_swap_record_v2('login', 'user', 'a', 'tag', 'c', 't', 9, '{}', 600, 9000)`;
    const [put] = await ground().beside({ statement: swap, then: 'SELECT' }, () => [
      records.put(makePut('d', { most: 2 })),
    ]);
    expect([put?.gone, await idsOf()]).toEqual([['b'], ['d', 'c']]);
  });

  it('are swapped for what they were when the wait was over', async () => {
    const { records } = ground().store;
    await records.put(makePut('a'));
    const remove = 'DELETE FROM sms_otp_record';
    const swaps = await ground().beside({ statement: remove, then: 'SELECT' }, () => [
      records.swap({ ...of, id: 'a' }, 'tag', makeRecord('a'), 600),
    ]);
    expect([swaps, await idsOf()]).toEqual([[false], []]);
  });

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'are no more than an owner may have, at the isolation level %s',
    async (level) => {
      const pool = ground().openPool(level);
      const { records } = postgresStore(pool, { random: () => 1 });
      const results = await finishedOf(20, (index) =>
        records.put(makePut(`r${index}`, { most: 3 })),
      );
      await pool.end();
      const gone = results.flatMap((result) => result.gone);
      const left = await idsOf();
      const { length } = results;
      expect(length).toBeGreaterThan(10);
      expect([gone.length, left.length]).toEqual([length - 3, 3]);
      expect(new Set([...gone, ...left]).size).toBe(length);
    },
  );

  it.each(["rank = 'NaN'", "rank = 'Infinity'"])('are refused with %s', async (change) => {
    const { records } = ground().store;
    await records.put(makePut('a'));
    await ground().pool.query(`UPDATE sms_otp_record SET ${change}`);
    await expect(records.find({ ...of, id: 'a' })).rejects.toThrow(StoreError);
    await expect(records.list(of)).rejects.toThrow(StoreError);
    expect(await records.removeAll(of)).toEqual(['a']);
  });

  it('are refused with a NUL character, and nothing is written', async () => {
    const { records } = ground().store;
    await records.put(makePut('a'));
    const reference = { ...of, id: 'a' };
    const calls = [
      records.put(makePut('a\0')),
      records.put(makePut('a', { record: { ...makeRecord('a'), value: '"\0"' } })),
      records.swap(reference, 'tag', { ...makeRecord('a'), tag: '\0' }, 600),
      records.find({ ...of, id: 'a\0' }),
      records.remove({ ...of, id: 'a\0' }),
      records.removeAll({ ...of, owner: 'user\0' }),
      records.list({ ...of, owner: 'user\0' }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(StoreError);
    expect(await records.list(of)).toEqual([makeRecord('a')]);
  });

  it('are pruned when they are over, and not while they live', async () => {
    const { pool, store, valueOf } = ground();
    await store.records.put(makePut('over'));
    await store.records.put(makePut('live'));
    await store.records.put(makePut('endless', { ttlSeconds: null }));
    await store.records.put(makePut('live', { owner: 'other' }));
    const past = `expires_at = now() - interval '1 s'`;
    await pool.query(`UPDATE sms_otp_record SET ${past} WHERE id = 'over'`);
    await pool.query(`UPDATE sms_otp_turn SET ${past} WHERE owner = 'user'`);
    const pruning = postgresStore(pool, { random: () => 0 });
    await pruning.records.put(makePut('new', { owner: 'third' }));
    const turns = 'SELECT array_agg(owner ORDER BY owner) AS value FROM sms_otp_turn';
    await until(async () => JSON.stringify(await valueOf(turns)) === '["other","third"]');
    expect(await valueOf('SELECT count(*)::int AS value FROM sms_otp_record')).toBe(4);
    expect(await idsOf()).toEqual(['endless', 'live']);
  });

  it('change the end of a turn at most once an hour', async () => {
    const { pool, store, valueOf } = ground();
    const end = 'SELECT expires_at::text AS value FROM sms_otp_turn';
    await store.records.put(makePut('a'));
    const first = await valueOf(end);
    await store.records.put(makePut('a'));
    expect(await valueOf(end)).toBe(first);
    await pool.query(`UPDATE sms_otp_turn SET expires_at = now() + interval '59 min'`);
    await store.records.put(makePut('a'));
    expect(String(await valueOf(end)) > String(first)).toBe(true);
  });
});
