import type { World } from './app';
import { explore, runInTurn, type SearchOptions } from './explorer';
import { Expectation, listParts } from './harmless';
import { findHarms, findReached, type Harm } from './invariants';
import { describe, type Outcome } from './outcome';
import { nameRequests, type NamedRequest, type Scenario } from './scenarios';
import { toSubject } from './subject';

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
  const requests = nameRequests(scenario);
  for (const turns of listTurns(requests)) {
    const { outcome } = await runInTurn(world.points, subject, turns);
    const harms = findHarms(scenario, outcome);
    if (harms.length > 0) {
      throw new Error(
        `a rule that whole requests break: ${harms.join(', ')}: ${describe(outcome)}`,
      );
    }
    expectation.add(outcome);
  }
  for (const part of listParts(scenario)) {
    const others = requests.filter(({ name }) => !part.includes(name));
    const rest = toSubject(world, scenario, others);
    for (const turns of listTurns(others)) {
      expectation.addWithout(part, (await runInTurn(world.points, rest, turns)).outcome);
    }
  }
  return expectation;
}

/** Lists every order of whole requests; those of a chain stay one after the other. */
function listTurns(requests: readonly NamedRequest[]): readonly (readonly string[])[] {
  if (requests.length === 0) return [[]];
  return requests
    .filter((one) => requests.find(({ actor }) => actor === one.actor) === one)
    .flatMap((one) =>
      listTurns(requests.filter((other) => other !== one)).map((rest) => [one.name, ...rest]),
    );
}
