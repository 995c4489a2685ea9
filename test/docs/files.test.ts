import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBlocks, readFileNote } from './support/blocks';
import { readPages, ROOT } from './support/pages';

const shown = readPages()
  .flatMap(readBlocks)
  .flatMap((block) => {
    const file = readFileNote(block);
    return file === undefined ? [] : [{ file, page: block.page, code: block.code }];
  });

describe('the files that the documentation shows', () => {
  it('are there', () => {
    expect(shown.length).toBeGreaterThan(0);
  });

  it.each(shown)('$file reads as on $page', ({ file, code }) => {
    expect(code).toBe(readFileSync(join(ROOT, file), 'utf8'));
  });
});

describe('every page', () => {
  // A formatter turns the markers into a quote and a table row, so their usual form is not enough.
  const MARKER = /^(<{7} |>{7} |(> ){7}\S)|^\|? *={7} *(\||$)/m;

  it('holds no conflict marker of a merge', () => {
    const pages = readPages();
    expect(pages.length).toBeGreaterThan(20);
    expect(pages.filter(({ text }) => MARKER.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
