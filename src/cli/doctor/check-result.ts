import { SmsOtpError } from '../../errors';
import type { CommandCall } from '../command';
import { explain } from '../explain';
import { CommandFailure } from '../failures';

/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly status: 'pass' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; null where nothing is to be done. */
  readonly advice: string | null;
}

export function pass(check: string, detail: string): Finding {
  return { check, status: 'pass', detail, advice: null };
}

export function warn(check: string, detail: string, advice: string): Finding {
  return { check, status: 'warn', detail, advice };
}

export function fail(check: string, detail: string, advice: string | null): Finding {
  return { check, status: 'fail', detail, advice };
}

/** An expected error as a finding. What is none of ours is thrown on. */
export function toFinding(check: string, error: unknown, status: 'warn' | 'fail' = 'fail'): Finding {
  if (!(error instanceof SmsOtpError) && !(error instanceof CommandFailure)) throw error;
  const { message, advice } = explain(error);
  return { check, status, detail: message, advice };
}

const CHECK_WIDTH = 13;

/** One line a finding, and one below it with what to do. */
export function showFinding({ screen }: CommandCall, { check, status, detail, advice }: Finding): void {
  const { green, yellow, red, dim } = screen.style;
  const paint = { pass: green, warn: yellow, fail: red }[status];
  screen.line(`  ${paint(status)}  ${check.padEnd(CHECK_WIDTH)}${detail}`);
  if (advice !== null) screen.line(`        ${' '.repeat(CHECK_WIDTH)}${dim('→')} ${advice}`);
}

/** "8 passed, 1 warning, 1 failed". */
export function showTotals({ screen }: CommandCall, findings: readonly Finding[]): void {
  const { green, yellow, red } = screen.style;
  const count = (status: Finding['status']): number => findings.filter((one) => one.status === status).length;
  const [passed, warned, failed] = [count('pass'), count('warn'), count('fail')];
  const parts = [
    green(`${passed} passed`),
    ...(warned > 0 ? [yellow(`${warned} warning${warned === 1 ? '' : 's'}`)] : []),
    ...(failed > 0 ? [red(`${failed} failed`)] : []),
  ];
  screen.line(`\n  ${parts.join(', ')}`);
}
