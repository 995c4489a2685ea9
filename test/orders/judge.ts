import type { World } from './app';
import { explore, runInTurn, type SearchOptions } from './explorer';
import { findHarms, type Harm } from './invariants';
import { describe, type Outcome } from './outcome';
import { nameRequests, type Scenario, toSubject } from './scenarios';

/** What is to be said of an outcome. */
export type Verdict =
  /** Whole requests, one after the other, end like this. */
  | { readonly kind: 'expected' }
  /** The same with another word in a refusal: the other request is only noticed in another place. */
  | { readonly kind: 'another-word' }
  | { readonly kind: 'harm'; readonly harms: readonly Harm[] }
  | { readonly kind: 'unexplained' };

/** One outcome of a scenario, with an order that leads to it. */
export interface Found {
  readonly line: string;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
  readonly path: readonly string[];
  count: number;
}

export interface Report {
  readonly scenario: Scenario;
  readonly orders: number;
  readonly found: readonly Found[];
}

/** Tries the orders of a scenario and compares each outcome with those of whole requests. */
export async function judge(world: World, scenario: Scenario, options: SearchOptions = {}): Promise<Report> {
  const { points } = world;
  const subject = toSubject(world, scenario);
  const names = nameRequests(scenario.verbs).map(([name]) => name);
  const expected = new Set<string>();
  const loosely = new Set<string>();
  for (const turns of permutations(names)) {
    const { outcome } = await runInTurn(points, subject, turns);
    expected.add(describe(outcome));
    loosely.add(describeLoosely(outcome));
    const harms = findHarms(scenario, outcome);
    // A rule that whole requests break is no rule.
    if (harms.length > 0) throw new Error(`${turns.join(', ')} in turn: ${harms.join(', ')}: ${describe(outcome)}`);
  }
  const found = new Map<string, Found>();
  let orders = 0;
  for await (const { outcome, path } of explore(points, subject, options)) {
    orders += 1;
    const line = describe(outcome);
    const known = found.get(line);
    if (known !== undefined) known.count += 1;
    else found.set(line, { line, outcome, path, count: 1, verdict: toVerdict(line, outcome) });
  }
  return { scenario, orders, found: [...found.values()] };

  function toVerdict(line: string, outcome: Outcome): Verdict {
    const harms = findHarms(scenario, outcome);
    if (harms.length > 0) return { kind: 'harm', harms };
    if (expected.has(line)) return { kind: 'expected' };
    return { kind: loosely.has(describeLoosely(outcome)) ? 'another-word' : 'unexplained' };
  }
}

function describeLoosely(outcome: Outcome): string {
  const replies = outcome.replies.map((reply) => {
    const isRefusal = reply.status >= 400 && reply.status < 500;
    return isRefusal ? { ...reply, status: 400, said: 'refused' } : reply;
  });
  // A number that is not confirmed counts for nothing.
  const numbers = outcome.numbers.filter((number) => !number.endsWith('?'));
  return describe({ ...outcome, replies, numbers });
}

function permutations(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length === 0) return [[]];
  return names.flatMap((name) => permutations(names.filter((other) => other !== name)).map((rest) => [name, ...rest]));
}
