import type { Warn } from '../errors';
import type { Core, PreparedSuccess } from './context';
import type { Success, Written } from './feature';
import { callAll } from './follow-up';
import type { Refusal } from './outcome';
import type { Visit } from './visit';

/** The changes of all features for a success, joined. */
export interface JoinedSuccess extends PreparedSuccess {
  /** What the session keeps. */
  readonly kept: object;
  /** The fields that are added to the event `verified`. */
  readonly tells: object;
  /** Calls `done` of every feature. Never rejects. */
  readonly tellDone: () => Promise<void>;
}

/**
 * Asks every feature, in order, what a success changes. Stops at the first refusal and returns it:
 * nothing is written by then.
 */
export async function askFeatures(
  { features, warn }: Pick<Core, 'features' | 'warn'>,
  success: Success,
  visit: Visit,
): Promise<JoinedSuccess | Refusal> {
  const all: Written[] = [];
  for (const feature of features) {
    if (feature.onSuccess === undefined) continue;
    const answer = await feature.onSuccess(success, visit);
    if (answer !== null && 'reason' in answer) return answer;
    if (answer !== null) all.push(answer);
  }
  return join(warn, all);
}

function join(warn: Warn, all: readonly Written[]): JoinedSuccess {
  return {
    kind: 'prepared',
    puts: all.flatMap(({ puts }) => puts ?? []),
    replaces: all.find(({ replaces }) => replaces !== undefined)?.replaces,
    kept: joinFields(all.map(({ kept }) => kept)),
    tells: joinFields(all.map(({ tells }) => tells)),
    tellDone: () =>
      callAll(
        warn,
        all.flatMap(({ done }) => done ?? []),
      ),
  };
}

/**
 * Joins what features add to one object.
 * @throws {TypeError} if two features add a field of the same name.
 */
export function joinFields(parts: readonly (object | undefined)[]): object {
  const joined: Record<string, unknown> = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part ?? {}))) {
    if (Object.hasOwn(joined, name)) throw new TypeError(`two features add ${name}`);
    joined[name] = value;
  }
  return joined;
}
