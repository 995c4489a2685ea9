import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');

/** The code that users copy, by its path. */
const COPIED = ['README.md', 'AGENTS.md', ...listFiles('docs'), ...listFiles('example-app')];

function listFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(md|ts)$/.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

/**
 * A value of a request that is turned into a string. For `{"toString":1}` that throws, so the
 * answer would be a 500.
 */
const CONVERTED =
  /\b(?:String|Number)\((?:req|request)\.(?:body|query|params)|(?:const|let) \{([^}]+)\} = \(?req(?:uest)?\.(?:body|query)\b/g;

function findConversions(code: string): readonly string[] {
  return Array.from(code.matchAll(CONVERTED), ([found, names]) => {
    if (names === undefined) return [found];
    return names
      .split(',')
      .map((name) => name.trim().split(/[:= ]/, 1)[0] ?? '')
      .filter((name) => name !== '' && new RegExp(`\\bString\\(${name}\\)`).test(code));
  }).flat();
}

describe('code to copy', () => {
  it.each(COPIED)('turns no value of a request into a string unseen: %s', (path) => {
    expect(findConversions(readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
  });

  it('is found when it does', () => {
    expect(findConversions('end(String(req.body.loginId))')).toHaveLength(1);
    expect(findConversions('const { a, b } = (req.body ?? {}) as X; f(String(b));')).toEqual(['b']);
  });
});
