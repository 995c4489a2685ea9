import { describe, expect, it } from '@jest/globals';
import { memoryPasskeyBook, type Passkey, type PasskeyBook } from '../../docs/recipes/passkey-book';
import { CREATE_PASSKEYS, postgresPasskeyBook } from '../../docs/recipes/passkey-book-postgres';
import { memoryLists } from '../../example-app/lists';
import { createPasskeyStore } from '../../example-app/passkeys';
import { redisLists } from '../../example-app/stores';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres, useRedis } from '../services/use-service';

function passkeyOf(id: string, counter = 0): Passkey {
  const publicKey = new Uint8Array([1, 2, 255]);
  const createdAt = Date.UTC(2026, 10, 22, 12, 0, 0, 123);
  return {
    id,
    userHandle: 'handle',
    publicKey,
    counter,
    transports: ['internal', 'hybrid'],
    name: 'Phone',
    createdAt,
  };
}

/** Each test has ids and users of its own; bob has no passkey in any of them. */
function checkBook(open: () => PasskeyBook): void {
  it('lists what was added, whole and the oldest first', async () => {
    const book = open();
    const [older, newer] = [
      passkeyOf('a2'),
      { ...passkeyOf('a1', 4_294_967_295), createdAt: Date.UTC(2027, 1) },
    ];
    expect([await book.add('alice', older), await book.add('alice', newer)]).toEqual([true, true]);
    expect(await book.list('alice')).toEqual([older, newer]);
    expect(await book.list('bob')).toEqual([]);
  });

  it('adds a passkey once', async () => {
    const book = open();
    const added = await Promise.all([
      book.add('erin', passkeyOf('b')),
      book.add('erin', passkeyOf('b')),
    ]);
    expect(added.sort()).toEqual([false, true]);
  });

  it('names and removes what is the user’s own', async () => {
    const book = open();
    await book.add('carol', passkeyOf('c'));
    expect([await book.rename('bob', 'c', 'Mine'), await book.remove('bob', 'c')]).toEqual([
      false,
      false,
    ]);
    expect(await book.useCounter('bob', 'c', 9)).toBe(false);
    expect(await book.rename('carol', 'c', 'Laptop')).toBe(true);
    expect(await book.list('carol')).toEqual([{ ...passkeyOf('c'), name: 'Laptop' }]);
    expect([await book.remove('carol', 'c'), await book.remove('carol', 'c')]).toEqual([
      true,
      false,
    ]);
    expect(await book.list('carol')).toEqual([]);
  });

  it('takes a counter that rises, and 0 where the device does not count', async () => {
    const book = open();
    await book.add('dave', passkeyOf('d'));
    const use = (counter: number): Promise<boolean> => book.useCounter('dave', 'd', counter);
    expect([
      await use(0),
      await use(0),
      await use(5),
      await use(5),
      await use(4),
      await use(0),
    ]).toEqual([...[true, true, true, false, false, false]]);
    expect((await Promise.all([use(6), use(6), use(6)])).filter(Boolean)).toHaveLength(1);
    expect((await book.list('dave'))[0]?.counter).toBe(6);
  });
}

/** Where all users are in one table. */
function checkOwners(open: () => PasskeyBook): void {
  it('adds no passkey that another user has', async () => {
    const book = open();
    await book.add('frank', passkeyOf('e'));
    expect(await book.add('bob', passkeyOf('e'))).toBe(false);
    expect(await book.list('bob')).toEqual([]);
  });
}

describe('passkeys in memory', () => {
  const book = memoryPasskeyBook();
  checkBook(() => book);
  checkOwners(() => book);
});

describe('passkeys of the example app', () => {
  const { book } = createPasskeyStore(memoryLists());
  checkBook(() => book);
});

describeWithService('redis')('passkeys of the example app in Redis', () => {
  const redis = useRedis();
  checkBook(() => createPasskeyStore(redisLists(redis.client, 'harbour:passkeys')).book);
});

describeWithService('postgres')('passkeys in PostgreSQL', () => {
  const postgres = usePostgres(async (pool) => {
    await pool.query('create table users (id text primary key)');
    await pool.query(CREATE_PASSKEYS);
    const users = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank'];
    await pool.query('insert into users select unnest($1::text[])', [users]);
  });
  checkBook(() => postgresPasskeyBook(postgres.pool));
  checkOwners(() => postgresPasskeyBook(postgres.pool));
});
