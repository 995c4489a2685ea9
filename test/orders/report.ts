import type { Found, Report } from './judge';
import { isKnownHarm } from './known-harms';
import type { Scenario, State, Verb } from './scenarios';
import { STATES, VERBS } from './scenarios';

/** Returns what is wrong in a report, each with the line that repeats its order. */
export function findProblems(report: Report): readonly string[] {
  return report.found.flatMap((found) => {
    const problem = toProblem(found, report.scenario);
    return problem === undefined
      ? []
      : [`${problem}\n${found.line}\nORDERS='${toLine(report.scenario, found.path)}'`];
  });
}

function toProblem({ verdict }: Found, { verbs }: Scenario): string | undefined {
  if (verdict.kind === 'unexplained') return 'no order of whole requests ends like this';
  if (verdict.kind !== 'harmful') return undefined;
  const unknown = verdict.harms.filter((harm) => !isKnownHarm(harm, verbs));
  return unknown.length === 0 ? undefined : unknown.join(', ');
}

/** Writes an order as one line: the state and the requests, then the calls. */
function toLine({ state, verbs, acceptsTwice }: Scenario, path: readonly string[]): string {
  return `${[state, ...verbs, ...(acceptsTwice === true ? [TWICE] : [])].join(' ')} | ${path.join(' ')}`;
}

/** Stands in the line when the gateway accepts a right code twice. */
const TWICE = 'twice';

/** Reads such a line. @throws when it names a state or a request that is unknown. */
export function readLine(line: string): { readonly scenario: Scenario; readonly path: readonly string[] } {
  const [before = '', path = ''] = line.split('|');
  const [state, ...rest] = before.trim().split(/\s+/);
  const verbs = rest.filter((name) => name !== TWICE);
  const isState = (name: unknown): name is State => STATES.some((known) => known === name);
  const isVerb = (name: unknown): name is Verb => VERBS.some((known) => known === name);
  if (!isState(state) || !verbs.every(isVerb)) throw new Error(`no such situation: ${before}`);
  const scenario = { state, verbs, acceptsTwice: rest.includes(TWICE) };
  return { scenario, path: path.trim().split(/\s+/) };
}

const HEADINGS = [
  'state',
  'requests',
  'orders',
  'outcomes',
  'harmless',
  'known harms',
  'unexplained',
] as const;

/** Writes a table with a row for each report, and the sums. */
export function toTable(reports: readonly Report[], seconds: number): string {
  const rows = reports.map(toRow);
  const sums = HEADINGS.slice(2).map((_heading, index) =>
    String(rows.reduce((sum, row) => sum + Number(row[index + 2]), 0)),
  );
  const all = [HEADINGS, ...rows, ['in all', `${reports.length} sets, ${Math.round(seconds)} s`, ...sums]];
  const widths = HEADINGS.map((_heading, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function toRow(report: Report): readonly string[] {
  const { scenario, orders, found } = report;
  const count = (kind: Found['verdict']['kind']): number =>
    found.filter(({ verdict }) => verdict.kind === kind).length;
  const problems = findProblems(report).length;
  const numbers = [
    orders,
    found.length,
    count('harmless'),
    count('harmful') + count('unexplained') - problems,
    problems,
  ];
  const requests = toLine(scenario, []).replace(scenario.state, '').replace('|', '').trim();
  return [scenario.state, requests.replaceAll(' ', ' + '), ...numbers.map(String)];
}
