import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { phoneBookContract } from 'passport-sms-otp/phone-book-contract';
import { Pool } from 'pg';
import { createClient, type RedisClientType } from 'redis';
import { memoryPhoneLists } from '../../example-app/users/memory-phone-lists';
import { createPhoneBook, seedPhone, type PhoneListStore } from '../../example-app/users/phone-book';
import { CREATE_PHONE_TABLE, postgresPhoneLists } from '../../example-app/users/postgres-phone-lists';
import { redisPhoneLists } from '../../example-app/users/redis-phone-lists';
import { describeWithService } from '../services/describe-with-service';
import { connectionOf, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import type { Service } from '../services/service';

function checkFacts(store: () => PhoneListStore): void {
  it.each(phoneBookContract)('$title', async (fact) => {
    await expect(fact.run(() => createPhoneBook(store()))).resolves.toBeUndefined();
  });

  it('a number of the demo is kept only where there was no list', async () => {
    const book = createPhoneBook(store());
    await Promise.all(['+12025550101', '+12025550102'].map((mobile) => seedPhone(store(), 'seeded', mobile)));
    const before = await book.list('seeded');
    expect(before).toHaveLength(1);
    await book.remove('seeded', before[0]?.mobile ?? '', { keepsLast: false });
    await seedPhone(store(), 'seeded', '+12025550103');
    expect(await book.list('seeded')).toEqual([]);
  });
}

describe('the phone book of the example app in memory', () => {
  const store = memoryPhoneLists();
  checkFacts(() => store);
});

describeWithService('redis')('the phone book of the example app in Redis', () => {
  let server: Service;
  let client: RedisClientType;

  beforeAll(async () => {
    server = await startRedis();
    client = createClient({ url: `redis://127.0.0.1:${server.port}` });
    await client.connect();
  }, 60_000);

  afterAll(async () => {
    client.destroy();
    await server.close();
  });

  checkFacts(() => redisPhoneLists(client));
});

describeWithService('postgres')('the phone book of the example app in PostgreSQL', () => {
  let server: Service;
  let pool: Pool;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool(connectionOf(server.port));
    await pool.query(CREATE_PHONE_TABLE);
  }, 60_000);

  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  checkFacts(() => postgresPhoneLists(pool));

  it('says that it is away without a word of what was asked', async () => {
    const nowhere = new Pool({ ...connectionOf(server.port), password: 'canary', database: 'canary' });
    const reading = createPhoneBook(postgresPhoneLists(nowhere)).list('user-1');
    await expect(reading).rejects.toMatchObject({ status: 503, message: 'Users cannot be read: 3D000' });
    await nowhere.end();
  });
});
