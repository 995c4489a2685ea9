import { type Answer, keepCookies, type World } from './app';
import type { Subject } from './explorer';
import { observe, type Outcome } from './outcome';
import { type NamedRequest, nameRequests, type Scenario } from './scenarios';
import { ACTIONS, type Person, prepare, type Situation } from './situations';

/** Returns the requests that leave one after the other, by the name of who makes them. */
function findActors(
  requests: readonly NamedRequest[],
): ReadonlyMap<string, readonly NamedRequest[]> {
  const actors = new Map<string, NamedRequest[]>();
  for (const request of requests)
    actors.set(request.actor, [...(actors.get(request.actor) ?? []), request]);
  return actors;
}

/**
 * Makes a scenario something to explore.
 * @param requests Those that run, where it is not all of them.
 */
export function toSubject(
  world: World,
  scenario: Scenario,
  requests = nameRequests(scenario),
): Subject<Outcome> {
  let situation: Situation;
  let bringBack: (() => Promise<void>) | undefined;
  const answers = new Map<string, Answer>();

  /** Each request leaves once the one before was answered, or its process has crashed. */
  async function run(actor: string, asked: readonly NamedRequest[]): Promise<void> {
    let person: Person | undefined;
    for (const { name, verb, place } of asked) {
      const from: Person = person ?? situation[place];
      const answer = await world.points.run(name, () => ACTIONS[verb](world, from), actor);
      if (answer === null) continue;
      answers.set(name, answer);
      person = follow(world, from, name, answer);
    }
  }

  return {
    prepare: async () => {
      answers.clear();
      if (bringBack === undefined) {
        situation = await prepare(world, scenario);
        bringBack = world.keep();
      } else await bringBack();
      world.gateway.startCounting();
      world.answered.count = 0;
      world.gateway.acceptsTwice = scenario.acceptsTwice === true;
    },
    start: () =>
      new Map(Array.from(findActors(requests), ([actor, asked]) => [actor, run(actor, asked)])),
    observe: (run) => observe(world, scenario, situation, { ...run, answers }),
  };
}

/** Returns what a person knows after an answer. */
function follow(world: World, person: Person, request: string, answer: Answer): Person {
  const { pin } = world.gateway.texts.findLast(({ by }) => by === request) ?? person;
  const challenge = answer.body.challenge ?? person.challenge;
  const jar = keepCookies(person.jar, answer);
  return { ...person, jar, deviceJar: keepCookies(person.deviceJar, answer), pin, challenge };
}
