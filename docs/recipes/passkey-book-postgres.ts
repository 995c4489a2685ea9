import type { Pool } from 'pg';
import type { Passkey, PasskeyBook } from './passkey-book';

/**
 * Beside your table `users`, whose `id` is a text here. No one can add a passkey that someone else
 * has.
 */
export const CREATE_PASSKEYS = `
  create table passkeys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    user_handle text not null,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    created_at timestamptz not null
  );
  create index passkeys_user on passkeys (user_id);`;

const LIST = `
  select id, user_handle as "userHandle", public_key as "publicKey", counter::float8, transports, name,
    (extract(epoch from created_at) * 1000)::float8 as "createdAt"
  from passkeys where user_id = $1 order by created_at, id`;
const ADD = `
  insert into passkeys (user_id, id, user_handle, public_key, counter, transports, name, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0)) on conflict (id) do nothing`;
/** One statement: of two responses with the same counter one is taken. */
const USE_COUNTER = `
  update passkeys set counter = $3
  where user_id = $1 and id = $2 and (counter < $3 or (counter = 0 and $3 = 0))`;

export function postgresPasskeyBook(pool: Pool): PasskeyBook {
  /** Returns whether a row was changed. */
  async function change(sql: string, values: readonly unknown[]): Promise<boolean> {
    const { rowCount } = await pool.query(sql, [...values]);
    return rowCount === 1;
  }

  return {
    async list(userId) {
      const { rows } = await pool.query<Omit<Passkey, 'publicKey'> & { publicKey: Buffer }>(LIST, [
        userId,
      ]);
      return rows.map(({ publicKey, ...rest }) => ({
        ...rest,
        publicKey: new Uint8Array(publicKey),
      }));
    },
    add: (userId, { id, userHandle, publicKey, counter, transports, name, createdAt }) =>
      change(ADD, [
        userId,
        id,
        userHandle,
        Buffer.from(publicKey),
        counter,
        transports,
        name,
        createdAt,
      ]),
    rename: (userId, id, name) =>
      change('update passkeys set name = $3 where user_id = $1 and id = $2', [userId, id, name]),
    remove: (userId, id) =>
      change('delete from passkeys where user_id = $1 and id = $2', [userId, id]),
    useCounter: (userId, id, counter) => change(USE_COUNTER, [userId, id, counter]),
  };
}
