import type { AppCheckError, HOLES, HoleName } from 'passport-sms-otp/testing';

/** What came of one check. */
export type Finding =
  | { readonly title: string; readonly outcome: 'passed' }
  | { readonly title: string; readonly outcome: 'not-applicable'; readonly reason: string }
  | ({ readonly title: string; readonly outcome: 'hole'; readonly hole: HoleName } & Evidence)
  | ({ readonly title: string; readonly outcome: 'inconclusive' } & Evidence);

type Evidence = Pick<AppCheckError, 'finding' | 'done' | 'page'>;

/** The report of an audit: what `--json` writes. */
export interface Report {
  /** No hole was found, and every check that applies has a result. */
  readonly isFine: boolean;
  /** ISO 8601. */
  readonly at: string;
  /** Of this package. */
  readonly version: string;
  readonly counts: Readonly<Record<Finding['outcome'], number>>;
  readonly checks: readonly Finding[];
}

export function createReport(
  checks: readonly Finding[],
  about: { readonly now: number; readonly version: string },
): Report {
  const count = (outcome: Finding['outcome']): number =>
    checks.filter((check) => check.outcome === outcome).length;
  const counts = {
    passed: count('passed'),
    hole: count('hole'),
    inconclusive: count('inconclusive'),
    'not-applicable': count('not-applicable'),
  };

  return {
    isFine: counts.hole === 0 && counts.inconclusive === 0,
    at: new Date(about.now).toISOString(),
    version: about.version,
    counts,
    checks,
  };
}

/** Writes the report for people. */
export function toMarkdown(report: Report, holes: typeof HOLES): string {
  const { at, version, checks } = report;
  const found = checks.filter((check) => check.outcome === 'hole');
  const open = checks.filter((check) => check.outcome === 'inconclusive');
  const rest = checks.filter((check) => check.outcome === 'not-applicable');
  const fine = checks.filter((check) => check.outcome === 'passed');

  const sections = [
    ['# Audit of the login', '', `passport-sms-otp ${version}, ${at}`],
    [
      '| Holes | Inconclusive | Passed | Not applicable |',
      '| ----- | ------------ | ------ | -------------- |',
      `| ${[found, open, fine, rest].map(({ length }) => length).join(' | ')} |`,
    ],
    ...(found.length > 0 ? [['## Holes']] : []),
    ...found.map((check) => showHole(check, holes[check.hole].meaning)),
    ...(open.length > 0 ? [['## Inconclusive']] : []),
    ...open.map(showOpen),
    list('Passed', fine),
    list('Not applicable', rest),
    [
      'The checks attack the app by requests, on this machine, with a simulated gateway. ' +
        'What they do not find may still be there.',
    ],
  ];

  const shown = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

function showHole(check: Extract<Finding, { outcome: 'hole' }>, meaning: string): string[] {
  return [`### ${check.hole}`, '', `${meaning} ${check.finding}`, ...showEvidence(check)];
}

function showOpen(check: Extract<Finding, { outcome: 'inconclusive' }>): string[] {
  return [`### ${check.title}`, '', check.finding, ...showEvidence(check)];
}

function showEvidence(check: Finding & Evidence): string[] {
  const lines = ['', `- Check: ${check.title}`, `- How to fix it: ${check.page}`];
  if (check.done.length === 0) return lines;
  return [...lines, '', 'What was done, and what came back:', '', '```text', ...check.done, '```'];
}

function list(heading: string, checks: readonly Finding[]): string[] {
  if (checks.length === 0) return [];
  return [`## ${heading}`, '', ...checks.map(({ title }) => `- ${title}`)];
}

const SHORTEST = 4;

/** Hides secrets. The checks leave them out already: this is a second line of defence. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
}
