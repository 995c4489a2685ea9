import type { World } from './app';
import { explore, runInTurn, type SearchOptions } from './explorer';
import { Expectation, listParts } from './harmless';
import { findHarms, findReached, type Harm } from './invariants';
import { describe, type Outcome } from './outcome';
import { nameRequests, type Scenario, toSubject } from './scenarios';

/** What is to be said of an outcome. */
export type Verdict =
  /** Whole requests, one after the other, end like this, but for a word in a refusal. */
  | { readonly kind: 'expected' }
  /** With the names of the kinds in the list of harmless outcomes. */
  | { readonly kind: 'harmless'; readonly names: readonly string[] }
  | { readonly kind: 'harmful'; readonly harms: readonly Harm[] }
  | { readonly kind: 'unexplained' };

/** One outcome of a scenario, with an order that leads to it. */
export interface Found {
  readonly line: string;
  readonly verdict: Verdict;
  readonly path: readonly string[];
  /** How many orders lead to it. */
  orders: number;
}

export interface Report {
  readonly scenario: Scenario;
  readonly orders: number;
  readonly found: readonly Found[];
  /** The harms whose rules had something to guard. */
  readonly reached: ReadonlySet<Harm>;
}

/** Tries the orders of a scenario and compares each outcome with those of whole requests. */
export async function judge(
  world: World,
  scenario: Scenario,
  options?: SearchOptions,
): Promise<Report> {
  const expectation = await expect(world, scenario);
  return collect(world, scenario, options, (outcome, harms) => {
    if (harms.length > 0) return { kind: 'harmful', harms };
    if (expectation.has(outcome)) return { kind: 'expected' };
    const names = expectation.explain(outcome);
    return names === undefined ? { kind: 'unexplained' } : { kind: 'harmless', names };
  });
}

/**
 * Tries the orders in which calls go wrong. What whole requests lead to is no measure here: the
 * rules alone are.
 */
export async function judgeMishaps(
  world: World,
  scenario: Scenario,
  options: SearchOptions = { mostMishaps: 1, mostPreemptions: 0 },
): Promise<Report> {
  return collect(world, scenario, options, (_outcome, harms) => {
    return harms.length > 0 ? { kind: 'harmful', harms } : { kind: 'expected' };
  });
}

async function collect(
  world: World,
  scenario: Scenario,
  options: SearchOptions | undefined,
  toVerdict: (outcome: Outcome, harms: readonly Harm[]) => Verdict,
): Promise<Report> {
  const subject = toSubject(world, scenario);
  const found = new Map<string, Found>();
  const reached = new Set<Harm>();
  let orders = 0;
  for await (const { outcome, path } of explore(world.points, subject, options)) {
    orders += 1;
    for (const harm of findReached(scenario, outcome)) reached.add(harm);
    const line = describe(outcome);
    const harms = findHarms(scenario, outcome);
    // What is harmful about an outcome need not show in its line.
    const key = [line, ...harms].join();
    const known = found.get(key);
    if (known !== undefined) known.orders += 1;
    else found.set(key, { line, path, orders: 1, verdict: toVerdict(outcome, harms) });
  }
  return { scenario, orders, found: [...found.values()], reached };
}

/** Lets the requests run whole, in every order, and once more without each of them. */
async function expect(world: World, scenario: Scenario): Promise<Expectation> {
  const expectation = new Expectation(scenario);
  const subject = toSubject(world, scenario);
  const requests = nameRequests(scenario.verbs);
  for (const turns of permutations(requests.map(([name]) => name))) {
    const { outcome } = await runInTurn(world.points, subject, turns);
    const harms = findHarms(scenario, outcome);
    if (harms.length > 0) {
      throw new Error(
        `a rule that whole requests break: ${harms.join(', ')}: ${describe(outcome)}`,
      );
    }
    expectation.add(outcome);
  }
  for (const part of listParts(requests.map(([name]) => name))) {
    const others = requests.filter(([name]) => !part.includes(name));
    const rest = toSubject(world, scenario, others);
    for (const turns of permutations(others.map(([name]) => name))) {
      expectation.addWithout(part, (await runInTurn(world.points, rest, turns)).outcome);
    }
  }
  return expectation;
}

function permutations<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}
