import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toSafePath } from '../../src/middleware/kept-page';
import { UNSAFE_PATHS } from './support/unsafe-paths';
import { casesOf } from '../support/complete-run';

describe('a path that is found safe', () => {
  const pieces = fc.constantFrom(
    ...[
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '%09',
      '\t',
      '\n',
      ' ',
      '@',
      ':',
      '?',
      '#',
      ';',
      '&',
    ],
    ...[
      'evil.example',
      'http:',
      'javascript:',
      '／',
      '＼',
      '\u2028',
      '\u0000',
      '\ud800',
      'a',
      '%',
      '[',
      ']',
    ],
  );
  const steps = fc.constantFrom('/', '//', '.', '..', '%2e', '\\', 'a', 'evil.example');
  const candidates = fc.oneof(
    fc.array(steps, { maxLength: 8 }).map((parts) => `/${parts.join('')}`),
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.array(pieces, { maxLength: 12 }).map((parts) => `/${parts.join('')}`),
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
  );

  it('never leaves the origin as a browser resolves it, and is the same when judged again', () => {
    let found = 0;
    fc.assert(
      fc.property(candidates, (candidate) => {
        const path = toSafePath(candidate);
        if (path === null) return;
        found += 1;
        for (const base of ['https://bank.example', 'https://bank.example/a/b?c']) {
          expect(new URL(path, base).origin).toBe('https://bank.example');
        }
        expect(toSafePath(path)).toBe(path);
      }),
      { numRuns: casesOf(1_500) },
    );
    expect(found).toBeGreaterThan(casesOf(100));
  });

  it.each(UNSAFE_PATHS)('is never %j', (path) => {
    expect(toSafePath(path)).toBe(null);
  });

  it('has up to 2,048 characters', () => {
    const longest = `/${'a'.repeat(2_047)}`;
    expect(toSafePath(longest)).toBe(longest);
  });

  it('is never anything but a text', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(typeof value === 'string' || toSafePath(value) === null).toBe(true);
      }),
    );
  });
});
