import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBlocks } from './support/blocks';
import { toModules } from './support/modules';
import { readPage, ROOT } from './support/pages';
import { readSection } from './support/tables';

// Its links are followed in links.test.ts, and its code is compiled in code.test.ts.
const page = readPage('AGENTS.md');
const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'))
  .join('\n');

/** The codes of errors and warnings that a text names. */
function findCodes(text: string): readonly string[] {
  const codes = text.match(/\b(?:ERR|SMS_OTP)_[A-Z_]+\b/g) ?? [];
  return codes.filter((code) => code !== 'SMS_OTP_SECRET');
}

describe('AGENTS.md', () => {
  it('has at most 8 kB', () => {
    expect(Buffer.byteLength(page.text)).toBeLessThanOrEqual(8000);
  });

  it('has two blocks of code, of a kind that is compiled', () => {
    expect(readBlocks(page)).toHaveLength(2);
    expect(toModules(readBlocks(page))).toHaveLength(2);
  });

  it('names errors and warnings that there are', () => {
    const codes = findCodes(page.text);
    expect(codes.length).toBeGreaterThan(10);
    expect(codes.filter((code) => !new RegExp(`'${code}'|\\b${code}:`).test(source))).toEqual([]);
  });

  it('says of each of ten mistakes by which error or warning it shows', () => {
    const { text } = readSection(page, '## Ten mistakes, and how each says so');
    // Without the head of the table and the line below it.
    const rows = (text.match(/^\|.+$/gm) ?? []).slice(2);
    expect(rows).toHaveLength(10);
    expect(rows.filter((row) => findCodes(row).length === 0)).toEqual([]);
  });
});
