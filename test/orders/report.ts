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

function toProblem({ verdict }: Found, scenario: Scenario): string | undefined {
  if (verdict.kind === 'unexplained') return 'no order of whole requests ends like this';
  if (verdict.kind !== 'harmful') return undefined;
  const unknown = verdict.harms.filter((harm) => !isKnownHarm(harm, scenario));
  return unknown.length === 0 ? undefined : unknown.join(', ');
}

/** Writes an order as one line: the state and the requests, then the calls. */
function toLine(
  { state, verbs, acceptsTwice, hasNoLogins }: Scenario,
  path: readonly string[],
): string {
  const words = [
    ...(acceptsTwice === true ? [TWICE] : []),
    ...(hasNoLogins === true ? [NO_LOGINS] : []),
  ];
  return `${[state, ...verbs, ...words].join(' ')} | ${path.join(' ')}`;
}

/**
 * Stand in the line when the gateway accepts a right code twice, and when logins have no records.
 */
const TWICE = 'twice';
const NO_LOGINS = 'no-logins';

/** Reads such a line. @throws when it names a state or a request that is unknown. */
export function readLine(line: string): {
  readonly scenario: Scenario;
  readonly path: readonly string[];
} {
  const [before = '', path = ''] = line.split('|');
  const [state, ...rest] = before.trim().split(/\s+/);
  const verbs = rest.filter((name) => ![TWICE, NO_LOGINS].includes(name));
  const isState = (name: unknown): name is State => STATES.some((known) => known === name);
  const isVerb = (name: unknown): name is Verb => VERBS.some((known) => known === name);
  if (!isState(state) || !verbs.every(isVerb)) throw new Error(`no such situation: ${before}`);
  const scenario = {
    state,
    verbs,
    acceptsTwice: rest.includes(TWICE),
    hasNoLogins: rest.includes(NO_LOGINS),
  };
  return { scenario, path: path.trim().split(/\s+/) };
}

const COLUMNS = [
  ['state', 14],
  ['requests', 28],
  ['orders', 7],
  ['outcomes', 9],
  ['harmless', 9],
  ['known harms', 12],
  ['unexplained', 11],
] as const;

export const HEADING = toText(COLUMNS.map(([name]) => name));

/** Writes a report as a row below the heading. */
export function toRow(report: Report): string {
  const { state } = report.scenario;
  const requests = toLine(report.scenario, []).slice(state.length, -' | '.length).trim();
  return toText([state, requests.replaceAll(' ', ' + '), ...count(report).map(String)]);
}

/** Writes the last row. */
export function toSums(reports: readonly Report[], seconds: number): string {
  const sums = reports
    .map(count)
    .reduce((sum, row) => sum.map((number, index) => number + (row[index] ?? 0)), [0, 0, 0, 0, 0]);
  return toText([
    'in all',
    `${reports.length} sets, ${Math.round(seconds)} s`,
    ...sums.map(String),
  ]);
}

/** The numbers of a report, in the order of the columns. */
function count(report: Report): readonly number[] {
  const { orders, found } = report;
  const countOf = (kind: Found['verdict']['kind']): number =>
    found.filter(({ verdict }) => verdict.kind === kind).length;
  const problems = findProblems(report).length;
  const known = countOf('harmful') + countOf('unexplained') - problems;
  return [orders, found.length, countOf('harmless'), known, problems];
}

function toText(cells: readonly string[]): string {
  const padded = COLUMNS.map(([, width], index) => (cells[index] ?? '').padEnd(width));
  return `${padded.join(' ').trimEnd()}\n`;
}
