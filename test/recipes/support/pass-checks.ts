import { expect } from '@jest/globals';
import { type AppDescription, appChecks, type AppUser } from 'passport-sms-otp/testing';
import { askAll } from '../../app-checks/support/ask-all';
import { isCompleteRun } from '../../support/complete-run';
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './recipe-users';

/** Checks that a run makes of each recipe; the complete run makes all. */
const PARTS = isCompleteRun ? 1 : 4;
/** Of all checks, those that every recipe passes. */
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
  /** Titles of checks that cannot be run on this recipe. */
  readonly leftOut?: readonly string[];
  readonly fewest?: number;
}

/**
 * Runs the checks on an app of a recipe.
 * @param place Of the recipe among all: it decides which of the checks a short run makes.
 */
export async function expectChecksToPass(
  app: AppDescription,
  place: number,
  { leftOut = [], fewest = FEWEST }: Choice = {},
): Promise<void> {
  const checks = appChecks(app);
  // A check that was renamed would fail for a reason that is hard to see.
  expect(checks.map(({ title }) => title)).toEqual(expect.arrayContaining([...leftOut]));
  const asked = checks.filter(
    ({ title }, index) => (index + place) % PARTS === 0 && !leftOut.includes(title),
  );
  const { passed, failures } = await askAll(asked);
  expect(failures.map(({ message }) => message)).toEqual([]);
  expect(passed.length).toBeGreaterThan(fewest / PARTS);
}
