import { expect, test } from '@jest/globals';
import { makeWorld, type World } from './app';
import type { HarmShares, SeededFault } from './faults';
import { judge, judgeMishaps, type Report } from './judge';
import { fakeTime } from './fake-time';
import { Points } from './points';

/**
 * Run by `run-faults.ts`, with the fault in the code: tells what the explorer finds in each
 * scenario.
 */
test('the explorer finds what it finds', async () => {
  fakeTime();
  const worlds = [true, false].map((hasLogins) => makeWorld(new Points(), { hasLogins }));
  // Written by `run-faults.ts`.
  const asked = JSON.parse(process.env.ORDERS_SCENARIOS ?? '[]') as Pick<
    SeededFault,
    'scenario' | 'kind'
  >[];
  const results: HarmShares[] = [];
  for (const one of asked) {
    const world = worlds[one.scenario.hasNoLogins === true ? 1 : 0];
    if (world !== undefined) results.push(await explore(world, one));
  }
  process.stdout.write(`RESULTS ${JSON.stringify(results)}\n`);
  expect(results).toHaveLength(asked.length);
}, 300_000);

async function explore(
  world: World,
  { scenario, kind }: Pick<SeededFault, 'scenario' | 'kind'>,
): Promise<HarmShares> {
  try {
    if (kind === 'mishaps') return count(await judgeMishaps(world, scenario));
    if (kind === 'mishaps-preempted')
      return count(await judgeMishaps(world, scenario, { mostMishaps: 1, mostPreemptions: 1 }));
    const mostPreemptions = kind === undefined ? undefined : kind === 'preempted-once' ? 1 : 2;
    return count(
      await judge(world, scenario, mostPreemptions === undefined ? {} : { mostPreemptions }),
    );
  } catch (error) {
    // Even whole requests break a rule, or a call was made that should not have been.
    return { [error instanceof Error ? error.message : 'an error']: 1 };
  }
}

function count({ found, orders: all }: Report): HarmShares {
  const counts: HarmShares = {};
  for (const { verdict, orders } of found) {
    const names =
      verdict.kind === 'harmful'
        ? verdict.harms
        : verdict.kind === 'unexplained'
          ? ['unexplained']
          : [];
    for (const name of names) counts[name] = (counts[name] ?? 0) + orders / all;
  }
  return counts;
}
