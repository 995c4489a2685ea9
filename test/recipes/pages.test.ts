import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBlocks, type Block } from '../docs/support/blocks';
import { readLinks } from '../docs/support/links';
import { readPage } from '../docs/support/pages';
import { ROOT } from '../package/packed/repository';

const RECIPES = join(ROOT, 'docs/recipes');
/** What a page prints of a file that is beside it. */
const MOST_LINES = 20;

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The files of the recipes that a page links to, from the top of the repository. */
function linkedFiles(path: string): readonly string[] {
  const links = readLinks(readPage(path)).map((link) => posix.join(posix.dirname(path), link));
  return links.filter((link) => /^docs\/recipes\/[\w-]+\.ts$/.test(link));
}

/** Code without what a formatter changes when it is moved out to the left margin. */
function normalize(code: string): string {
  return code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '');
}

function noteOf({ notes }: Block, name: string): string | undefined {
  return notes.find((note) => note.startsWith(`${name}: `))?.slice(name.length + 2);
}

/** Whether a block is a whole file from elsewhere, or a few lines of a file that the page links to. */
function isFromItsFile(block: Block, files: readonly string[]): boolean {
  const whole = noteOf(block, 'file');
  if (whole !== undefined) return !whole.startsWith('docs/recipes/') && block.code === read(whole);
  const file = noteOf(block, 'from') ?? '';
  return (
    files.includes(file) &&
    block.code.trim().split('\n').length <= MOST_LINES &&
    normalize(read(file)).includes(normalize(block.code))
  );
}

/** The recipes that a file imports, from the top of the repository. */
function importsOf(path: string): readonly string[] {
  const specifiers = read(path).matchAll(/(?:from |import\()'(\.[^']*)'/g);
  const paths = Array.from(specifiers, ([, specifier = '']) =>
    posix.join(dirname(path), `${specifier}.ts`),
  );
  return paths.filter((file) => file.startsWith('docs/recipes/'));
}

/** The recipes that the tests import, and what those import. */
function findTested(): ReadonlySet<string> {
  const tests = readdirSync(join(ROOT, 'test/recipes'), { recursive: true, encoding: 'utf8' });
  const run = new Set(
    tests
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => importsOf(`test/recipes/${name.replaceAll('\\', '/')}`)),
  );
  for (const file of run) for (const imported of importsOf(file)) run.add(imported);
  return run;
}

/** What a reader's app has already: its users and its check of the password. */
const OWN_CODE = /\/(?:parts|first-factor)\.ts$/;
const tested = findTested();
const names = readdirSync(RECIPES).filter((name) => name.endsWith('.md'));
const codeFiles = readdirSync(RECIPES).filter((name) => /(?<!\.d)\.ts$/.test(name));

describe.each([...names.map((name) => `docs/recipes/${name}`), 'docs/testing.md'])('%s', (path) => {
  it('shows no code but lines of a file that it links to, or a file that is elsewhere', () => {
    const blocks = readBlocks(readPage(path)).filter(({ language }) => /^[tj]s$/.test(language));
    const files = linkedFiles(path);
    expect(blocks.length + files.length).toBeGreaterThan(0);
    expect(blocks.filter((block) => !isFromItsFile(block, files))).toEqual([]);
  });

  it('shows listings that a test runs, by itself or with another file', () => {
    const files = linkedFiles(path);
    expect(files.filter((file) => !tested.has(file))).toEqual([]);
  });
});

describe('the recipes', () => {
  it.each(names)('%s names a trap', (name) => {
    // A paragraph of its own, under whatever words, and with something to say.
    expect(read(`docs/recipes/${name}`)).toMatch(/^\*\*[^*]*\btraps?\b[^*]*\*\* \S.{40}/im);
  });

  it.each(names)('%s names no test, which no user has', (name) => {
    expect(read(`docs/recipes/${name}`)).not.toMatch(/\btest\//);
  });

  it('have files that a page leads to, or that another file needs', () => {
    const pages = [...names.map((name) => `docs/recipes/${name}`), 'docs/monitoring.md'];
    const needed = codeFiles.flatMap((name) => importsOf(`docs/recipes/${name}`));
    const known = new Set([
      ...pages.flatMap(linkedFiles),
      ...needed,
      ...importsOf('test/recipes/jest-example.test.ts'),
    ]);
    expect(codeFiles.filter((name) => !known.has(`docs/recipes/${name}`))).toEqual([]);
  });

  it('have files that a test runs, by itself or with another file', () => {
    expect(codeFiles.filter((name) => !tested.has(`docs/recipes/${name}`))).toEqual([]);
  });

  it('say what they are: to copy, to run, or the login part of an app', () => {
    const silent = names.filter((name) => {
      const text = read(`docs/recipes/${name}`);
      return !/\*\*Copy\*\*|is the login part of /.test(text);
    });
    expect(silent).toEqual([]);
  });

  it('link the files that stand for your own code', () => {
    const silent = names.filter((name) => {
      const files = linkedFiles(`docs/recipes/${name}`);
      const imported = files.flatMap(importsOf).filter((file) => OWN_CODE.test(file));
      return imported.some((file) => !files.includes(file));
    });
    expect(silent).toEqual([]);
  });

  it('hold nothing of the tests', () => {
    const code = readdirSync(RECIPES).filter((name) => name.endsWith('.ts'));
    const odd = code.filter((name) => /simulator|jest|\.\.\//.test(read(`docs/recipes/${name}`)));
    expect(odd).toEqual([]);
  });
});
