import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(__dirname, '../..');
const config = readFileSync(join(root, 'stryker.config.mjs'), 'utf8');
const groups = config.slice(config.indexOf('GROUPS ='), config.indexOf('};'));

/** Returns the paths in the list of a group. */
function readSuites(list: string): string[] {
  const text = readFileSync(join(root, 'test/mutation', list), 'utf8');
  const quoted = text.slice(text.indexOf('SUITES = ['), text.indexOf('];')).matchAll(/'([^']+)'/g);
  return [...quoted].map(([, suite]) => `test/${suite}.test.ts`);
}

/** Replaces `{a,b}` in a path by each of its words: `src/{a,b}.ts` is `src/a.ts` and `src/b.ts`. */
function expandBraces(path: string): string[] {
  const [, before, words, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  if (words === undefined) return [path];
  return words.split(',').map((word) => `${before}${word}${after}`);
}

// A file or suite that was renamed would stop a run that nobody starts every day.
describe('mutation groups', () => {
  const lists = readdirSync(join(root, 'test/mutation')).filter((name) =>
    name.endsWith('.suites.cjs'),
  );

  it('has a list of suites for each group', () => {
    const names = [...groups.matchAll(/^ {2}(\w+): \[/gm)].map(([, name]) => `${name}.suites.cjs`);
    expect(names.toSorted()).toEqual(lists.toSorted());
  });

  it.each(lists)('%s names suites that exist', (list) => {
    const suites = readSuites(list);
    expect(suites.length).toBeGreaterThan(0);
    expect(suites.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names files that exist', () => {
    const paths = [...groups.matchAll(/'(src\/[^':]+)/g)].flatMap(([, path]) =>
      expandBraces(path ?? ''),
    );
    const literal = paths.filter((path) => !path.includes('*'));
    expect(literal.length).toBeGreaterThan(30);
    expect(literal.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
