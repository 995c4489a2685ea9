import { expect } from '@jest/globals';
import { type AppDescription, appFacts, type AppUser } from 'passport-sms-otp/app-contract';
import { askAll } from '../../app-contract/support/ask-all';
import { isCompleteRun } from '../../support/complete-run';
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './recipe-users';

/** Facts that a run asks of each recipe; the complete run asks all. */
const PARTS = isCompleteRun ? 1 : 4;
/** Of all facts, those that hold for every recipe. */
const FEWEST = 28;

export const login = {
  path: '/login',
  password: ({ name }: AppUser): string => passwordOf(name).password,
} as const;

export function toUser(name: string): AppUser {
  return { name, phone: new RecipeUsers().phoneOf(name) };
}

export function toUsers(...names: readonly string[]): readonly AppUser[] {
  return names.map(toUser);
}

/** What the recipes have in common; one that differs says so. */
export const RECIPE_APP = {
  users: toUsers('alice', 'bob', 'carol'),
  jsonForms: true,
  login,
  code: { path: '/login/pin' },
  guarded: ['/account'],
  secrets: Object.values(RECIPE_SECRETS),
} as const;

interface Choice {
  /** Titles of facts that cannot be asked of this recipe. */
  readonly leftOut?: readonly string[];
  readonly fewest?: number;
}

/**
 * Asks the facts about an app of a recipe.
 * @param place Of the recipe among all: it decides which of the facts a short run asks.
 */
export async function expectFactsToHold(
  app: AppDescription,
  place: number,
  { leftOut = [], fewest = FEWEST }: Choice = {},
): Promise<void> {
  const facts = appFacts(app);
  // A fact that was renamed would be asked without anybody noticing why it fails.
  expect(facts.map(({ title }) => title)).toEqual(expect.arrayContaining([...leftOut]));
  const asked = facts.filter(
    ({ title }, index) => (index + place) % PARTS === 0 && !leftOut.includes(title),
  );
  const { holds, failures } = await askAll(asked);
  expect(failures.map(({ message }) => message)).toEqual([]);
  expect(holds.length).toBeGreaterThan(fewest / PARTS);
}
