import type { DoctorResult } from '../../../src/cli/doctor/check-result';
import { jsonOf, runCli, type TerminalOptions } from './terminal';

/** Runs doctor and reads its results. */
export async function runDoctor(
  options: TerminalOptions,
  ...argv: readonly string[]
): Promise<{ code: number; results: readonly DoctorResult[]; output: string }> {
  const ended = await runCli(['doctor', '--json', ...argv], options);
  // The command has written its results.
  const { checks } = jsonOf(ended) as { checks: readonly DoctorResult[] };
  return { code: ended.code, results: checks, output: ended.stdout + ended.stderr };
}

/** The results of the checks that were made. */
export function testedOf(results: readonly DoctorResult[]): readonly DoctorResult[] {
  return results.filter(({ status }) => status !== 'not-tested');
}

export function resultOf(results: readonly DoctorResult[], check: string): DoctorResult {
  const found = results.find((result) => result.check === check);
  if (found === undefined) throw new Error(`no result of the check ${check}`);
  return found;
}
