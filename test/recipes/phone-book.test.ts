import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { phoneBookContract } from 'passport-sms-otp/phone-book-contract';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { CREATE_PHONES, postgresPhoneBook } from '../../docs/recipes/phone-book-postgres';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres } from '../services/use-service';

describe('the phone book in memory', () => {
  const book = memoryPhoneBook();

  it.each(phoneBookContract)('$title', async ({ run }) => {
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

  it.each(phoneBookContract)('$title', async ({ run }) => {
    await expect(run(() => postgresPhoneBook(postgres.pool), addUser)).resolves.toBeUndefined();
  });

  it('hands on the error of the database and gives the connection back', async () => {
    const { pool } = postgres;
    await expect(postgresPhoneBook(pool).addUnconfirmed('nobody', '+12025550101')).rejects.toThrow(
      /foreign key/,
    );
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0]);
  });
});
