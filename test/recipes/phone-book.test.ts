import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { phoneBookChecks } from 'passport-sms-otp/testing';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { CREATE_PHONES, postgresPhoneBook } from '../../docs/recipes/phone-book-postgres';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres } from '../services/use-service';

const ABOUT = { consentedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678) };

describe('the phone book in memory', () => {
  const book = memoryPhoneBook();

  it.each(phoneBookChecks)('$title', async ({ run }) => {
    await expect(run(() => book)).resolves.toBeUndefined();
  });
});

describeWithService('postgres')('the phone book in PostgreSQL', () => {
  const postgres = usePostgres(async (pool) => {
    await pool.query('create table users (id text primary key)');
    await pool.query(CREATE_PHONES);
  });

  async function addUser(): Promise<string> {
    const id = randomUUID();
    await postgres.pool.query('insert into users (id) values ($1)', [id]);
    return id;
  }

  it.each(phoneBookChecks)('$title', async ({ run }) => {
    await expect(run(() => postgresPhoneBook(postgres.pool), addUser)).resolves.toBeUndefined();
  });

  it('stores when the user has sent the number, also when it is confirmed', async () => {
    const { pool } = postgres;
    const user = await addUser();
    const book = postgresPhoneBook(pool);
    await book.addUnconfirmed(user, '+12025550101', ABOUT);
    await book.confirm(user, '+12025550101');
    const { rows } = await pool.query('select consented_at from phones where user_id = $1', [user]);
    expect(rows).toEqual([{ consented_at: new Date(ABOUT.consentedAt) }]);
  });

  it('hands on the error of the database and gives the connection back', async () => {
    const { pool } = postgres;
    const adding = postgresPhoneBook(pool).addUnconfirmed('nobody', '+12025550101', ABOUT);
    await expect(adding).rejects.toThrow(/foreign key/);
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0]);
  });
});
