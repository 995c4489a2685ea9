import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sanitizeVariable } from '../../src/messages/sanitize';
import { readAsChrome } from './parsers';
import { casesOf } from '../support/complete-run';

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
    ['an origin-bound line', '\n@evil.test #111111', 'evil. test 111111'],
    [
      'an origin-bound line in full-width or small signs',
      '\uff20evil\ufe6b \uff031\ufe5f2',
      'evil 12',
    ],
    [
      'a placeholder in full-width or vertical brackets',
      'x\uff3bPIN\uff3d\ufe47PIN\ufe48y',
      'xPINPINy',
    ],
    ['fillers that nobody sees', 'a\u3164b\u115f\u1160\uffa0c\u2800\u034fd', 'abc d'],
    ['characters without a look of their own', 'a\ue000b\u{f0000}c\ufffcd\u{e0041}', 'abcd'],
    [
      'a link with a path',
      'Refund. Log in at evil-bank.example/now',
      'Refund. Log in at evil-bank. example/now',
    ],
    ['a link without a path', 'www.evil.example', 'www. evil. example'],
    ['a link to an address', 'HTTP://192.0.2.1/now', 'HTTP: //192.0.2.1/now'],
    [
      'a link with dots of other scripts',
      'a\u3002test b\uff0eTEST c\uff61test d\u2024test',
      'a。 test b． TEST c｡ test d․ test',
    ],
    [
      'a link to an international domain',
      'a.\u0440\u0444 b.xn--p1ai',
      'a. \u0440\u0444 b. xn--p1ai',
    ],
    [
      'amounts, dates and initials, as they are',
      '1.234,50 EUR 31.12.2026 U.S.A. St. Gallen',
      '1.234,50 EUR 31.12.2026 U.S.A. St. Gallen',
    ],
    [
      'more marks on a letter than any script has',
      `a${'\u0301'.repeat(60)}b`,
      `a${'\u0301'.repeat(4)}b`,
    ],
    [
      'letters with several marks, as they are',
      'Vie\u0323\u0302t \u05e9\u05bc\u05c1\u05b8',
      'Vie\u0323\u0302t \u05e9\u05bc\u05c1\u05b8',
    ],
    ['a placeholder', 'x[PIN]y', 'xPINy'],
    ['a placeholder around a placeholder', '[P[PIN]IN]', 'PPININ'],
    ['nothing harmless at all', '@#[]\n\u200b', ''],
  ])('sanitizeVariable makes it safe: %s', (_what, text, safe) => {
    expect(sanitizeVariable(text, 50)).toBe(safe);
  });

  it.each([
    ['at the length', 'Fresh Flowers', 13, 'Fresh Flowers'],
    ['in a word', 'Fresh Flowers', 12, 'Fresh Flower'],
    ['behind a word, without the space', 'Fresh Flowers', 6, 'Fresh'],
    ['before a character of two units', 'ab😀', 3, 'ab'],
    ['before a letter with its accent', 'abe\u0301', 3, 'ab'],
    ['before a syllable of Hindi', 'नमस्ते', 5, 'नम'],
    ['of a megabyte', 'A\n'.repeat(524_288), 4, 'A A'],
    ['of a megabyte of accents', `e${'\u0301'.repeat(1_048_576)}`, 10, `e${'\u0301'.repeat(4)}`],
    ['before a letter with more accents than fit', `e${'\u0301'.repeat(4)}`, 4, ''],
  ])('sanitizeVariable cuts a string %s', (_what, text, maxLength, cut) => {
    expect(sanitizeVariable(text, maxLength)).toBe(cut);
  });

  it('sanitizeVariable removes every character that a transliteration may turn into a sign of a forgery', () => {
    const all = Array.from({ length: 0x11_0000 }, (_, point) => String.fromCodePoint(point));
    const signs = all.filter((character) => /[@#[\]]/.test(character.normalize('NFKC')));
    expect(signs.length).toBeGreaterThan(10);
    expect(signs.map((sign) => sanitizeVariable(sign, 10)).join('')).toBe('');
  });

  it.each([[undefined], [7], [null], [['a']]])(
    'sanitizeVariable refuses %j in place of a string',
    (text) => {
      expect(() => sanitizeVariable(text as unknown as string, 10)).toThrow(TypeError);
    },
  );

  it.each([[0], [-1], [1.5], [Number.NaN], [Infinity], ['10']])(
    'sanitizeVariable refuses the maxLength %p',
    (maxLength) => {
      expect(() => sanitizeVariable('a', maxLength as number)).toThrow(/maxLength/);
    },
  );

  it('sanitizeVariable leaves unchanged what it returned, whatever it was given', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 50 }),
        (text, maxLength) => {
          const safe = sanitizeVariable(text, maxLength);
          expect(sanitizeVariable(safe, maxLength)).toBe(safe);
          expect(safe.length).toBeLessThanOrEqual(maxLength);
          expect(safe).not.toMatch(/[@#[\]\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
          expect(readAsChrome(`before ${safe} after`.normalize('NFKC'))).toBeNull();
        },
      ),
      { numRuns: casesOf(300) },
    );
  });
});
