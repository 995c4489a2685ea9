import { AppFactError, type AppFact } from 'passport-sms-otp/app-contract';

/** What came of some facts about one app. */
export interface Outcomes {
  readonly holds: readonly string[];
  readonly notApplicable: readonly string[];
  readonly failures: readonly AppFactError[];
}

/** Asks facts one after another. */
export async function askAll(facts: readonly AppFact[]): Promise<Outcomes> {
  const holds: string[] = [];
  const notApplicable: string[] = [];
  const failures: AppFactError[] = [];
  for (const { title, run } of facts) {
    try {
      const { outcome } = await run();
      (outcome === 'holds' ? holds : notApplicable).push(title);
    } catch (error) {
      if (!(error instanceof AppFactError)) throw error;
      failures.push(error);
    }
  }
  return { holds, notApplicable, failures };
}
