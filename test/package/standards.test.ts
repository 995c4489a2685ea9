import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/standards.md'), 'utf8');
const paths = [...new Set(text.match(/(?:src|test)\/[\w./-]+\.ts/g))];

describe('docs/standards.md', () => {
  it('names files', () => {
    expect(paths.length).toBeGreaterThan(40);
  });

  it.each(paths)('names %s, which is there', (path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
  });

  it('gives every requirement that is met a file and a test', () => {
    const rows = text.split('\n').filter((line) => /^\| (?:\d+\.\d+|\d)/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    const bare = rows.filter((row) => !/`src\/.*`test\//.test(row));
    expect(bare).toEqual([]);
  });
});
