import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';

import { StoreError } from '../../src/errors';
import { postgresStore, type PostgresStore } from 'passport-sms-otp/postgres';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, openPool, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';
import { EVERY_CALL, outcomesOfEveryCall, outcomesWithinDeadline } from './every-call';
import { beginLogin } from './make-stored';

const CLAIM = { of: 'otp', most: 5 };

/** What every call comes to. */
const allRefused = Array.from({ length: EVERY_CALL }, () => expect.any(StoreError));

describeWithService('postgres')('postgresStore when PostgreSQL fails', () => {
  let server: Service;
  let pool: Pool;
  let store: PostgresStore;

  beforeAll(async () => {
    server = await startPostgres();
    pool = openPool(server.port, { max: 30 });
    store = postgresStore(pool);
    await store.migrate();
  });
  afterAll(async () => {
    // With the server every connection ends, also one that a failed test left open.
    await server.close();
    await pool.end();
  });

  it('refuses every call while PostgreSQL is down, and continues when it is back', async () => {
    // Of another user: calls that were refused because of a lock take effect once it is gone.
    await beginLogin(store.pendingLogins, 'kept', { userId: 'another' });
    await store.pendingLogins.claim('kept', CLAIM);
    await server.crash();
    expect(await outcomesOfEveryCall(store)).toEqual(allRefused);
    await server.restart();
    const claim = await store.pendingLogins.claim('kept', CLAIM);
    expect(claim).toMatchObject({ outcome: 'claimed', attempt: 2 });
  });

  it('refuses every call within the deadline while a table is locked', async () => {
    const client = new Client(connectionOf(server.port));
    await client.connect();
    await client.query('BEGIN');
    await client.query(
      `LOCK sms_otp_pending_login, sms_otp_counter, sms_otp_token, sms_otp_record, sms_otp_turn
       IN ACCESS EXCLUSIVE MODE`,
    );
    expect(await outcomesWithinDeadline(store)).toEqual(allRefused);
    await client.end();
  });

  it('refuses every call when the tables do not exist', async () => {
    expect(await outcomesOfEveryCall(postgresStore(pool, { prefix: 'missing' }))).toEqual(
      allRefused,
    );
  });
});
