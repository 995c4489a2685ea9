import type { AppDescription, AppUser } from 'passport-sms-otp/testing';
import { expectToPass } from '../../app-checks/support/expect-to-pass';
import { passwordOf, RECIPE_SECRETS, RecipeUsers } from './recipe-users';

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
export function expectChecksToPass(
  app: AppDescription,
  place: number,
  { fewest = FEWEST, ...choice }: Choice = {},
): Promise<void> {
  return expectToPass(app, { oneOf: 4, place, fewest, ...choice });
}
