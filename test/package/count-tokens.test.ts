import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from './packed/repository';
import { runNode } from './packed/run';

/** A checkout whose figures can be counted by hand. */
const FILES = {
  'package.json': '{ "exports": { ".": "a", "./b": "b", "./package.json": "c" } }',
  'docs/options.md': `# Options

| Option | Default |
| ------ | ------- |
| \`one\` | none   |
| \`two\` | none   |
`,
  'docs/api.md': `# API

## What createSmsOtp returns

| Name  | Options |
| ----- | ------- |
| \`send\` |      |

## More

| Name  | Options |
| ----- | ------- |
| \`no\` |        |
`,
  'docs/pages.md': '| Option | Default |\n| --- | --- |\n| `logo` | ours |\n',
  'docs/troubleshooting.md': '### SMS_OTP_CLOCK\n\nThe clock. See SMS_OTP_CLOCK.\n',
  'docs/recipes/words.md': 'three more words\n',
  'src/cli/run.ts': 'export const COMMANDS: readonly Command[] = [demo, audit];\n',
  'src/login/outcome.ts': "export const REASONS = ['wrong-code', 'locked', 'expired'] as const;\n",
  'src/shared.ts': 'interface Row { readonly a: string }\ntype Own = Row;\n',
  'src/long.ts': `/** A comment. */
export function long({ a }: Row, b: Row): Row {
${'  a(b);\n'.repeat(5)}
  function inner() {
${'    a(b);\n'.repeat(10)}  }
  return inner;
}
class Row {}
`,
};

const folder = mkdtempSync(join(tmpdir(), 'count-tokens-'));

beforeAll(() => {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The rows of what the tool prints, with the figure of each. */
async function count(...flags: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const tool = join(ROOT, '.ci/count-tokens.mjs');
  const { status, stdout, stderr } = await runNode([tool, ...flags, folder], ROOT);
  if (status !== 0) throw new Error(stderr);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  return Object.fromEntries(rows.map(([name = '', figure = '']) => [name, figure]));
}

describe('npm run tokens', () => {
  it('counts tokens by folder, without comments', async () => {
    expect(await count()).toMatchObject({ cli: '15', login: '14' });
  });

  it('counts what a user may meet, with --surface', async () => {
    expect(await count('--surface')).toMatchObject({
      options: '3',
      entries: '2',
      'members of createSmsOtp': '1',
      commands: '2',
      reasons: '3',
      warnings: '1',
      'words of docs': String(Object.entries(FILES).flatMap(wordsOf).length),
    });
  });

  it('measures what a reader has to hold, with --shape', async () => {
    const figures = await count('--shape');
    expect(figures).toMatchObject({
      'types declared in more than one file': '1',
      'lines of the longest function, with inner ones': '21',
      // Of two long functions the inner one has none.
      'long functions without a blank line (%)': '50',
      'destructured parameters per 1,000 lines of code': '40',
    });
    expect(Object.keys(figures)).toContain('Row: long.ts, shared.ts');
  });
});

function wordsOf([path, text]: readonly [string, string]): readonly string[] {
  return path.endsWith('.md') ? (text.match(/\S+/g) ?? []) : [];
}
