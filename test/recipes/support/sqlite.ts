import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { hasSqlite } from './open-sqlite';

/** Returns paths of files that are not there yet. They are removed after the last test of a block. */
export function useSqliteFiles(): () => string {
  let [folder, files] = ['', 0];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sms-otp-sqlite-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => join(folder, `${(files += 1)}.db`);
}

/**
 * `describe` for tests of `node:sqlite`. Without it they are skipped, and say so; where this Node
 * should have it, REQUIRE_SERVICES=1 makes that a failure.
 */
export function describeWithSqlite(): (title: string, tests: () => void) => void {
  const { skip } = describe;
  if (hasSqlite) return describe;
  const { node } = process.versions;
  const problem = `Node ${node} has no node:sqlite, and what needs it cannot be tested`;
  const isTooOld = /^(?:1?\d|2[01])\.|^22\.(?:\d|1[0-2])\./.test(node);
  if (!isTooOld && process.env.REQUIRE_SERVICES === '1') throw new Error(problem);
  console.warn(`SKIPPED: ${problem}`);
  return skip;
}
