import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { phoneBookContract } from 'passport-sms-otp/phone-book-contract';
import { Pool } from 'pg';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { CREATE_PHONES, postgresPhoneBook } from '../../docs/recipes/phone-book-postgres';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, startPostgres } from '../services/postgres';
import type { Service } from '../services/service';

describe('the phone book in memory', () => {
  const book = memoryPhoneBook();

  it.each(phoneBookContract)('$title', async ({ run }) => {
    await expect(run(() => book)).resolves.toBeUndefined();
  });
});

describeWithService('postgres')('the phone book in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool(connectionOf(server.port));
    await pool.query('create table users (id text primary key)');
    await pool.query(CREATE_PHONES);
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  async function addUser(): Promise<string> {
    const id = randomUUID();
    await pool.query('insert into users (id) values ($1)', [id]);
    return id;
  }

  it.each(phoneBookContract)('$title', async ({ run }) => {
    await expect(run(() => postgresPhoneBook(pool), addUser)).resolves.toBeUndefined();
  });

  it('hands on the error of the database and gives the connection back', async () => {
    await expect(postgresPhoneBook(pool).addUnconfirmed('nobody', '+12025550101')).rejects.toThrow(
      /foreign key/,
    );
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0]);
  });
});
