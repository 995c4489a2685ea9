import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sanitizeVariable } from '../../src/messages/sanitize';
import { readAsChrome } from './parsers';

describe('a variable of a message', () => {
  it.each([
    ['a harmless text', 'Fresh Flowers Ltd.', 'Fresh Flowers Ltd.'],
    ['a text in another script', '花屋 Müller & Søn', '花屋 Müller & Søn'],
    ['line breaks of every kind', 'a\r\nb\nc\rd\u2028e\u2029f\u0085g\vh\fi', 'a b c d e f g h i'],
    ['spaces of every kind', '\u00a0 1\u202f234,50\t\u3000€ ', '1 234,50 €'],
    ['control characters', 'a\u0000b\u001b[31mc\u007f', 'ab31mc'],
    ['marks of direction and joiners', '\u202eevil\u202c \u200bx\u200dy\ufeff', 'evil xy'],
    ['lone halves of characters', 'a\ud800b\udc00c', 'abc'],
    ['a space left by something removed', 'a \u200b @ # b', 'a b'],
    ['an origin-bound line', '\n@evil.test #111111', 'evil.test 111111'],
    ['a placeholder', 'x[PIN]y', 'xPINy'],
    ['a placeholder around a placeholder', '[P[PIN]IN]', 'PPININ'],
    ['nothing harmless at all', '@#[]\n\u200b', ''],
  ])('sanitizeVariable makes it safe: %s', (_what, text, safe) => {
    expect(sanitizeVariable(text, 40)).toBe(safe);
  });

  it.each([
    ['at the length', 'Fresh Flowers', 13, 'Fresh Flowers'],
    ['in a word', 'Fresh Flowers', 12, 'Fresh Flower'],
    ['behind a word, without the space', 'Fresh Flowers', 6, 'Fresh'],
    ['before a character of two units', 'ab😀', 3, 'ab'],
    ['before a letter with its accent', 'abe\u0301', 3, 'ab'],
    ['before a syllable of Hindi', 'नमस्ते', 5, 'नम'],
    ['of a megabyte', 'A\n'.repeat(524_288), 4, 'A A'],
    ['of a megabyte of accents', `e${'\u0301'.repeat(1_048_576)}`, 10, ''],
  ])('sanitizeVariable cuts a string %s', (_what, text, maxLength, cut) => {
    expect(sanitizeVariable(text, maxLength)).toBe(cut);
  });

  it.each([[undefined], [7], [null], [['a']]])('sanitizeVariable refuses %j in place of a string', (text) => {
    expect(() => sanitizeVariable(text as unknown as string, 10)).toThrow(TypeError);
  });

  it.each([[0], [-1], [1.5], [Number.NaN], [Infinity], ['10']])(
    'sanitizeVariable refuses the maxLength %p',
    (maxLength) => {
      expect(() => sanitizeVariable('a', maxLength as number)).toThrow(/maxLength/);
    },
  );

  it('sanitizeVariable leaves unchanged what it returned, whatever it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, maxLength) => {
        const safe = sanitizeVariable(text, maxLength);
        expect(sanitizeVariable(safe, maxLength)).toBe(safe);
        expect(safe.length).toBeLessThanOrEqual(maxLength);
        expect(safe).not.toMatch(/[@#[\]\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(readAsChrome(`before ${safe} after`)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
