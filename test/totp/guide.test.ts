import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createTotpSecret, totpFactor, type TotpFactorOptions } from 'passport-sms-otp/totp';
import { describeWithService } from '../services/describe-with-service';
import { usePostgres } from '../services/use-service';
import { enter, NEW, SECRET, show } from './authenticator';

const guide = readFileSync(join(__dirname, '../../docs/other-factors.md'), 'utf8');

/** The statement of the guide that begins so. */
function readSql(start: string): string {
  const found = new RegExp(`${start}[^'\`;]*`).exec(guide)?.[0];
  if (found === undefined) throw new Error(`The guide has no statement that begins with ${start}`);
  return found;
}

const idOf = (user: Express.User): string => (user as unknown as { readonly id: string }).id;

describe('the guide', () => {
  it('has one statement of each kind', () => {
    for (const start of [
      'CREATE TABLE',
      'SELECT sealed',
      'UPDATE authenticator_apps',
      'INSERT INTO',
    ]) {
      expect(guide.split(start)).toHaveLength(2);
    }
  });
});

describeWithService('postgres')('the statements of the guide in PostgreSQL', () => {
  const postgres = usePostgres((pool) => pool.query(readSql('CREATE TABLE')));
  let options: TotpFactorOptions;
  let nowMs: number;

  beforeEach(async () => {
    await postgres.pool.query('DELETE FROM authenticator_apps');
    nowMs = 1_900_000_000_000;
    options = {
      secret: SECRET,
      now: () => nowMs,
      findSecret: async (user) => {
        const { rows } = await postgres.pool.query<{ sealed: string }>(readSql('SELECT sealed'), [
          idOf(user),
        ]);
        return rows[0]?.sealed ?? null;
      },
      acceptStep: async (user, step) => {
        const { rowCount } = await postgres.pool.query(readSql('UPDATE authenticator_apps'), [
          idOf(user),
          step,
        ]);
        return rowCount === 1;
      },
    };
  });

  /** Sets the authenticator app up as the guide does, with one right code. */
  async function setUp(): Promise<string> {
    const { sealed: waiting, key } = await createTotpSecret(NEW);
    const trial = totpFactor({
      ...options,
      findSecret: () => waiting,
      acceptStep: async (user, step) => {
        await postgres.pool.query(readSql('INSERT INTO'), [idOf(user), waiting, step]);
        return true;
      },
    });
    await expect(enter(trial, '123')).resolves.toBe(false);
    await expect(enter(totpFactor(options), show(key, nowMs))).resolves.toBe(false);
    await expect(enter(trial, show(key, nowMs))).resolves.toBe(true);
    return key;
  }

  it('accept a code once, of ten requests at the same moment, and none that is older', async () => {
    const key = await setUp();
    const factor = totpFactor(options);
    await expect(enter(factor, show(key, nowMs))).resolves.toBe(false);
    nowMs += 60_000;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => enter(factor, show(key, nowMs))),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    await expect(enter(factor, show(key, nowMs, -1))).resolves.toBe(false);
    await expect(enter(factor, show(key, nowMs, 1))).resolves.toBe(true);
  });

  it('put a new authenticator app in the place of the old one', async () => {
    const old = await setUp();
    const key = await setUp();
    nowMs += 60_000;
    await expect(enter(totpFactor(options), show(old, nowMs))).resolves.toBe(false);
    await expect(enter(totpFactor(options), show(key, nowMs))).resolves.toBe(true);
  });
});
