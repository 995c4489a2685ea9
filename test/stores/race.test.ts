import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postgresStore } from 'passport-sms-otp/postgres';
import { storeRace } from 'passport-sms-otp/testing';
import { describeWithSqlite } from '../recipes/support/sqlite';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import { isCompleteRun } from '../support/complete-run';
import type { RACED } from './race-stores';

/** Four in the gate, eight in the complete run, with as many calls in all. */
const PROCESSES = isCompleteRun ? 8 : 4;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sms-otp-race-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the module that an author of a store would write, and lets it race. */
async function race(store: keyof typeof RACED, place: number | string): Promise<void> {
  const path = join(folder, `${store}.cjs`);
  const stores = JSON.stringify(require.resolve('./race-stores'));
  const given = `${JSON.stringify(store)}](${JSON.stringify(String(place))}, process)`;
  writeFileSync(path, `exports.makeStore = (process) => require(${stores}).RACED[${given};\n`);
  const execArgv = ['--require', require.resolve('tsx/cjs')];
  await storeRace(path, { processes: PROCESSES, execArgv });
}

describeWithService('redis')(`${PROCESSES} processes at once, half with each library,`, () => {
  it('win no more than they may through Redis', async () => {
    const server = await startRedis();
    await expect(race('redis', server.port)).resolves.toBeUndefined();
    await server.close();
  });
});

describeWithService('postgres')(`${PROCESSES} processes at once`, () => {
  it('win no more than they may through PostgreSQL', async () => {
    const server = await startPostgres();
    const pool = openPool(server.port);
    await postgresStore(pool).migrate();
    await expect(race('postgres', server.port)).resolves.toBeUndefined();
    await pool.end();
    await server.close();
  });
});

describeWithSqlite()(`${PROCESSES} processes at once on one file`, () => {
  it('win no more than they may through SQLite', async () => {
    await expect(race('sqlite', join(folder, 'race.db'))).resolves.toBeUndefined();
  });
});

describe('a race of processes', () => {
  it('is won once through a file with a lock', async () => {
    await expect(race('locked file', join(folder, 'locked.json'))).resolves.toBeUndefined();
  });

  it('is won too often through a file without a lock', async () => {
    const lost = race('file without a lock', join(folder, 'unlocked.json'));
    await expect(lost).rejects.toThrow(/^the processes have won \d/);
  });

  it('fails where a process ends', async () => {
    const path = join(folder, 'none.cjs');
    writeFileSync(path, 'exports.makeStore = () => process.exit(3);\n');
    const execArgv = ['--require', require.resolve('tsx/cjs')];
    await expect(storeRace(path, { execArgv })).rejects.toThrow(
      'A process of the race has ended: it has printed why',
    );
  });
});
