import type { Finding } from '../../../src/cli/doctor/check-result';
import { jsonOf, runCli, type TerminalOptions } from './terminal';

/** Runs doctor and reads what it has found. */
export async function examineWith(
  options: TerminalOptions,
  ...argv: readonly string[]
): Promise<{ code: number; findings: readonly Finding[]; output: string }> {
  const ended = await runCli(['doctor', '--json', ...argv], options);
  // The command has written its findings.
  const { findings } = jsonOf(ended) as { findings: readonly Finding[] };
  return { code: ended.code, findings, output: ended.stdout + ended.stderr };
}

export function findingOf(findings: readonly Finding[], check: string): Finding {
  const found = findings.find((finding) => finding.check === check);
  if (found === undefined) throw new Error(`no finding about ${check}`);
  return found;
}
