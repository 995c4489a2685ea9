import { describe } from '@jest/globals';

import { findPostgres } from './postgres';
import { findRedis } from './redis';

const findings = { redis: findRedis, postgres: findPostgres };

/**
 * `describe` for tests that need a real server: `describeWithService('redis')('title', () => { …
 * })`. Where the program is not installed they are skipped, and say so; with REQUIRE_SERVICES=1
 * that is a failure.
 */
export function describeWithService(
  service: keyof typeof findings,
): (title: string, tests: () => void) => void {
  const { skip } = describe;
  if (findings[service]() !== null) return describe;
  const problem = `${service} is not installed, and what needs it cannot be tested`;
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(problem);
  console.warn(`SKIPPED: ${problem}`);
  return skip;
}
