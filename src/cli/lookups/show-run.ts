import { toDecimal } from '../../policies/prices/micros';
import type { CommandCall, ExitCode } from '../command';
import { explain } from '../explain';
import type { RunResult, Stop } from './run-tally';

/** What there is to tell at the end. */
export interface RunSummary {
  /** Null: there was nothing to do. */
  readonly run: RunResult | null;
  readonly asked: number;
  readonly known: number;
  readonly duplicates: number;
  readonly oddLines: readonly number[];
  readonly spentMicros: number;
}

const STOPS: Readonly<Record<Stop, string>> = {
  interrupted: 'stopped by Ctrl+C; run it again to go on',
  budget: 'the budget is spent; run it again with another one to go on',
  failures: 'too much failed; run it again when the cause is gone',
};

const SHOWN_LINES = 8;

/** Shows what a run has come to: 0 when every number is known now. */
export function showRun({ args, screen }: CommandCall, summary: RunSummary): ExitCode {
  const { run, asked, known, duplicates, oddLines, spentMicros } = summary;
  const done = run?.done ?? 0;
  const left = asked - done;
  if (args.isOn('json')) {
    const byStatus = Object.fromEntries(run?.byStatus ?? []);
    const spent = toDecimal(spentMicros);
    screen.json({ done, byStatus, known, duplicates, oddLines, spent, left, stop: run?.stop ?? null });
  } else {
    for (const [name, figure, text] of toLines(summary, left)) {
      screen.line(`${screen.style.dim(name.padEnd(11))}${figure.padStart(7)}  ${text}`.trimEnd());
    }
  }
  if (run?.lastError != null) {
    const { message, advice } = explain(run.lastError);
    screen.note(
      `${screen.noteStyle.yellow('warning')}  ${message}${advice === null ? '' : `\n         ${advice}`}`,
    );
  }
  return left === 0 ? 0 : 1;
}

/** Name, figure, words. */
type Line = readonly [name: string, figure: string, text: string];

function toLines({ run, known, duplicates, oddLines, spentMicros }: RunSummary, left: number): Line[] {
  const statuses = Array.from(run?.byStatus ?? [], ([status, count]) => `${count} ${status}`);
  const lines: Line[] = [
    ['looked up', String(run?.done ?? 0), statuses.join(', ')],
    ['spent', toDecimal(spentMicros), ''],
  ];
  if (known > 0) lines.push(['known', String(known), 'in the output already']);
  if (duplicates > 0) lines.push(['twice', String(duplicates), 'in the input more than once']);
  if (oddLines.length > 0) lines.push(['odd', String(oddLines.length), nameLines(oddLines)]);
  if (left > 0) lines.push(['left', String(left), STOPS[run?.stop ?? 'failures']]);
  return lines;
}

function nameLines(lines: readonly number[]): string {
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  return `no number in line ${shown}${lines.length > SHOWN_LINES ? ', …' : ''}`;
}
