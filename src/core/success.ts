import type { Core } from './context';
import type { Success, Written } from './feature';
import type { Refusal } from './outcome';
import type { Visit } from './visit';

/**
 * Asks every feature what a success changes, in their order. Returns the first refusal, and asks
 * no further then: nothing is written yet.
 */
export async function askFeatures(
  { features }: Core,
  success: Success,
  visit: Visit,
): Promise<readonly Written[] | Refusal> {
  const all: Written[] = [];
  for (const feature of features) {
    const answer = (await feature.onSuccess?.(success, visit)) ?? null;
    if (answer === null) continue;
    if ('reason' in answer) return answer;
    all.push(answer);
  }
  return all;
}
