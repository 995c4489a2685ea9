import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const text = readFileSync(join(ROOT, 'docs/audit/standards.md'), 'utf8');
const paths = findPaths(text);

function findPaths(page: string): string[] {
  return [...new Set(page.match(/(?:src|test)\/[\w./-]+\.ts/g))];
}

function findMissing(files: readonly string[]): readonly string[] {
  return files.filter((path) => !existsSync(join(ROOT, path)));
}

describe('docs/audit/standards.md', () => {
  it('names files', () => {
    expect(paths.length).toBeGreaterThan(40);
  });

  it('names no file that is not there', () => {
    expect(findMissing(paths)).toEqual([]);
  });

  it('gives every requirement that is met a file and a test', () => {
    const rows = text.split('\n').filter((line) => /^\| (?:\d+\.\d+|\d)/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    const bare = rows.filter((row) => !/`src\/.*`test\//.test(row));
    expect(bare).toEqual([]);
  });
});

describe('docs/audit/threats.md', () => {
  const tests = findPaths(readFileSync(join(ROOT, 'docs/audit/threats.md'), 'utf8'));

  it('names a test for each single attack', () => {
    expect(tests.length).toBeGreaterThan(15);
  });

  it('names no file that is not there', () => {
    expect(findMissing(tests)).toEqual([]);
  });
});

describe('maintainers/post-mortems.md', () => {
  const page = readFileSync(join(ROOT, 'maintainers/post-mortems.md'), 'utf8');
  const sections = page.split(/^## /m).slice(1);

  it('says of each defect what it was, its cause, why no one saw it, and what catches it', () => {
    expect(sections.length).toBeGreaterThanOrEqual(6);
    const order =
      /\*\*What\.\*\*.+\*\*Cause\.\*\*.+\*\*Why no one saw it\.\*\*.+\*\*What catches it now\.\*\*/s;
    expect(sections.filter((section) => !order.test(section))).toEqual([]);
  });

  it('names a test of each, and no file that is not there', () => {
    expect(sections.filter((section) => !section.includes('`test/'))).toEqual([]);
    expect(findMissing(findPaths(page))).toEqual([]);
  });
});
