import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCode } from '../../src/core/sms-factor';
import { countStringWork } from '../support/count-string-work';
import { people } from '../support/people';
import { visit } from '../support/visit';
import { casesOf } from '../support/complete-run';
import { useSharedApp } from '../support/use-app';

describe('the code as typed or pasted', () => {
  it.each([
    ['plain digits', '123456', '123456'],
    ['four digits', '1234', '1234'],
    ['as many blanks as are looked at', `1234${' '.repeat(60)}`, '1234'],
    ['ten digits', '1234567890', '1234567890'],
    ['leading zeros', '000123', '000123'],
    ['nothing but zeros', '0000', '0000'],
    ['spaces', ' 123 456 ', '123456'],
    ['a line feed at the end', '123456\n', '123456'],
    ['tabs and carriage returns', '\t12 34\r\n56', '123456'],
    ['hyphens', '123-456', '123456'],
    ['en and em dashes', '12\u201334\u201456', '123456'],
    ['no-break spaces', '123\u00a0456\u202f', '123456'],
    ['non-breaking hyphens', '123\u2011456', '123456'],
    ['dots and middle dots', '12.34·56', '123456'],
    ['zero-width characters', '\u200b12\u200c34\u200d56\ufeff', '123456'],
    ['a soft hyphen', '123\u00ad456', '123456'],
    ['bidi marks', '\u200f\u202a123456\u202c\u2069', '123456'],
    ['minus signs', '123\u2212456', '123456'],
    ['quotes and brackets', '("\u2018123456\u2019")', '123456'],
    ['invisible fillers and variation selectors', '1\u034f23\u3164456\ufe0d', '123456'],
    ['one leading #', '#123456', '123456'],
    ['the end of an autofill line', ' # 123456 ', '123456'],
    ['full-width digits', '１２３４５６', '123456'],
    ['a full-width #', '＃１２３４', '1234'],
    ['Arabic-Indic digits', '٠١٢٣٤٥', '012345'],
    ['Extended Arabic-Indic digits', '۰۱۲۳۴۵', '012345'],
    ['Devanagari digits', '०१२३४५', '012345'],
    ['Thai digits', '๐๑๒๓๔๕', '012345'],
    ['mathematical digits', '\u{1d7ce}\u{1d7d8}\u{1d7e4}\u{1d7ec}\u{1d7ff}', '00209'],
    ['digits of several scripts', '1٢३๔５\u{1d7d4}', '123456'],
    ['digits beyond the basic plane', '\u{104a0}\u{104a1}\u{104a9}\u{1e950}', '0190'],
  ])('is read through %s', (_what, typed, code) => {
    expect(readCode(typed)).toBe(code);
  });

  it.each([
    ['empty text', ''],
    ['blanks', '   '],
    ['three digits', '123'],
    ['eleven digits', '12345678901'],
    ['a letter that looks like a zero', '12345O'],
    ['letters', 'abcdef'],
    ['hexadecimal', '0x1234'],
    ['a sign', '+123456'],
    ['an exponent', '1e5555'],
    ['a # in the middle', '123#456'],
    ['two leading #', '##123456'],
    ['a fraction', '1234½'],
    ['Chinese numerals', '一二三四五六'],
    ['Roman numerals', 'ⅠⅡⅢⅣ'],
    ['a percent-encoded digit', '%312345'],
    ['a null character', '123456\u0000'],
    ['a whole autofill line', '@example.com #123456'],
    ['a lone surrogate', '12345\ud800'],
    ['65 characters that hold a code', `${' '.repeat(59)}123456`],
    ['a megabyte', '1'.repeat(1_000_000)],
    ['a megabyte of blanks', ' '.repeat(1_000_000)],
    ['nothing', undefined],
    ['null', null],
    ['a number', 123456],
    ['a large integer', 123456n],
    ['a list with the code in it', ['123456']],
    ['a list of digits', ['1', '2', '3', '4']],
    ['an object', { pin: '123456' }],
    ['an object that turns into the code', { toString: () => '123456' }],
    ['a text object', Object('123456')],
    ['true', true],
  ])('is refused when it is %s', (_what, typed) => {
    expect(readCode(typed)).toBeNull();
  });
});

describe('any input at all', () => {
  const likelyText = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...Array.from('0123456789 -.#\u200f\u00a0１٣३๓\u{1d7d4}O½ﷺ')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 80,
  });

  it('gives null or 4 to 10 ASCII digits, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(likelyText, fc.anything()), (input) => {
        const code = readCode(input);
        expect(code ?? '0000').toMatch(/^[0-9]{4,10}$/);
      }),
      { numRuns: casesOf(5_000) },
    );
  });

  it('gives a code only when all that is not a separator is a digit, each kept in its place', () => {
    const separator = fc.constantFrom(
      ' ',
      '-',
      '.',
      '\u00a0',
      '\u200b',
      '\u200f',
      '\u2011',
      '·',
      '\n',
    );
    const digit = fc.tuple(
      fc.nat(9),
      fc.constantFrom(0x30, 0x660, 0x6f0, 0x966, 0xe50, 0xff10, 0x1d7ce),
    );
    const parts = fc.array(fc.tuple(digit, fc.array(separator, { maxLength: 2 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(parts, (typed) => {
        const digits = typed.map(([[value]]) => value).join('');
        const text = typed
          .map(([[value, zero], gaps]) => String.fromCodePoint(zero + value) + gaps.join(''))
          .join('');
        const isCode = digits.length >= 4 && digits.length <= 10 && text.length <= 64;
        expect(readCode(text)).toBe(isCode ? digits : null);
      }),
      { numRuns: casesOf(2_000) },
    );
  });

  it('refuses what has a letter anywhere', () => {
    const place = fc.tuple(fc.nat(6), fc.constantFrom('O', 'l', 'x', 'é', 'Ａ', '٫', '一', '@'));
    fc.assert(
      fc.property(place, ([index, letter]) => {
        expect(readCode(`${'123456'.slice(0, index)}${letter}${'123456'.slice(index)}`)).toBeNull();
      }),
    );
  });

  it('costs no more for a hundred megabytes than for the longest text that is looked at', () => {
    const worst = 'ﷺ'.repeat(64);
    const huge = worst.repeat(1_600_000);
    const work = countStringWork();
    readCode(worst);
    const forWorst = work();
    const code = readCode(huge);
    const forHuge = work() - forWorst;
    expect(forWorst).toBeGreaterThan(0);
    expect([code, forHuge]).toEqual([null, 0]);
  });
});

describe.each(['A', 'B'] as const)('the field of the form in variant %s', (variant) => {
  const [alice] = people(1);
  const test = useSharedApp({
    variant,
    users: people(1),
    options: { allowedCountries: 'any' },
    simulator: { readings: { firstPinDigit: 'zero' } },
  });

  it('costs no gateway call and no attempt while it holds no code; then takes one with leading zeros', async () => {
    const visitor = visit(test, alice);
    await visitor.login();
    const code = test.code(alice);
    const bodies: unknown[] = [
      undefined,
      '',
      null,
      123456,
      true,
      [],
      [code],
      { $gt: '' },
      '12',
      'x'.repeat(1_000_000),
    ];
    for (const pin of bodies) {
      const answer = await visitor.enter(pin);
      expect([answer.status, answer.body]).toEqual([400, { error: 'malformed-code' }]);
    }
    expect(test.sim.stats().calls.validate).toBe(0);
    expect(test.events.map(({ type }) => type)).not.toContain('failure-count-changed');
    expect(code).toMatch(/^0/);
    expect((await visitor.enter(`${code.slice(0, 3)} ${code.slice(3)}\u200f`)).status).toBe(200);
  });

  it.each([
    ['pin=1234&pin=5678', 'application/x-www-form-urlencoded'],
    ['pin[a]=123456', 'application/x-www-form-urlencoded'],
    ['pin[]=123456', 'application/x-www-form-urlencoded'],
    ['{"__proto__":{"pin":"123456"}}', 'application/json'],
    ['{"constructor":{"pin":"123456"}}', 'application/json'],
    ['["123456"]', 'application/json'],
    ['123456', 'text/plain'],
  ])('refuses the body %s', async (body, type) => {
    const answer = await test.agent().post('/login/pin').set('Content-Type', type).send(body);
    expect([answer.status, answer.body]).toEqual([400, { error: 'malformed-code' }]);
  });
});
