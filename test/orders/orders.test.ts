import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isCompleteRun } from '../support/complete-run';
import { makeWorld, type World } from './app';
import {
  CHANGES_AGAIN,
  CHECKED_TWO_BROWSERS,
  LOGINS_BESIDE,
  QUICK_TWO_BROWSERS,
  QUICK_TWO_USERS,
  TWO_BROWSERS,
  TWO_USERS,
} from './beside-sets';
import { explore, repeat, runInTurn, type SearchOptions } from './explorer';
import { HARMLESS, WORTHLESS } from './harmless';
import { findHarms, type Harm, HARMS } from './invariants';
import { type Found, judge, judgeMishaps, type Report } from './judge';
import { JOINED, JOINED_CHAINS } from './joined-sets';
import { KNOWN_HARMS, listPairs, toPair } from './known-harms';
import { describe as describeOutcome } from './outcome';
import { fakeTime } from './fake-time';
import { Points, writes } from './points';
import { findProblems, HEADING, readLine, toRow, toSums } from './report';
import { type Scenario, STATES, VERBS } from './scenarios';
import {
  allPairs,
  checkedPairs,
  ENDLESS,
  LIVE_FOUR,
  LIVE_PAIRS,
  LIVE_SINGLES,
  LIVE_TRIPLES,
  PAIRS_IN_TURN,
  QUICK_SINGLES,
  QUICK_WITHOUT_LOGINS,
  quickPairs,
  SINGLES,
  TRIPLES,
  TWICE,
  WITHOUT_LOGINS,
} from './sets';
import { toSubject } from './subject';

/**
 * `ORDERS=all` tries everything and prints the table, `ORDERS='<line>'` repeats one order, without
 * it a part is tried: in the complete run all pairs but those that one state has in common with
 * another, the most frequent ones otherwise.
 */
const { ORDERS: asked = '' } = process.env;
const isComplete = asked === 'all';
const hasMostPairs = isComplete || isCompleteRun;
const MINUTE = 60_000;
/** For a test that explores one part, which takes its time on a busy machine. */
const PART_MS = (isComplete ? 240 : hasMostPairs ? 60 : 5) * MINUTE;
/** For a test that explores everything, because it runs alone or first. */
const EVERYTHING_MS = (isComplete ? 600 : hasMostPairs ? 180 : 15) * MINUTE;

/** Rules that only orders reach in which a call goes wrong: of two browsers, in the complete run. */
const REACHED_IN_ALL: readonly Harm[] = [
  'a change that failed is not completed by the same request',
];

/** The kinds of harmless outcomes that the most frequent pairs have already. */
const ALWAYS_FOUND = ['a refusal that leaves nothing', 'a text for nothing'];

const reports: Report[] = [];
const startedAt = performance.now();
let world: World;
let worldWithoutLogins: World;

/** The complete run prints its table as it goes. */
function print(row: string): void {
  if (isComplete) process.stdout.write(row);
}

beforeAll(() => {
  fakeTime();
  world = makeWorld(new Points());
  worldWithoutLogins = makeWorld(new Points(), { hasLogins: false });
  print(HEADING);
});

afterAll(() => {
  print(toSums(reports, (performance.now() - startedAt) / 1000));
});

function worldOf({ hasNoLogins }: Scenario): World {
  return hasNoLogins === true ? worldWithoutLogins : world;
}

type Judge = (world: World, scenario: Scenario, options?: SearchOptions) => Promise<Report>;

/** Explores some scenarios, once, whichever test asks first. */
type Part = () => Promise<readonly Report[]>;

function toPart(
  scenarios: readonly Scenario[],
  judgeOne: Judge = judge,
  options?: SearchOptions,
): Part {
  let reported: Promise<readonly Report[]> | undefined;
  return () => (reported ??= exploreAll(scenarios, judgeOne, options));
}

async function exploreAll(
  scenarios: readonly Scenario[],
  judgeOne: Judge,
  options?: SearchOptions,
): Promise<readonly Report[]> {
  const made: Report[] = [];
  for (const scenario of scenarios) {
    const report = await judgeOne(worldOf(scenario), scenario, options);
    made.push(report);
    print(toRow(report));
    jest.clearAllTimers();
  }
  reports.push(...made);
  return made;
}

/** Explores a part and returns what is wrong. */
async function findAllProblems(part: Part): Promise<readonly string[]> {
  return (await part()).flatMap(findProblems);
}

const describeUnlessAsked = asked === '' || isComplete ? describe : describe.skip;

describeUnlessAsked('every order of the calls of requests that are under way together', () => {
  const pairsOf = isComplete ? allPairs : hasMostPairs ? checkedPairs : quickPairs;
  const pairs = STATES.map((state) => [state, pairsOf(state)] as const)
    .filter(([, scenarios]) => scenarios.length > 0)
    .map(([state, scenarios]) => [state, toPart(scenarios)] as const);
  const withoutLogins = toPart(isComplete ? WITHOUT_LOGINS : QUICK_WITHOUT_LOGINS);
  const endless = toPart(
    [...ENDLESS, ...ENDLESS.map((pair) => ({ ...pair, hasNoLogins: true }))],
    judge,
    { mostPreemptions: 2 },
  );
  const twice = toPart(TWICE);
  const joined = toPart(JOINED);
  const joinedChains = toPart(JOINED_CHAINS, judge, { mostPreemptions: hasMostPairs ? 2 : 1 });
  const live = toPart(LIVE_PAIRS);
  const liveSingles = toPart(LIVE_SINGLES, judgeMishaps);
  const liveTriples = toPart(LIVE_TRIPLES, judge, { mostPreemptions: 2 });
  const liveFour = toPart(LIVE_FOUR, judge, { mostPreemptions: 2 });
  const singles = toPart(hasMostPairs ? SINGLES : QUICK_SINGLES, judgeMishaps);
  const twoBrowsers = toPart(
    isComplete ? TWO_BROWSERS : hasMostPairs ? CHECKED_TWO_BROWSERS : QUICK_TWO_BROWSERS,
  );
  const twoUsers = toPart(hasMostPairs ? TWO_USERS : QUICK_TWO_USERS);
  const triples = toPart(TRIPLES, judge, { mostPreemptions: 2 });
  const loginsBeside = toPart(LOGINS_BESIDE, judge, { mostPreemptions: 2 });
  const inTurn = toPart(PAIRS_IN_TURN, judgeMishaps);
  const again = toPart(CHANGES_AGAIN, judgeMishaps);

  /** What all tests of this run explore: for those that judge the sum. */
  async function exploreEverything(): Promise<readonly Report[]> {
    const all: Report[] = [];
    const parts = [...pairs.map(([, part]) => part), withoutLogins, twice, live];
    parts.push(joined, joinedChains, singles, liveSingles);
    const beside = [twoBrowsers, twoUsers];
    const most = isComplete
      ? [endless, triples, liveTriples, liveFour, loginsBeside, inTurn, again]
      : [];
    for (const part of [...parts, ...beside, ...most]) all.push(...(await part()));
    return all;
  }

  test.each(pairs)(
    '%s: two requests end as whole requests do, or in a way that harms nobody',
    async (_state, part) => {
      expect(await findAllProblems(part)).toEqual([]);
    },
    PART_MS,
  );

  test(
    'without the option logins a session can come back, in the pairs that the docs name, and nothing else happens',
    async () => {
      expect(await findAllProblems(withoutLogins)).toEqual([]);
    },
    PART_MS,
  );

  test(
    'of two live codes one lets in, once, whatever else is entered or asked for',
    async () => {
      expect(await findAllProblems(live)).toEqual([]);
    },
    PART_MS,
  );

  test(
    'a login form that is submitted twice is one login, which both sessions wait for',
    async () => {
      expect(await findAllProblems(joined)).toEqual([]);
      expect(await findAllProblems(joinedChains)).toEqual([]);
    },
    PART_MS,
  );

  test('a gateway that accepts a right code twice lets nobody in twice', async () => {
    expect(await findAllProblems(twice)).toEqual([]);
  });

  test(
    'a call that fails, is lost or ends the process harms nobody, and shuts nobody out',
    async () => {
      expect(await findAllProblems(singles)).toEqual([]);
      expect(await findAllProblems(liveSingles)).toEqual([]);
    },
    PART_MS,
  );

  test(
    'in two browsers of one user a change ends what it must, and nothing else',
    async () => {
      expect(await findAllProblems(twoBrowsers)).toEqual([]);
    },
    PART_MS,
  );

  test(
    'a second user in the same browser changes nothing for the first, nor the first for the second',
    async () => {
      expect(await findAllProblems(twoUsers)).toEqual([]);
    },
    PART_MS,
  );

  const describeComplete = isComplete ? describe : describe.skip;

  describeComplete('in the complete run', () => {
    test(
      'two confirmations end as whole requests do, or in a way that harms nobody',
      async () => {
        expect(await findAllProblems(endless)).toEqual([]);
      },
      PART_MS,
    );

    test(
      'three requests end as whole requests do, or in a way that harms nobody',
      async () => {
        expect(await findAllProblems(triples)).toEqual([]);
        expect(await findAllProblems(liveTriples)).toEqual([]);
      },
      PART_MS,
    );

    test(
      'of two live codes one lets in, with both, a wrong one and a new text at once',
      async () => {
        expect(await findAllProblems(liveFour)).toEqual([]);
      },
      PART_MS,
    );

    test(
      'a whole login of another browser inside a change is ended, or began after it',
      async () => {
        expect(await findAllProblems(loginsBeside)).toEqual([]);
      },
      PART_MS,
    );

    test(
      'a change in which a call goes wrong is completed by the same request again',
      async () => {
        expect(await findAllProblems(again)).toEqual([]);
      },
      PART_MS,
    );

    test(
      'a call that goes wrong in the first or the second of two requests harms nobody',
      async () => {
        expect(await findAllProblems(inTurn)).toEqual([]);
      },
      PART_MS,
    );
  });

  test(
    'each rule guards a situation that some order reaches',
    async () => {
      const all = await exploreEverything();
      const reached = new Set(all.flatMap((report) => [...report.reached]));
      const harms = HARMS.filter((harm) => isComplete || !REACHED_IN_ALL.includes(harm));
      expect(harms.filter((harm) => !reached.has(harm))).toEqual([]);
    },
    EVERYTHING_MS,
  );

  test(
    'each kind of harmless outcome is still found; one that no order has must go',
    async () => {
      const all = await exploreEverything();
      const found = new Set(all.flatMap((report) => report.found).flatMap(listKinds));
      const reached = HARMLESS.filter(({ isInAllAlone }) => isComplete || !isInAllAlone);
      const kinds = hasMostPairs ? [WORTHLESS, ...reached.map(({ name }) => name)] : ALWAYS_FOUND;
      expect(kinds.filter((name) => !found.has(name))).toEqual([]);
    },
    EVERYTHING_MS,
  );

  test(
    'each known harm is still reached; an entry that no order reaches must go',
    async () => {
      const all = await exploreEverything();
      const found = new Set(all.flatMap(listHarms));
      const known = isComplete
        ? KNOWN_HARMS.flatMap((entry) => listPairs(entry).map((pair) => toKey(entry.harm, pair)))
        : KNOWN_HARMS.map(({ harm }) => harm);
      expect(known.filter((entry) => !found.has(entry))).toEqual([]);
    },
    EVERYTHING_MS,
  );
});

function listKinds({ verdict }: Found): readonly string[] {
  return verdict.kind === 'harmless' ? verdict.names : [];
}

/** The harms of a pair, alone and with the pair. */
function listHarms({ scenario: { verbs, hasNoLogins }, found }: Report): readonly string[] {
  const [one, other] = verbs;
  if (hasNoLogins !== true) return [];
  if (one === undefined || other === undefined || verbs.length > 2) return [];
  const harms = found.flatMap(({ verdict }) => (verdict.kind === 'harmful' ? verdict.harms : []));
  return harms.flatMap((harm) => [harm, toKey(harm, toPair(one, other))]);
}

function toKey(harm: Harm, pair: string): string {
  return `${harm}: ${pair}`;
}

describeUnlessAsked('the explorer', () => {
  const collect = async (scenario: Scenario, options: SearchOptions): Promise<Set<string>> => {
    const lines = new Set<string>();
    for await (const { outcome } of explore(world.points, toSubject(world, scenario), options)) {
      lines.add(describeOutcome(outcome));
    }
    return lines;
  };

  test('the orders that are left out, because they differ in calls that share nothing, have no outcome of their own', async () => {
    const small: Scenario = { state: 'logged-in', verbs: ['logout', 'guard'] };
    expect(await collect(small, {})).toEqual(await collect(small, { isReduced: false }));
    const large: Scenario = { state: 'pending', verbs: ['resend', 'resend'] };
    const all = await collect(large, {});
    const some = await collect(large, { mostPreemptions: 1 });
    expect([...some].filter((line) => !all.has(line))).toEqual([]);
    expect(some.size).toBeGreaterThan(1);
  });

  test.each(STATES)(
    '%s: a situation that is brought back is the one that requests have made',
    async (state) => {
      for (const verb of VERBS) {
        const subject = toSubject(world, { state, verbs: [verb] });
        const [made, broughtBack] = [
          await runInTurn(world.points, subject, [verb]),
          await runInTurn(world.points, subject, [verb]),
        ];
        expect(broughtBack.path).toEqual(made.path);
        expect(describeOutcome(broughtBack.outcome)).toBe(describeOutcome(made.outcome));
        expect(broughtBack.outcome.judged).toEqual(made.outcome.judged);
      }
    },
  );

  test('no run begins that would be left off, because its orders are tried elsewhere', async () => {
    const scenario: Scenario = { state: 'stepping-up', verbs: ['right', 'resend'] };
    const subject = toSubject(world, scenario);
    let runs = 0;
    const prepare = (): Promise<void> => {
      runs += 1;
      return subject.prepare();
    };
    let orders = 0;
    for await (const { outcome } of explore(world.points, { ...subject, prepare }))
      orders += outcome.replies.length / 2;
    expect(orders).toBeGreaterThan(10);
    expect(runs).toBe(orders);
  });

  test('requests that share something without a call cannot be explored', async () => {
    const points = new Points();
    let isDone = false;
    const call = (name: string, key: string): Promise<void> => {
      return points.call({
        name,
        touches: [writes(key)],
        work: () => undefined,
        toError: () => new Error(name),
      });
    };
    const one = async (): Promise<void> => {
      await call('first', 'a');
      isDone = true;
    };
    const other = async (): Promise<void> => {
      await call('second', 'b');
      await call(isDone ? 'late' : 'early', 'a');
    };
    const requests = Object.entries({ one, other });
    const explored = explore(points, {
      prepare: () => Promise.resolve(void (isDone = false)),
      start: () => new Map(requests.map(([name, run]) => [name, points.run(name, run)])),
      observe: () => Promise.resolve(null),
    });
    const all = async (): Promise<void> => {
      for await (const { path } of explored) expect(path).toHaveLength(3);
    };
    await expect(all()).rejects.toThrow('a request depends on what no call reads');
  });

  test('an order that was found is repeated by its calls alone', async () => {
    const scenario: Scenario = { state: 'logged-in', verbs: ['step-up', 'logout'] };
    const { found } = await judge(world, scenario);
    for (const { line, path } of found) {
      const { outcome } = await repeat(world.points, toSubject(world, scenario), path);
      expect(describeOutcome(outcome)).toBe(line);
    }
  });

  test('an order that cannot be repeated says where', async () => {
    const scenario: Scenario = { state: 'pending', verbs: ['guard'] };
    const repeated = repeat(world.points, toSubject(world, scenario), ['guard:gateway.generate']);
    await expect(repeated).rejects.toThrow(
      'the order cannot be repeated: guard:gateway.generate is not there, but guard:session.get',
    );
  });
});

const describeAsked = asked === '' || isComplete ? describe.skip : describe;

describeAsked('the order that ORDERS names', () => {
  test('it harms nobody', async () => {
    const { scenario, path } = readLine(asked);
    const asWorld = worldOf(scenario);
    const { outcome } = await repeat(asWorld.points, toSubject(asWorld, scenario), path);
    process.stdout.write(`${describeOutcome(outcome)}\n`);
    expect(findHarms(scenario, outcome)).toEqual([]);
  });
});
