import type { PhoneBook, PhoneEntry } from 'passport-sms-otp';
import type { Pool, PoolClient } from 'pg';

/** Beside your table `users`, whose `id` is a text here. */
export const CREATE_PHONES = `
  create table phones (
    user_id text not null references users (id) on delete cascade,
    mobile text not null,
    is_confirmed boolean not null default false,
    is_default boolean not null default false,
    consented_at timestamptz, -- when the user has sent the number; null: it was imported
    primary key (user_id, mobile)
  );
  create unique index phones_unconfirmed on phones (user_id) where not is_confirmed;
  create unique index phones_default on phones (user_id) where is_default;`;

const LIST = `
  select mobile, is_confirmed as "isConfirmed", is_default as "isDefault" from phones
  where user_id = $1 order by is_default desc, is_confirmed desc, mobile`;
const ADD = 'insert into phones (user_id, mobile, consented_at) values ($1, $2, $3)';
const DELETE = 'delete from phones where user_id = $1 and mobile = $2';
const UNSET_DEFAULT = 'update phones set is_default = false where user_id = $1 and is_default';
const SET_DEFAULT = 'update phones set is_default = true where user_id = $1 and mobile = $2';
/** Confirmed, and the default where the user has none. */
const CONFIRM = `
  update phones set is_confirmed = true,
    is_default = not exists (select from phones where user_id = $1 and is_default)
  where user_id = $1 and mobile = $2`;

export function postgresPhoneBook(pool: Pool): PhoneBook {
  /**
   * Locks the user's row, so that two changes of one user come one after the other, in all
   * processes.
   */
  async function change(
    userId: string,
    work: (numbers: Numbers, client: PoolClient) => Promise<boolean>,
  ) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('select from users where id = $1 for update', [userId]);
      const { rows } = await client.query<PhoneEntry>(LIST, [userId]);
      const isChanged = await work(new Numbers(rows), client);
      await client.query('commit');
      return isChanged;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  return {
    list: async (userId) => (await pool.query<PhoneEntry>(LIST, [userId])).rows,
    addUnconfirmed: (userId, mobile, { consentedAt }) =>
      change(userId, async ({ confirmed }, client) => {
        if (confirmed.includes(mobile)) return false;
        await client.query('delete from phones where user_id = $1 and not is_confirmed', [userId]);
        await client.query(ADD, [userId, mobile, new Date(consentedAt)]);
        return true;
      }),
    confirm: (userId, mobile) =>
      change(userId, async ({ unconfirmed }, client) => {
        if (unconfirmed !== mobile) return false;
        await client.query(CONFIRM, [userId, mobile]);
        return true;
      }),
    replace: (userId, replaced, mobile) =>
      change(userId, async ({ confirmed, unconfirmed, theDefault }, client) => {
        if (unconfirmed !== mobile || !confirmed.includes(replaced)) return false;
        await client.query(DELETE, [userId, replaced]);
        await client.query(
          'update phones set is_confirmed = true where user_id = $1 and mobile = $2',
          [userId, mobile],
        );
        if (theDefault === replaced) await client.query(SET_DEFAULT, [userId, mobile]);
        return true;
      }),
    remove: (userId, mobile, { keepsLast }) =>
      change(userId, async ({ confirmed, unconfirmed, theDefault }, client) => {
        const others = confirmed.filter((own) => own !== mobile);
        const isLast = others.length === 0 && mobile !== unconfirmed;
        if ((keepsLast && isLast) || ![...confirmed, unconfirmed].includes(mobile)) return false;
        await client.query(DELETE, [userId, mobile]);
        if (theDefault === mobile) await client.query(SET_DEFAULT, [userId, others[0]]);
        return true;
      }),
    setDefault: (userId, mobile) =>
      change(userId, async ({ confirmed }, client) => {
        if (!confirmed.includes(mobile)) return false;
        await client.query(UNSET_DEFAULT, [userId]);
        await client.query(SET_DEFAULT, [userId, mobile]);
        return true;
      }),
  };
}

/** A user's numbers as they were when the row was locked. */
class Numbers {
  readonly confirmed: readonly string[];
  readonly unconfirmed: string | undefined;
  readonly theDefault: string | undefined;

  constructor(entries: readonly PhoneEntry[]) {
    this.confirmed = entries.filter(({ isConfirmed }) => isConfirmed).map(({ mobile }) => mobile);
    this.unconfirmed = entries.find(({ isConfirmed }) => !isConfirmed)?.mobile;
    this.theDefault = entries.find(({ isDefault }) => isDefault)?.mobile;
  }
}
