import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';

import { StoreError } from '../../src/errors';
import { postgresStore } from 'passport-sms-otp/postgres';

const UNDONE = Object.assign(new Error('could not serialize access'), { code: '40001' });

it('a statement that PostgreSQL undoes again and again is repeated until its caller is refused, and not after that', async () => {
  let tries = 0;
  const store = postgresStore({
    query: async () => {
      tries += 1;
      await wait(150);
      throw UNDONE;
    },
  });
  await expect(store.pendingLogins.end('a')).rejects.toThrow(StoreError);
  const made = tries;
  expect(made).toBeGreaterThan(3);
  // Longer than a try and the pause before it.
  await wait(600);
  expect(tries).toBe(made);
});
