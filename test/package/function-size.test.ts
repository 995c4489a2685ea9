import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { rules } from '../../.ci/function-size.cjs';
import ceilings from '../../.ci/function-size.ceilings.json';

const ROOT = join(__dirname, '../..');
const FILE = join(ROOT, 'src/core/sample.ts');

/** What a rule says of a text, with ceilings for the functions of the text. */
function judge(
  rule: 'own-lines' | 'complexity',
  most: number,
  text: string,
  own: Readonly<Record<string, number>> = {},
): readonly string[] {
  const options = { most, ceilings: { 'src/core/sample.ts': own } };
  const problems = new Linter({ cwd: ROOT }).verify(
    text,
    {
      files: ['**/*.ts'],
      plugins: { size: { rules } },
      rules: { [`size/${rule}`]: ['error', options] },
    },
    FILE,
  );
  return problems.map(({ message }) => message);
}

const FIVE_LINES = `
function five(one) {
  // A comment is no line of its own.

  const made = () => {
    one();
    one();
  };
  return made;
}`;

describe('the rule of own lines', () => {
  it('reports a function that has more than allowed', () => {
    expect(judge('own-lines', 4, FIVE_LINES)).toEqual([
      'five has 5 lines of its own, at most 4 are allowed.',
    ]);
  });

  it('counts neither inner functions nor blank lines and comments', () => {
    expect(judge('own-lines', 5, FIVE_LINES)).toEqual([]);
  });

  it('counts an inner function for itself', () => {
    expect(judge('own-lines', 3, `function outer() {${FIVE_LINES}\n}`)).toEqual([
      'five has 5 lines of its own, at most 3 are allowed.',
      'made has 4 lines of its own, at most 3 are allowed.',
    ]);
  });

  it('counts every line of a template', () => {
    expect(judge('own-lines', 3, 'const sql = () => `\n1\n2\n3`;')).toEqual([
      'sql has 4 lines of its own, at most 3 are allowed.',
    ]);
  });

  it('finds the names of methods and of functions that are given to something', () => {
    const text = 'class A {\n  m() {\n    return 1;\n  }\n}\nlet f;\nf = () =>\n  1;';
    expect(judge('own-lines', 1, text)).toEqual([
      'm has 3 lines of its own, at most 1 are allowed.',
      'f has 2 lines of its own, at most 1 are allowed.',
    ]);
  });
});

describe('the rule of complexity', () => {
  const text = 'function three(a, b) {\n  return a ? 1 : b ? 2 : 3;\n}';

  it('reports a function that has more than allowed', () => {
    expect(judge('complexity', 2, text)).toEqual([
      'three has 3 ways through it (complexity), at most 2 are allowed.',
    ]);
    expect(judge('complexity', 3, text)).toEqual([]);
  });

  it('holds a function to its ceiling', () => {
    expect(judge('complexity', 2, text, { three: 3 })).toEqual([]);
    expect(judge('complexity', 1, text, { three: 2 })).toEqual([
      'three has 3 ways through it (complexity), at most 2 are allowed.',
    ]);
  });
});

describe('a ceiling', () => {
  it('lets its function be as large as it is', () => {
    expect(judge('own-lines', 4, FIVE_LINES, { five: 5 })).toEqual([]);
  });

  it('does not let it grow', () => {
    expect(judge('own-lines', 3, FIVE_LINES, { five: 4, made: 4 })).toEqual([
      'five has 5 lines of its own, at most 4 are allowed.',
    ]);
  });

  it('falls with its function', () => {
    expect(judge('own-lines', 4, FIVE_LINES, { five: 6 })).toEqual([
      'five has 5 lines of its own: lower its ceiling of 6 to that.',
    ]);
  });

  it('goes when its function needs none, or is gone', () => {
    expect(judge('own-lines', 5, FIVE_LINES, { five: 5, six: 6 })).toEqual([
      'five needs no ceiling for its lines of its own: remove it.',
      'six needs no ceiling for its lines of its own: remove it.',
    ]);
  });

  it('goes with its file', () => {
    const files = Object.values(ceilings).flatMap((one) => Object.keys(one));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});
