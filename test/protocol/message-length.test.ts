import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { measureMessage, measureTemplate, MESSAGE_LIMIT } from '../../src/protocol/message-length';
import { DEFAULT_MESSAGE } from '../../src/protocol/otp';
import { casesOf } from '../support/complete-run';

const A = (times: number) => 'A'.repeat(times);
const HIRAGANA = '\u3042';
const SMILE = '\u{1f600}';

/** 3GPP TS 23.038: the basic table without the escape, and the extension table. */
const BASIC =
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\n\r !"#¤%&\'()*+,-./:;<=>?¡¿§_@£$¥' +
  'èéùìòàäöñüøåæßÇØÅÆÉÄÖÑÜΔΦΓΛΩΠΨΣΘΞ';
const EXTENSION = '\f^{}\\[~]|€';

describe('the GSM 7-bit alphabet', () => {
  it('has 127 characters of one septet', () => {
    expect(new Set(BASIC).size).toBe(127);
    expect(measureMessage(BASIC)).toEqual({
      encoding: 'gsm-7',
      units: 127,
      limit: 160,
      forcedBy: [],
    });
  });

  it('has ten characters of two septets', () => {
    expect(new Set(EXTENSION).size).toBe(10);
    expect(measureMessage(EXTENSION)).toEqual({
      encoding: 'gsm-7',
      units: 20,
      limit: 160,
      forcedBy: [],
    });
  });

  it('has no other character of the first 65,536', () => {
    const known = new Set(BASIC + EXTENSION);
    const strangers = Array.from({ length: 0x10000 }, (_, unit) =>
      String.fromCharCode(unit),
    ).filter(
      (character) => measureMessage(character).encoding === 'gsm-7' && !known.has(character),
    );
    expect(strangers).toEqual([]);
  });

  it.each(Array.from('`\t\u00a0\u2018\u2019\u201c\u201d\u2013\u2014\u2026çáíóúâêôãõẞşΑΒΕ😀'))(
    'does not have %j',
    (character) => {
      expect(measureMessage(`a${character}`)).toMatchObject({
        encoding: 'ucs-2',
        forcedBy: [character],
      });
    },
  );
});

describe('one text message (OTP spec §8)', () => {
  it('carries 160 septets or 70 units', () => {
    expect(MESSAGE_LIMIT).toEqual({ 'gsm-7': 160, 'ucs-2': 70 });
  });

  it.each([
    ['160 x A', A(160), 'gsm-7', 160, true],
    ['161 x A', A(161), 'gsm-7', 161, false],
    ['158 x A and a euro sign', A(158) + '€', 'gsm-7', 160, true],
    ['159 x A and a euro sign', A(159) + '€', 'gsm-7', 161, false],
    ['40 x []', '[]'.repeat(40), 'gsm-7', 160, true],
    ['158 x A and a form feed', A(158) + '\f', 'gsm-7', 160, true],
    ['Ç', 'Ç', 'gsm-7', 1, true],
    ['ß', 'ß', 'gsm-7', 1, true],
    ['à', 'à', 'gsm-7', 1, true],
    ['Δ', 'Δ', 'gsm-7', 1, true],
    ['¤', '¤', 'gsm-7', 1, true],
    ['CRLF', '\r\n', 'gsm-7', 2, true],
    ['ç', 'ç', 'ucs-2', 1, true],
    ['ẞ', 'ẞ', 'ucs-2', 1, true],
    ['a backtick', '`', 'ucs-2', 1, true],
    ['TAB', '\t', 'ucs-2', 1, true],
    ['NBSP', '\u00a0', 'ucs-2', 1, true],
    ['U+2019', '\u2019', 'ucs-2', 1, true],
    ['U+0391', '\u0391', 'ucs-2', 1, true],
    ['á', 'á', 'ucs-2', 1, true],
    ['ş', 'ş', 'ucs-2', 1, true],
    ['70 x hiragana', HIRAGANA.repeat(70), 'ucs-2', 70, true],
    ['71 x hiragana', HIRAGANA.repeat(71), 'ucs-2', 71, false],
    ['35 x U+1F600', SMILE.repeat(35), 'ucs-2', 70, true],
    ['36 x U+1F600', SMILE.repeat(36), 'ucs-2', 72, false],
    ['68 x hiragana and U+1F600', HIRAGANA.repeat(68) + SMILE, 'ucs-2', 70, true],
    ['69 x hiragana and U+1F600', HIRAGANA.repeat(69) + SMILE, 'ucs-2', 71, false],
    ['one hiragana and 69 euro signs', HIRAGANA + '€'.repeat(69), 'ucs-2', 70, true],
    ['e with a combining accent', 'e\u0301', 'ucs-2', 2, true],
    ['nothing', '', 'gsm-7', 0, true],
  ] as const)('counts %s', (_what, text, encoding, units, fits) => {
    const size = measureMessage(text);
    expect(size).toMatchObject({ encoding, units });
    expect(size.units <= size.limit).toBe(fits);
  });

  it('names the characters that force UCS-2, each once and in order', () => {
    expect(measureMessage(`It\u2019s ${SMILE}, Şükrü\u2019s`).forcedBy).toEqual([
      '\u2019',
      SMILE,
      'Ş',
    ]);
  });
});

describe('a template', () => {
  it.each([
    ['153 x A', `${A(153)}[PIN]`, 6, 158, 159, true],
    ['154 x A', `${A(154)}[PIN]`, 6, 159, 160, true],
    ['155 x A', `${A(155)}[PIN]`, 6, 160, 161, false],
    ['156 x A, four digits', `${A(156)}[PIN]`, 4, 161, 160, false],
    ['153 x A, eight digits', `${A(153)}[PIN]`, 8, 158, 161, false],
    ['152 x A, eight digits', `${A(152)}[PIN]`, 8, 157, 160, true],
    ['77 euro signs', `${'€'.repeat(77)}[PIN]`, 6, 82, 160, true],
    ['78 euro signs', `${'€'.repeat(78)}[PIN]`, 6, 83, 162, false],
    ['64 hiragana', `${HIRAGANA.repeat(64)}[PIN]`, 6, 69, 70, true],
    ['65 hiragana', `${HIRAGANA.repeat(65)}[PIN]`, 6, 70, 71, false],
    ['ç and 63 x A', `ç${A(63)}[PIN]`, 6, 69, 70, true],
    ['32 x U+1F600', `${SMILE.repeat(32)}[PIN]`, 6, 69, 70, true],
    ["the gateway's default text", DEFAULT_MESSAGE, 6, 66, 67, true],
  ])(
    'fits when its characters and the units of the text with the pin do: %s',
    (_what, template, maxCodeDigits, characters, expanded, fits) => {
      const size = measureTemplate(template, maxCodeDigits);
      expect(template).toHaveLength(characters);
      expect(measureMessage(template.replace('[PIN]', '0'.repeat(maxCodeDigits))).units).toBe(
        expanded,
      );
      expect(size.units).toBe(Math.max(characters, expanded));
      expect(size.problem === null).toBe(fits);
    },
  );

  it.each([
    ['160 characters', `${A(155)}[PIN]`, true],
    ['155 euro signs and the placeholder', `${'€'.repeat(155)}[PIN]`, true],
    ['161 characters', `${A(156)}[PIN]`, false],
    ['70 hiragana and placeholder', `${HIRAGANA.repeat(65)}[PIN]`, true],
    ['71 hiragana and placeholder', `${HIRAGANA.repeat(66)}[PIN]`, false],
  ])(
    'of %s fits or not by its characters alone where a second segment is allowed',
    (_what, template, fits) => {
      expect(measureTemplate(template, 10, true).problem === null).toBe(fits);
      expect(measureTemplate(template, 10).problem).not.toBeNull();
    },
  );

  it.each([
    ['no placeholder', 'Your code', 'must contain [PIN] exactly once (found 0)'],
    ['two placeholders', '[PIN] and [PIN]', 'must contain [PIN] exactly once (found 2)'],
    ['a placeholder in lower case', 'Your code [pin]', 'must contain [PIN] exactly once (found 0)'],
    [
      'a carriage return',
      'Your code\r\n[PIN]',
      'must not contain control characters other than line feeds',
    ],
    ['a TAB', 'Your code\t[PIN]', 'must not contain control characters other than line feeds'],
    ['NUL', 'Your code \0[PIN]', 'must not contain control characters other than line feeds'],
    [
      'a line separator',
      'Your code\u2028[PIN]',
      'must not contain control characters other than line feeds',
    ],
    [
      'a lone surrogate',
      'Your code \ud83d[PIN]',
      'must not contain control characters other than line feeds',
    ],
  ])('is refused with %s', (_what, template, problem) => {
    expect(measureTemplate(template, 6).problem).toBe(problem);
  });

  it('that is too long is refused with the count, the limit and the characters that halve the budget', () => {
    expect(measureTemplate(`It\u2019s ${A(70)}[PIN]`, 6).problem).toBe(
      'is too long for one text message: 81 of 70 (ucs-2) with the longest code; \u2019 cannot be sent as GSM 7-bit',
    );
  });

  it('may have line feeds', () => {
    expect(measureTemplate('Your code\n\n@example.com #[PIN]', 10).problem).toBeNull();
  });
});

describe('beside sms-segments-calculator', () => {
  const character = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...Array.from(BASIC)) },
    { weight: 3, arbitrary: fc.constantFrom(...Array.from(EXTENSION)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'ç',
        '`',
        '\t',
        '\u2019',
        HIRAGANA,
        SMILE,
        '\u0301',
        '\u200d',
        '\ud800',
      ),
    },
  );
  const text = fc.oneof(
    fc.array(character, { minLength: 60, maxLength: 80 }).map((parts) => parts.join('')),
    fc.string({
      unit: fc.constantFrom(...Array.from(BASIC + EXTENSION)),
      minLength: 140,
      maxLength: 170,
    }),
    fc.string({ unit: 'binary', maxLength: 75 }),
    fc.string({ unit: 'grapheme', maxLength: 75 }),
  );

  // Its `numberOfCharacters` counts graphemes in UCS-2, so units come from the bits and the verdict
  // from the segments.
  it('the encoding, the units and whether one message is enough are the same for every text', () => {
    fc.assert(
      fc.property(text, (message) => {
        const oracle = new SegmentedMessage(message);
        const isGsm = oracle.getEncodingName() === 'GSM-7';
        const size = measureMessage(message);
        expect({
          isGsm: size.encoding === 'gsm-7',
          units: size.units,
          fits: size.units <= size.limit,
        }).toEqual({
          isGsm,
          units: oracle.messageSize / (isGsm ? 7 : 16),
          fits: oracle.segmentsCount === 1,
        });
      }),
      { numRuns: casesOf(1_500) },
    );
  });
});
