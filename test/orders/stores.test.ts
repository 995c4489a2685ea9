import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { postgresStore } from 'passport-sms-otp/postgres';
import { redisStore } from 'passport-sms-otp/redis';
import { describeWithService } from '../services/describe-with-service';
import { openPool, startPostgres } from '../services/postgres';
import { startRedis } from '../services/redis';
import { connectNodeRedis } from '../stores/redis-clients';
import { isCompleteRun } from '../support/complete-run';
import { makeWorld, type World } from './app';
import {
  CHECKED_TWO_BROWSERS,
  QUICK_TWO_BROWSERS,
  QUICK_TWO_USERS,
  TWO_USERS,
} from './beside-sets';
import { explore, repeat } from './explorer';
import { findHarms } from './invariants';
import { describe } from './outcome';
import { fakeTime } from './fake-time';
import { Points } from './points';
import type { Scenario } from './scenarios';
import { LIVE_PAIRS, quickPairs } from './sets';
import { toSubject } from './subject';

const STATES = ['pending', 'logged-in', 'stepping-up', 'enrolling', 'waiting'] as const;

/** A store that is empty before each run. */
interface OpenStore {
  readonly makeStore: () => Required<SmsOtpStore>;
  readonly emptyStore: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const STORES: Readonly<Record<'redis' | 'postgres', () => Promise<OpenStore>>> = {
  async redis() {
    const server = await startRedis();
    const { client, close } = await connectNodeRedis(server.port);
    let runs = 0;
    return {
      // Another prefix is another store.
      makeStore: () =>
        redisStore(client, { prefix: `run-${(runs += 1)}`, onWarning: () => undefined }),
      emptyStore: () => Promise.resolve(),
      close: async () => {
        await close();
        await server.close();
      },
    };
  },
  async postgres() {
    const server = await startPostgres();
    const pool = openPool(server.port, { max: 4 });
    // Nothing is pruned beside the calls: that would meet the tables being emptied.
    const store = postgresStore(pool, { random: () => 1 });
    await store.migrate();
    const { rows } = await pool.query<{ tables: string }>(
      "SELECT string_agg(tablename, ', ') AS tables FROM pg_tables WHERE schemaname = 'public'",
    );
    const tables = rows[0]?.tables ?? '';
    return {
      makeStore: () => store,
      emptyStore: () => pool.query(`TRUNCATE ${tables}`),
      close: async () => {
        await pool.end();
        await server.close();
      },
    };
  },
};

/** The outcomes of all orders on the memory store, each with one that leads to it. */
const listed = new Map<Scenario, ReadonlyMap<string, readonly string[]>>();
/** The complete run tries all of the quick part's pairs, the others one of each state. */
const mostPairs = isCompleteRun ? Infinity : 1;
const scenarios: ReadonlyMap<string, readonly Scenario[]> = new Map([
  ...STATES.map((state) => [state, quickPairs(state).slice(0, mostPairs)] as const),
  ['resent', LIVE_PAIRS.slice(0, mostPairs)],
  ['two browsers', isCompleteRun ? CHECKED_TWO_BROWSERS : QUICK_TWO_BROWSERS.slice(0, 1)],
  ['two users', isCompleteRun ? TWO_USERS : QUICK_TWO_USERS.slice(0, 1)],
]);

for (const name of ['redis', 'postgres'] as const) {
  describeWithService(name)(`the same orders on memory and ${name}`, () => {
    let store: OpenStore;
    let memory: World;
    let world: World;
    beforeAll(async () => {
      store = await STORES[name]();
      fakeTime();
      memory = makeWorld(new Points(), {
        makeStore: (now) => memoryStore({ now }),
        emptyStore: () => Promise.resolve(),
      });
      world = makeWorld(new Points(), store);
    });
    afterAll(async () => {
      jest.useRealTimers();
      await store.close();
    });

    test.each([...scenarios.keys()])(
      '%s: every outcome of two requests is the same',
      async (name) => {
        let outcomes = 0;
        const pairs = scenarios.get(name) ?? [];
        for (const scenario of pairs) {
          for (const [line, path] of await listOutcomes(scenario)) {
            const { outcome } = await repeat(world.points, toSubject(world, scenario), path);
            expect(describe(outcome)).toBe(line);
            expect(findHarms(scenario, outcome)).toEqual([]);
            outcomes += 1;
          }
        }
        expect(outcomes).toBeGreaterThanOrEqual(pairs.length);
      },
    );

    async function listOutcomes(
      scenario: Scenario,
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const known = listed.get(scenario);
      if (known !== undefined) return known;
      const found = new Map<string, readonly string[]>();
      for await (const { outcome, path } of explore(memory.points, toSubject(memory, scenario))) {
        found.set(describe(outcome), path);
      }
      listed.set(scenario, found);
      return found;
    }
  });
}
