import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readPage, ROOT } from './support/pages';

const { text: page } = readPage('docs/troubleshooting.md');
const headings = Array.from(page.matchAll(/^### ((?:ERR|SMS_OTP)_[A-Z_]+)$/gm), ([, code]) => code);
const source = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'))
  .join('\n');

/** The codes of errors and warnings whose messages name a section of the page. */
const linked = [
  ...source.matchAll(/\bwarn\(\s*'(SMS_OTP_[A-Z_]+)'/g),
  ...source.matchAll(/new SessionError\(\s*'(ERR_[A-Z_]+)'/g),
  ...source.matchAll(/^ {2}(ERR_(?:NOT|NO|GUARD|STRATEGY|TOTP)[A-Z_]+):/gm),
  ...source.matchAll(/seeAlso\('(ERR_[A-Z_]+)'\)/g),
]
  .map(([, code]) => code)
  .filter((code) => code !== 'ERR_SESSION_STORE');

describe('docs/troubleshooting.md', () => {
  it('has a section for every error and warning that names one, and for no other', () => {
    const named = new Set(headings);
    expect(named.size).toBe(headings.length);
    expect(linked.length).toBeGreaterThan(12);
    expect(linked.filter((code) => !named.has(code))).toEqual([]);
    // A section of a code that nothing has any more.
    expect(headings.filter((code = '') => !new RegExp(`\\b${code}\\b`).test(source))).toEqual([]);
  });

  it('names every warning', () => {
    const variables = ['BASE_URL', 'VARIANT', 'USERNAME', 'PASSWORD', 'NUMBERS_AS'].map(
      (name) => `SMS_OTP_${name}`,
    );
    const codes = new Set(
      Array.from(source.matchAll(/'(SMS_OTP_[A-Z_]+)'/g), ([, code = '']) => code),
    );
    expect([...codes].filter((code) => !variables.includes(code) && !page.includes(code))).toEqual(
      [],
    );
  });
});
