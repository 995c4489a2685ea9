import { SmsOtpError } from '../../errors';
import type { CommandCall } from '../command';
import { CommandFailure, explain } from '../failures';

/** The result of one check. */
export interface CheckResult {
  readonly check: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'not-tested';
  readonly detail: string;
  /** What to do; null when there is nothing to do. */
  readonly advice: string | null;
}

export function pass(check: string, detail: string): CheckResult {
  return { check, status: 'pass', detail, advice: null };
}

export function warn(check: string, detail: string, advice: string): CheckResult {
  return { check, status: 'warn', detail, advice };
}

export function fail(check: string, detail: string, advice: string | null): CheckResult {
  return { check, status: 'fail', detail, advice };
}

/** Reports a check that was not made, or that proves nothing. */
export function notTested(check: string, why: string, advice: string | null = null): CheckResult {
  return { check, status: 'not-tested', detail: `not tested: ${why}`, advice };
}

/** Returns an expected error as a result. Throws any other error again. */
export function toResult(check: string, error: unknown, status: 'warn' | 'fail' = 'fail'): CheckResult {
  if (!(error instanceof SmsOtpError) && !(error instanceof CommandFailure)) throw error;
  const { message, advice } = explain(error);
  return { check, status, detail: message, advice };
}

const CHECK_WIDTH = 13;

/** Shows a result on one line, and its advice on a line below. */
export function showResult({ output }: CommandCall, { check, status, detail, advice }: CheckResult): void {
  const { green, yellow, red, dim } = output.style;
  const label = { pass: green('pass'), warn: yellow('warn'), fail: red('fail'), 'not-tested': dim('skip') };
  output.line(`  ${label[status]}  ${check.padEnd(CHECK_WIDTH)}${detail}`);
  if (advice !== null) output.line(`        ${' '.repeat(CHECK_WIDTH)}${dim('→')} ${advice}`);
}

/** "6 passed, 1 warning, 1 failed, 2 not tested". */
export function showTotals({ output }: CommandCall, results: readonly CheckResult[]): void {
  const { green, yellow, red, dim } = output.style;
  const count = (status: CheckResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const [warned, failed, untested] = [count('warn'), count('fail'), count('not-tested')];
  const parts = [
    green(`${count('pass')} passed`),
    ...(warned > 0 ? [yellow(`${warned} warning${warned === 1 ? '' : 's'}`)] : []),
    ...(failed > 0 ? [red(`${failed} failed`)] : []),
    ...(untested > 0 ? [dim(`${untested} not tested`)] : []),
  ];
  output.line(`\n  ${parts.join(', ')}`);
}
