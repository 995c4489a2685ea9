import { AppCheckError, type AppCheck } from 'passport-sms-otp/testing';

/** What came of some checks of one app. */
export interface Outcomes {
  readonly passed: readonly string[];
  readonly notApplicable: readonly string[];
  readonly failures: readonly AppCheckError[];
}

/** Runs checks one after another. */
export async function askAll(checks: readonly AppCheck[]): Promise<Outcomes> {
  const passed: string[] = [];
  const notApplicable: string[] = [];
  const failures: AppCheckError[] = [];
  for (const { title, run } of checks) {
    try {
      const { outcome } = await run();
      (outcome === 'passed' ? passed : notApplicable).push(title);
    } catch (error) {
      if (!(error instanceof AppCheckError)) throw error;
      failures.push(error);
    }
  }
  return { passed, notApplicable, failures };
}
