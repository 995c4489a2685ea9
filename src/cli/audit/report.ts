import type { AppCheckError, HOLES, HoleName } from 'passport-sms-otp/testing';

/** The result of one check. */
export type Finding =
  | { readonly title: string; readonly outcome: 'passed' }
  | { readonly title: string; readonly outcome: 'not-applicable'; readonly reason: string }
  | ({ readonly title: string; readonly outcome: 'hole'; readonly hole: HoleName } & Evidence)
  | ({ readonly title: string; readonly outcome: 'inconclusive' } & Evidence);

export type FoundHole = Extract<Finding, { outcome: 'hole' }>;
type OpenCheck = Extract<Finding, { outcome: 'inconclusive' }>;

interface Evidence extends Pick<AppCheckError, 'finding' | 'done' | 'pages' | 'page'> {
  /** The last lines that the app printed before the check failed, without secrets. */
  readonly printed: readonly string[];
}

/** A hole, with the check that shows it best. */
export interface HoleResult {
  readonly hole: HoleName;
  /** The number of further checks that found the hole. */
  readonly alsoSeenIn: number;
  readonly pages: readonly PageResult[];
}

interface PageResult {
  /** A guarded page that is open without a code. */
  readonly page: string;
  /** The number of further checks that found this page open. */
  readonly alsoSeenIn: number;
}

/** The report of an audit, as `--json` writes it. */
export interface Report {
  /** True if no hole was found and every applicable check has a result. */
  readonly isFine: boolean;
  /** The time in ISO 8601. */
  readonly at: string;
  /** The version of this package. */
  readonly version: string;
  /** The counts by outcome. Holes are counted by name, everything else by check. */
  readonly counts: Readonly<Record<Finding['outcome'], number>>;
  readonly holes: readonly HoleResult[];
  readonly checks: readonly Finding[];
}

export function createReport(
  checks: readonly Finding[],
  about: { readonly now: number; readonly version: string },
): Report {
  const count = (outcome: Finding['outcome']): number =>
    checks.filter((check) => check.outcome === outcome).length;
  const holes = groupHoles(checks);
  const counts = {
    passed: count('passed'),
    hole: holes.length,
    inconclusive: count('inconclusive'),
    'not-applicable': count('not-applicable'),
  };

  return {
    isFine: counts.hole === 0 && counts.inconclusive === 0,
    at: new Date(about.now).toISOString(),
    version: about.version,
    counts,
    holes,
    checks,
  };
}

/** Groups the checks by hole, because one mistake makes many checks fail. */
function groupHoles(checks: readonly Finding[]): readonly HoleResult[] {
  const groups = groupBy(checks.filter(isHole), ({ hole }) => hole);
  return groups.map(([first, ...others]): HoleResult => {
    const pages = groupBy(
      [first, ...others].flatMap((check) => check.pages),
      (page) => page,
    );
    return {
      hole: first.hole,
      alsoSeenIn: others.length,
      pages: pages.map(([page, ...again]) => ({ page, alsoSeenIn: again.length })),
    };
  });
}

type Group<Item> = readonly [Item, ...Item[]];

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly Group<Item>[] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return Array.from(groups.values());
}

const isHole = (check: Finding): check is FoundHole => check.outcome === 'hole';
const isOpen = (check: Finding): check is OpenCheck => check.outcome === 'inconclusive';

export function toMarkdown(report: Report, holes: typeof HOLES): string {
  const { at, version, checks, counts } = report;
  const open = groupBy(checks.filter(isOpen), ({ finding }) => finding);
  const rest = checks.filter((check) => check.outcome === 'not-applicable');
  const fine = checks.filter((check) => check.outcome === 'passed');

  const sections = [
    ['# Audit of the login', '', `passport-sms-otp ${version}, ${at}`],
    [
      '| Holes | Inconclusive | Passed | Not applicable |',
      '| ----- | ------------ | ------ | -------------- |',
      `| ${[counts.hole, counts.inconclusive, fine.length, rest.length].join(' | ')} |`,
    ],
    ...(report.holes.length > 0 ? [['## Holes']] : []),
    ...report.holes.map((result) => showHole(result, checks, holes[result.hole].meaning)),
    ...(open.length > 0 ? [['## Inconclusive']] : []),
    ...open.map(showOpen),
    list('Passed', fine),
    list('Not applicable', rest),
    [
      'The checks attack the app by requests, on this machine, with a simulated gateway. ' +
        'They do not find every hole.',
    ],
  ];

  const shown = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${shown.join('\n\n')}\n`;
}

function showHole(result: HoleResult, checks: readonly Finding[], meaning: string): string[] {
  const { hole, pages, alsoSeenIn } = result;
  const [shown] = checks
    .filter(isHole)
    .filter((check) => check.hole === hole)
    // Show the check with the fewest requests: it explains the hole best.
    .toSorted((one, other) => one.done.length - other.done.length);
  const places = pages.map(({ page, alsoSeenIn: again }) => `- Page: ${page}${showAgain(again)}`);
  const others = pages.length === 0 && alsoSeenIn > 0 ? [`- Found${showAgain(alsoSeenIn)}`] : [];
  if (shown === undefined) return [];

  const lines = [...places, ...others];
  return [`### ${hole}`, '', `${meaning} ${shown.finding}`, ...showEvidence(shown, lines)];
}

function showAgain(checks: number): string {
  if (checks === 0) return '';
  return ` (also seen in ${checks} ${checks === 1 ? 'check' : 'checks'})`;
}

function showOpen([first, ...others]: Group<OpenCheck>): string[] {
  const same = others.map(({ title }) => `- Check: ${title}`);
  return [`### ${first.title}`, '', first.finding, ...showEvidence(first, same)];
}

function showEvidence(check: FoundHole | OpenCheck, lines: readonly string[]): string[] {
  const { title, page, done, printed } = check;
  return [
    ...['', `- Check: ${title}`, ...lines, `- How to fix it: ${page}`],
    ...showBlock('What was done, and what came back:', done),
    ...showBlock('What the app printed last:', printed),
  ];
}

function showBlock(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', heading, '', '```text', ...lines, '```'];
}

function list(heading: string, checks: readonly Finding[]): string[] {
  if (checks.length === 0) return [];
  return [`## ${heading}`, '', ...checks.map(({ title }) => `- ${title}`)];
}

const SHORTEST = 4;

/** Removes secrets. The checks leave them out already, so this is a second line of defence. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
}
