import { expect } from '@jest/globals';
import { type AppDescription, appChecks } from 'passport-sms-otp/testing';
import { isCompleteRun } from '../../support/complete-run';
import { askAll } from './ask-all';

interface Selection {
  /** A short run makes one of so many checks; the complete run makes all. */
  readonly oneOf: number;
  /** Which of them a short run begins with. Default: the first. */
  readonly place?: number;
  /** Titles of checks that cannot be run on this app. */
  readonly leftOut?: readonly string[];
  /** Of all checks, those that the app passes at least. */
  readonly fewest: number;
}

/** Runs checks on an app. */
export async function expectToPass(
  app: AppDescription,
  { oneOf, place = 0, leftOut = [], fewest }: Selection,
): Promise<void> {
  const parts = isCompleteRun ? 1 : oneOf;
  const checks = appChecks(app);
  // A check that was renamed would fail for a reason that is hard to see.
  expect(checks.map(({ title }) => title)).toEqual(expect.arrayContaining([...leftOut]));
  const asked = checks.filter(
    ({ title }, index) => (index + place) % parts === 0 && !leftOut.includes(title),
  );
  const { passed, failures } = await askAll(asked);
  expect(failures.map(({ message }) => message)).toEqual([]);
  expect(passed.length).toBeGreaterThan(fewest / parts);
}
