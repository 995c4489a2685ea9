import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../package/packed/repository';

const RECIPES = join(ROOT, 'docs/recipes');
/** A block of code with the file that it says it is. */
const BLOCK = /<!-- file: (\S+) -->\n+```[tj]s\n([\s\S]*?)```\n/g;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function blocksOf(page: string): readonly (readonly [file: string, code: string])[] {
  return Array.from(page.matchAll(BLOCK), ([, file = '', code = '']) => [file, code]);
}

const names = readdirSync(RECIPES).filter((name) => name.endsWith('.md'));
const pages = [...names.map((name) => `docs/recipes/${name}`), 'docs/testing.md'];

describe.each(pages)('%s', (path) => {
  const page = read(path);

  it('shows its code as it stands in the file that is run, and no other', () => {
    const blocks = blocksOf(page);
    expect(blocks.length).toBeGreaterThan(0);
    expect(page.match(/^```[tj]s$/gm)).toHaveLength(blocks.length);
    for (const [file, code] of blocks) expect(code).toBe(read(file));
  });

  it('leads to the tests that run it', () => {
    const tests = [...page.matchAll(/test\/recipes\/[\w-]+\.test\.ts/g)].map(([file]) => file);
    expect(tests.length).toBeGreaterThan(0);
    for (const file of tests) expect(read(file)).toMatch(/describe|it\(/);
  });
});

describe('the recipes', () => {
  it.each(names)('%s names a trap', (name) => {
    // A paragraph of its own, under whatever words, and with something to say.
    expect(read(`docs/recipes/${name}`)).toMatch(/^\*\*[^*]*\btraps?\b[^*]*\*\* \S.{40}/im);
  });

  it('hold nothing of the tests', () => {
    const code = readdirSync(RECIPES).filter((name) => name.endsWith('.ts'));
    const odd = code.filter((name) => /simulator|jest|\.\.\//.test(read(`docs/recipes/${name}`)));
    expect(odd).toEqual([]);
  });
});
