import type { CommandCall } from '../command';
import type { Finding } from './finding';

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
