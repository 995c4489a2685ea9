import { beforeEach, expect, it } from '@jest/globals';

import { postgresStore, type PostgresPool } from 'passport-sms-otp/postgres';
import { StoreError } from '../../src/errors';
import type {
  Counter,
  FinishOptions,
  PendingLoginStore,
  RecordPut,
  SmsOtpStore,
} from '../../src/stores/store';
import { describeWithService } from '../services/describe-with-service';
import { everyRecordCall } from './every-call';
import { beginLogin, makeFinish, makeRecord, makeOtp } from './make-stored';
import { finishedOf, usePostgres } from './postgres-ground';
import { until } from './until';

/** Begins a login of the user `user`, with an OTP where one is named. */
const begin = (logins: PendingLoginStore, id: string, otpId?: string): Promise<void> =>
  beginLogin(logins, id, otpId === undefined ? {} : { otp: makeOtp(otpId) });
const makePut = (id: string): RecordPut => ({
  ...{ kind: 'login', owner: 'user', record: makeRecord(id), ttlSeconds: 600 },
});
const charge = (key: string): Counter => ({ key, windowSeconds: 60 });
const TURN = `SELECT sms_otp_take_turn_v1('pending login', 'user')`;
const TABLES = ['sms_otp_pending_login', 'sms_otp_record', 'sms_otp_turn', 'sms_otp_counter'];

describeWithService('postgres')('pending logins in PostgreSQL', () => {
  const ground = usePostgres();
  beforeEach(() => ground().pool.query(`TRUNCATE ${TABLES.join(', ')}`));

  it.each([
    'NULL',
    `'5'`,
    `'{}'`,
    `'{"otps":5,"kinds":5}'`,
    `'{"otps":{},"kinds":{"totp":null}}'`,
    `'{"otps":{"x":-1},"kinds":{"totp":-1}}'`,
    `'{"otps":{"x":0.5},"kinds":{"totp":"0"}}'`,
    `'{"otps":{"x":[0]},"kinds":{"totp":1e99}}'`,
  ])('are exhausted with the attempts %s', async (attempts) => {
    const { pool, store } = ground();
    await begin(store.pendingLogins, 'a', 'x');
    await pool.query(`UPDATE sms_otp_pending_login SET attempts = ${attempts}`);
    for (const kind of ['otp', 'totp'])
      expect(await store.pendingLogins.claim('a', { of: kind, most: 5 })).toEqual({
        outcome: 'exhausted',
      });
    expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
  });

  it.each([`'{}'`, `'[5]'`, `'[{"otpId":5,"value":"{}"}]'`, `'[{"otpId":"x"}]'`])(
    'are refused with the OTPs %s, and end',
    async (otps) => {
      const { pool, store } = ground();
      await begin(store.pendingLogins, 'a', 'x');
      await pool.query(`UPDATE sms_otp_pending_login SET otps = ${otps}`);
      await expect(store.pendingLogins.find('a')).rejects.toThrow(StoreError);
      await expect(store.pendingLogins.claim('a', { of: 'totp', most: 5 })).rejects.toThrow(
        StoreError,
      );
      expect(await store.pendingLogins.end('a')).toBe(true);
    },
  );

  it('are refused with a NUL character, and nothing is written', async () => {
    const { pendingLogins } = ground().store;
    await begin(pendingLogins, 'a', 'x');
    const calls = [
      begin(pendingLogins, '\0'),
      begin(pendingLogins, 'a', '\0'),
      pendingLogins.attach('a', makeOtp('\0')),
      pendingLogins.claim('a', { of: '\0', most: 5 }),
      pendingLogins.end('a', { otpId: '\0' }),
      pendingLogins.find('\0'),
      pendingLogins.endAll('user\0'),
      ground().store.finish('a', makeFinish({ puts: [makePut('\0')] })),
      ground().store.finish('a', makeFinish({ charges: [charge('\0')] })),
    ];
    for (const call of calls) await expect(call).rejects.toThrow(StoreError);
    expect(await pendingLogins.find('a')).toMatchObject({ sends: 1, otps: [makeOtp('x')] });
  });

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'of one place have OTPs at one of them, at the isolation level %s',
    async (level) => {
      const pool = ground().openPool(level);
      const { pendingLogins } = postgresStore(pool, { random: () => 1 });
      for (const id of ['a', 'b', 'c', 'd']) await begin(pendingLogins, id);
      await finishedOf<unknown>(12, (index) => {
        const id = 'abcd'.charAt(index % 4);
        if (index < 8) return pendingLogins.attach(id, makeOtp(`t${index}`));
        return begin(pendingLogins, `${id}${id}`, `t${index}`);
      });
      await pool.end();
      const holding = `SELECT count(*)::int AS value FROM sms_otp_pending_login WHERE otps <> '[]'`;
      expect(await ground().valueOf(holding)).toBe(1);
    },
  );

  it('begin, get OTPs and are all ended by one call at a time of a user', async () => {
    const { pendingLogins } = ground().store;
    await begin(pendingLogins, 'a');
    await ground().beside<unknown>({ statement: TURN }, () => [
      begin(pendingLogins, 'b', 'x'),
      pendingLogins.attach('a', makeOtp('y')),
      pendingLogins.endAll('user', 'a'),
    ]);
    const found = await Promise.all(['a', 'b'].map((id) => pendingLogins.find(id)));
    const otps = found.flatMap((login) => (login === null || login === 'passed' ? [] : login.otps));
    expect(otps.length).toBeLessThanOrEqual(1);
  });

  it('take no OTP that was meant for the login of another user', async () => {
    const { pendingLogins } = ground().store;
    await begin(pendingLogins, 'a', 'x');
    const then = `UPDATE sms_otp_pending_login SET user_id = 'other'`;
    const attached = await ground().beside({ statement: TURN, then }, () => [
      pendingLogins.attach('a', makeOtp('y')),
    ]);
    expect(attached).toEqual([false]);
    expect(await pendingLogins.find('a')).toMatchObject({
      userId: 'other',
      otps: [makeOtp('x')],
    });
  });

  it('are seen as they are when a wait is over', async () => {
    const { store } = ground();
    const { pendingLogins } = store;
    await begin(pendingLogins, 'a', 'x');
    const statement = `UPDATE sms_otp_pending_login SET otps = '[]'`;
    const results = await ground().beside<unknown>({ statement, then: 'SELECT' }, () => [
      pendingLogins.claim('a', { of: 'otp', otpId: 'x', most: 5 }),
      pendingLogins.end('a', { otpId: 'x' }),
      store.finish('a', makeFinish({ otpId: 'x' })),
    ]);
    expect(results).toEqual([{ outcome: 'unknown' }, false, { isFinished: false }]);
  });

  it('leave nothing but a mark when they have passed', async () => {
    const { store, valueOf } = ground();
    await begin(store.pendingLogins, 'a', 'x');
    await store.finish('a', makeFinish({ leavesMark: true }));
    const row = `SELECT ARRAY[value, otps::text, attempts::text] AS value FROM sms_otp_pending_login`;
    expect(await valueOf(row)).toEqual(['', '[]', '{}']);
  });

  it('are pruned when they are over, and not while they live', async () => {
    const { pool, store, valueOf } = ground();
    for (const id of ['over', 'passed', 'live', 'passed and live'])
      await begin(store.pendingLogins, id);
    for (const id of ['passed', 'passed and live'])
      await store.finish(id, makeFinish({ leavesMark: true }));
    await pool.query(`UPDATE sms_otp_pending_login SET expires_at = now() - interval '1 s'
      WHERE pending_id IN ('over', 'passed')`);
    await begin(postgresStore(pool, { random: () => 0 }).pendingLogins, 'new');
    const ids =
      'SELECT array_agg(pending_id ORDER BY pending_id) AS value FROM sms_otp_pending_login';
    await until(
      async () => JSON.stringify(await valueOf(ids)) === '["live","new","passed and live"]',
    );
    expect(await store.pendingLogins.find('live')).not.toBeNull();
  });
});

describeWithService('postgres')('finish in PostgreSQL', () => {
  const ground = usePostgres();
  beforeEach(() => ground().pool.query(`TRUNCATE ${TABLES.join(', ')}`));

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'succeeds for one caller and for one login that replaces a record, at the isolation level %s',
    async (level) => {
      const pool = ground().openPool(level);
      const store = postgresStore(pool, { random: () => 1 });
      const { pendingLogins, records } = store;
      await records.put(makePut('old'));
      for (const id of ['a', 'b', 'c']) await begin(pendingLogins, id);
      const replaces = { kind: 'login', owner: 'user', id: 'old' };
      const finished = await finishedOf(12, (index) =>
        store.finish(
          'abc'.charAt(index % 3),
          makeFinish({
            replaces,
            charges: [charge('shared'), charge(`own ${index}`)],
            puts: [makePut(`new ${index}`)],
          }),
        ),
      );
      await pool.end();
      const winners = [...finished.keys()].filter((index) => finished[index]?.isFinished);
      expect(winners).toHaveLength(1);
      const listed = await ground().store.records.list(replaces);
      expect(listed.map(({ id }) => id)).toEqual([`new ${winners[0]}`]);
      const counted = `SELECT array_agg(key || ' ' || count ORDER BY key) AS value FROM sms_otp_counter`;
      expect(await ground().valueOf(counted)).toEqual([`own ${winners[0]} 1`, 'shared 1']);
    },
  );

  it.each(['version = 2', 'count = -1'])(
    'refuses a counter with %s, and changes nothing',
    async (change) => {
      const { pool, store, valueOf } = ground();
      const options: FinishOptions = {
        ...{ leavesMark: true, clears: ['cleared'], charges: [charge('new'), charge('odd')] },
        ...{ puts: [makePut('new')], replaces: { kind: 'login', owner: 'user', id: 'old' } },
      };
      await begin(store.pendingLogins, 'a', 'x');
      await store.records.put(makePut('old'));
      await store.counters.charge([charge('cleared'), charge('odd')]);
      await pool.query(`UPDATE sms_otp_counter SET ${change} WHERE key = 'odd'`);
      await expect(store.finish('a', options)).rejects.toThrow(StoreError);
      expect(await store.pendingLogins.find('a')).toMatchObject({ otps: [makeOtp('x')] });
      expect(await store.records.list(makePut('new'))).toEqual([makePut('old').record]);
      const keys = 'SELECT array_agg(key ORDER BY key) AS value FROM sms_otp_counter';
      expect(await valueOf(keys)).toEqual(['cleared', 'odd']);
    },
  );

  it('takes a record away from a removal of all only with the one that comes', async () => {
    const { store } = ground();
    await begin(store.pendingLogins, 'a');
    await store.records.put(makePut('old'));
    const put = JSON.stringify([{ ...makePut('new'), ...makePut('new').record }]);
    const statement = `SELECT sms_otp_finish_v4('a', NULL, false, false, 'login', 'user', 'old',
      '{}', '[]', '{}', '${put}', 9000)`;
    const removed = await ground().beside({ statement, then: 'SELECT' }, () => [
      store.records.removeAll(makePut('new')),
    ]);
    expect([removed, await store.records.list(makePut('new'))]).toEqual([[['new']], []]);
  });

  it.each([
    ['turns', ['browser', 'login'].map((kind) => `SELECT sms_otp_take_turn_v1('${kind}', 'user')`)],
    [
      'counters',
      ['a', 'z'].map((key) => `UPDATE sms_otp_counter SET count = 5 WHERE key = '${key}'`),
    ],
  ])('takes %s in their order, whatever the order of its changes is', async (_what, statements) => {
    const [statement = '', then = ''] = statements;
    const codes: unknown[] = [];
    const store = postgresStore(watchedPool(codes), { random: () => 1 });
    await store.counters.charge(['a', 'z'].map(charge));
    await begin(store.pendingLogins, 'p');
    const puts = ['login', 'browser'].map((kind) => ({ ...makePut('r'), kind }));
    const finish = makeFinish({ clears: ['a'], charges: [charge('z')], puts });
    const finished = await ground().beside({ statement, then }, () => [store.finish('p', finish)]);
    expect(finished).toMatchObject([{ isFinished: true }]);
    expect(codes).toEqual([]);
  });

  it.each([
    [
      'finish',
      (store: SmsOtpStore) =>
        store.finish('p', makeFinish({ clears: ['z'], charges: [charge('a')] })),
    ],
    ['charge', ({ counters }: SmsOtpStore) => counters.charge(['z', 'a'].map(charge))],
  ])('and a first charge never wait for each other in a circle: %s', async (_what, call) => {
    const { pool, valueOf, openPool } = ground();
    const codes: unknown[] = [];
    const store = postgresStore(watchedPool(codes), { random: () => 1 });
    const { counters, pendingLogins } = store;
    const isWaiting = (what: string) => async () =>
      (await valueOf(
        `SELECT count(*)::int AS value FROM pg_locks WHERE NOT granted AND ${what}`,
      )) === 1;
    const gates = openPool('read committed');
    const gate = await gates.connect();
    await pool.query(`
CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(ascii(NEW.key));
  RETURN NEW;
END $body$;
CREATE TRIGGER gate BEFORE INSERT ON sms_otp_counter FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`);
    try {
      await begin(pendingLogins, 'p');
      await gate.query(`SELECT pg_advisory_lock(ascii('a'))`);
      // This charge has seen neither counter, and writes "a" when it is let through.
      const charged = counters.charge(['a', 'z'].map(charge));
      await until(isWaiting(`objid = ascii('a')`));
      await counters.charge([charge('z')]);
      await gate.query(`SELECT pg_advisory_lock(ascii('z')), pg_advisory_unlock(ascii('a'))`);
      await until(isWaiting(`objid = ascii('z')`));
      const called = call(store);
      await until(isWaiting(`locktype = 'transactionid'`));
      await gate.query(`SELECT pg_advisory_unlock(ascii('z'))`);
      await Promise.all([charged, called]);
      expect(codes).toEqual(['23505']);
    } finally {
      gate.release();
      await gates.end();
      await pool.query('DROP TRIGGER gate ON sms_otp_counter; DROP FUNCTION wait_at_gate');
    }
  });

  it('waits for no charge, put or other finish in a circle', async () => {
    const codes: unknown[] = [];
    const store = postgresStore(watchedPool(codes), { random: () => 1 });
    const { counters, pendingLogins, records } = store;
    const keys = Array.from({ length: 8 }, (_, index) => `key ${index}`);
    const kinds = ['browser', 'device', 'login'];
    await counters.charge(keys.map(charge));
    const callsInOrder = (login: string, isForth: boolean): Promise<unknown>[] => {
      const [some, all] = isForth ? [keys, kinds] : [keys.toReversed(), kinds.toReversed()];
      return [
        store.finish(login, {
          ...{ leavesMark: false, clears: some.slice(0, 4), charges: some.slice(4).map(charge) },
          puts: all.map((kind) => ({ ...makePut(login), kind, most: 2 })),
        }),
        counters.charge(some.map(charge)),
        counters.unlock(some),
        records.put({ ...makePut('r'), kind: 'device', most: 2 }),
        records.removeAll({ kind: 'login', owner: 'user' }),
      ];
    };
    for (let round = 0; round < 4; round += 1) {
      const logins = ['a', 'b', 'c', 'd'].map((word) => `${word}${round}`);
      for (const login of logins) await begin(pendingLogins, login);
      // More at once would not end within the 2 s of a call on a slow machine.
      await Promise.all(logins.flatMap((login, index) => callsInOrder(login, index % 2 === 0)));
    }
    expect(codes.filter((code) => code !== '23505')).toEqual([]);
  });

  it('is one statement, like every other call', async () => {
    const texts: string[] = [];
    const { pool } = ground();
    const counting: PostgresPool = {
      query: (query, values) => {
        // The clock and the limit are asked for once, beside the calls.
        if (!query.startsWith('SELECT extract')) texts.push(query);
        return pool.query(query, values);
      },
    };
    const store = postgresStore(counting, { random: () => 1 });
    const calls = [...everyRecordCall(store), () => store.counters.unlock(['c'])];
    for (const call of calls) await call();
    // At first the server is asked once for the schema.
    expect(texts.filter((query) => !query.includes('FROM pg_attribute'))).toHaveLength(
      calls.length,
    );
    expect(texts).toHaveLength(calls.length + 1);
    expect(texts.filter((query) => query.includes(';'))).toEqual([]);
  });

  /** The pool, and what it refuses. */
  function watchedPool(codes: unknown[]): PostgresPool {
    return {
      query: async (query, values) => {
        try {
          return await ground().pool.query(query, values);
        } catch (error) {
          codes.push((error as { code?: unknown }).code);
          throw error;
        }
      },
    };
  }
});
