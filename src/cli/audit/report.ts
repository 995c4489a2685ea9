import type { AppFactError, HOLES, HoleName } from 'passport-sms-otp/app-contract';

/** What came of one fact. */
export type Finding =
  | { readonly title: string; readonly outcome: 'holds' }
  | { readonly title: string; readonly outcome: 'not-applicable'; readonly reason: string }
  | ({ readonly title: string; readonly outcome: 'hole'; readonly hole: HoleName } & Evidence)
  | ({ readonly title: string; readonly outcome: 'not-judged' } & Evidence);

type Evidence = Pick<AppFactError, 'finding' | 'done' | 'page'>;

/** The report of an audit: what `--json` writes. */
export interface Report {
  /** No hole was found, and every fact that applies was judged. */
  readonly isFine: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** Of this package. */
  readonly version: string;
  readonly counts: Readonly<Record<Finding['outcome'], number>>;
  readonly facts: readonly Finding[];
}

export function createReport(
  facts: readonly Finding[],
  { now, version }: { readonly now: number; readonly version: string },
): Report {
  const count = (outcome: Finding['outcome']): number =>
    facts.filter((fact) => fact.outcome === outcome).length;
  const counts = {
    holds: count('holds'),
    hole: count('hole'),
    'not-judged': count('not-judged'),
    'not-applicable': count('not-applicable'),
  };
  return {
    isFine: counts.hole === 0 && counts['not-judged'] === 0,
    at: new Date(now).toISOString(),
    version,
    counts,
    facts,
  };
}

/** Writes the report for people. */
export function toMarkdown(report: Report, holes: typeof HOLES): string {
  const { at, version, facts } = report;
  const found = facts.filter((fact) => fact.outcome === 'hole');
  const open = facts.filter((fact) => fact.outcome === 'not-judged');
  const rest = facts.filter((fact) => fact.outcome === 'not-applicable');
  const fine = facts.filter((fact) => fact.outcome === 'holds');
  const sections = [
    ['# Audit of the login', '', `passport-sms-otp ${version}, ${at}`],
    [
      '| Holes | Not judged | Facts that hold | Not applicable |',
      '| ----- | ---------- | --------------- | -------------- |',
      `| ${[found, open, fine, rest].map(({ length }) => length).join(' | ')} |`,
    ],
    ...(found.length > 0 ? [['## Holes']] : []),
    ...found.map((fact) => showHole(fact, holes[fact.hole].meaning)),
    ...(open.length > 0 ? [['## Not judged']] : []),
    ...open.map(showOpen),
    list('Facts that hold', fine),
    list('Not applicable', rest),
    [
      'The facts attack the app by requests, on this machine, with a simulated gateway. ' +
        'What they do not find may still be there.',
    ],
  ];
  const shown = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

function showHole(fact: Extract<Finding, { outcome: 'hole' }>, meaning: string): string[] {
  return [`### ${fact.hole}`, '', `${meaning} ${fact.finding}`, ...showEvidence(fact)];
}

function showOpen(fact: Extract<Finding, { outcome: 'not-judged' }>): string[] {
  return [`### ${fact.title}`, '', fact.finding, ...showEvidence(fact)];
}

function showEvidence({ title, done, page }: Finding & Evidence): string[] {
  const lines = ['', `- Fact: ${title}`, `- How to mend it: ${page}`];
  if (done.length === 0) return lines;
  return [...lines, '', 'What was done, and what came back:', '', '```text', ...done, '```'];
}

function list(heading: string, facts: readonly Finding[]): string[] {
  if (facts.length === 0) return [];
  return [`## ${heading}`, '', ...facts.map(({ title }) => `- ${title}`)];
}

const SHORTEST = 4;

/** Takes out whatever the report should not have: a second line behind what the facts leave out. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
}
