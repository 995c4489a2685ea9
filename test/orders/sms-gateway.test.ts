import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isCompleteRun } from '../support/complete-run';
import { makeWorld, type World } from './app';
import { judge, judgeMishaps } from './judge';
import { fakeTime } from './fake-time';
import { Points } from './points';
import { findProblems } from './report';
import type { Scenario, State } from './scenarios';
import { LIVE_PAIRS, QUICK_SINGLES, quickPairs } from './sets';

const STATES: readonly State[] = ['pending', 'logged-in', 'stepping-up', 'enrolling', 'waiting'];

const pairs = STATES.flatMap(quickPairs);

const toRow = (scenario: Scenario): [string, Scenario] => [
  [scenario.state, ...scenario.verbs].join(' '),
  scenario,
];

describe('with smsGateway, whose store is asked between the calls of a login', () => {
  let world: World;
  beforeAll(() => {
    fakeTime();
    world = makeWorld(new Points(), { hasSmsGateway: true });
  });

  test.each(pairs.map(toRow))(
    '%s: two requests end as whole requests do, or in a way that harms nobody',
    async (_title, scenario) => {
      const report = await judge(world, scenario);
      expect(report.orders).toBeGreaterThan(1);
      expect(findProblems(report)).toEqual([]);
      jest.clearAllTimers();
    },
  );

  const describeComplete = isCompleteRun ? describe : describe.skip;
  describeComplete('while two codes are live', () => {
    // With at most two preemptions: a code that is judged at two texts makes many calls.
    test.each(LIVE_PAIRS.map(toRow))(
      '%s: two requests end as whole requests do, or in a way that harms nobody',
      async (_title, scenario) => {
        expect(findProblems(await judge(world, scenario, { mostPreemptions: 2 }))).toEqual([]);
        jest.clearAllTimers();
      },
    );
  });

  test.each(QUICK_SINGLES.map(toRow))(
    '%s: a call that goes wrong harms nobody',
    async (_title, scenario) => {
      expect(findProblems(await judgeMishaps(world, scenario))).toEqual([]);
      jest.clearAllTimers();
    },
  );
});
