import type { Found, Report } from './judge';
import { isKnownHarm } from './known-harms';
import {
  type Beside,
  MORE_STATES,
  MORE_VERBS,
  type Scenario,
  type State,
  STATES,
  type Verb,
  VERBS,
  WHO,
} from './scenarios';

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
  { state, verbs, isInTurn, beside, acceptsTwice, hasNoLogins }: Scenario,
  path: readonly string[],
): string {
  const words = [
    ...(beside ? [BESIDE, beside.who, beside.state, ...beside.verbs] : []),
    ...(acceptsTwice === true ? [TWICE] : []),
    ...(hasNoLogins === true ? [NO_LOGINS] : []),
    ...(isInTurn === true ? [IN_TURN] : []),
  ];
  return `${[state, ...verbs, ...words].join(' ')} | ${path.join(' ')}`;
}

/**
 * Stand in the line when the gateway accepts a right code twice, and when logins have no records.
 */
const TWICE = 'twice';
const NO_LOGINS = 'no-logins';
/** Stands there when the requests leave one after the other. */
const IN_TURN = 'in-turn';
/** Stands before what goes on beside the requests: in which browser or whose, state, requests. */
const BESIDE = 'beside';

/** Reads such a line. @throws when it names a state or a request that is unknown. */
export function readLine(line: string): {
  readonly scenario: Scenario;
  readonly path: readonly string[];
} {
  const [before = '', path = ''] = line.split('|');
  const words = before.trim().split(/\s+/);
  const named = words.filter((name) => ![TWICE, NO_LOGINS, IN_TURN].includes(name));
  const at = named.includes(BESIDE) ? named.indexOf(BESIDE) : named.length;
  const beside = readBeside(named.slice(at + 1));
  const [state, ...verbs] = named.slice(0, at);
  if (!isState(state) || !verbs.every(isVerb) || (at < named.length && beside === undefined))
    throw new Error(`no such situation: ${before}`);
  const scenario = {
    state,
    verbs,
    ...(beside && { beside }),
    isInTurn: words.includes(IN_TURN),
    acceptsTwice: words.includes(TWICE),
    hasNoLogins: words.includes(NO_LOGINS),
  };
  return { scenario, path: path.trim().split(/\s+/) };
}

function readBeside([name, state, ...verbs]: readonly string[]): Beside | undefined {
  const who = WHO.find((known) => known === name);
  return who && isState(state) && verbs.every(isVerb) ? { who, state, verbs } : undefined;
}

function isState(name: unknown): name is State {
  return [...STATES, ...MORE_STATES].some((known) => known === name);
}

function isVerb(name: unknown): name is Verb {
  return [...VERBS, ...MORE_VERBS].some((known) => known === name);
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
