import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBlocks } from './support/blocks';
import { readPage, ROOT } from './support/pages';

const scripts = readBlocks(readPage('docs/pages.md')).filter(({ language }) => language === 'js');

describe('the script that keeps a form from being submitted twice', () => {
  it('is the one block of JavaScript of docs/pages.md', () => {
    expect(scripts.map(({ code }) => code)).toEqual([expect.stringContaining('preventDefault')]);
  });

  // That it works is shown in Chromium, by test/browser/submit-once.test.ts.
  it('is the same in docs/recipes/once.ts', () => {
    const recipe = readFileSync(join(ROOT, 'docs/recipes/once.ts'), 'utf8');
    expect(recipe).toContain(scripts[0]?.code.trim());
  });
});
