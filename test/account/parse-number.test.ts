import { describe, expect, it } from '@jest/globals';
import { parseNumber } from '../../src/limits/parse-number';
import { countStringWork } from '../support/count-string-work';

/** The number, or the reason it was refused for. */
async function read(input: unknown, defaultCountry?: string): Promise<string> {
  const parsed = await parseNumber(input, defaultCountry);
  return parsed.kind === 'number' ? parsed.mobile : parsed.reason;
}

const MALFORMED = 'malformed-phone';
const UNSUITABLE = 'unsuitable-phone';
const UNKNOWN = 'unknown-range';

describe('a number in international form', () => {
  it.each([
    ['as it is stored', '+14155550123'],
    ['with spaces, dashes, dots, slashes and brackets', ' +1 (415) 555-01.23/ '],
    ['with no-break spaces and non-breaking hyphens', '+1\u00a0415\u2011555\u20110123'],
    [
      'with marks of writing direction, as copied from a contact',
      '\u202a+1 415 555 0123\u202c\u200e',
    ],
    ['with zero-width spaces and a byte order mark', '\ufeff+1415\u200b555\u200d0123'],
    ['with a minus sign and a long vowel mark for dashes', '+1\u2212415\u30fc5550123'],
    ['with invisible fillers and a variation selector', '+1\u034f415\u3164555\ufe0d0123'],
    ['as the link of a page', 'tel:+1-415-555-0123'],
    ['in quotes', '\u201c+14155550123\u201d'],
    ['full-width, the plus too', '＋１４１５５５５０１２３'],
    ['with a superscript plus', '\u207a14155550123'],
    ['in Arabic-Indic digits', '+١٤١٥٥٥٥٠١٢٣'],
    ['in Extended Arabic-Indic digits', '+۱۴۱۵۵۵۵۰۱۲۳'],
    ['in Devanagari digits', '+१४१५५५५०१२३'],
    ['in digits of several scripts', '+1४1५५５5٠१23'],
  ])('is read %s', async (_title, input) => {
    expect(await read(input)).toBe('+14155550123');
  });

  it.each([
    ['Côte d’Ivoire, ten digits', '+225 07 07 12 34 56', '+2250707123456'],
    ['Côte d’Ivoire, eight digits as before 2021', '+225 07 12 34 56', MALFORMED],
    ['Mexico', '+52 55 1234 5678', '+525512345678'],
    ['Mexico with the 1 of before 2019', '+52 1 55 1234 5678', '+525512345678'],
    ['Brazil, nine digits', '+55 11 99123 4567', '+5511991234567'],
    ['Brazil, eight digits: no 9 is put in front', '+55 11 9912 3456', MALFORMED],
    ['Argentina, mobile', '+54 9 11 1234 5678', '+5491112345678'],
    ['Argentina, a fixed line without the 9', '+54 11 1234 5678', UNSUITABLE],
    ['Italy, mobile', '+39 312 345 6789', '+393123456789'],
    ['Italy, a fixed line with its zero', '+39 06 1234 5678', UNSUITABLE],
    ['a trunk zero in brackets', '+44 (0)7911 123456', '+447911123456'],
    ['the Isle of Man', '+44 7624 123456', '+447624123456'],
    ['Kosovo', '+383 44 123 456', '+38344123456'],
    // The old code of Kosovo is a number of Monaco to libphonenumber: the country list and the code
    // itself decide.
    ['Monaco', '+377 44 12 34 56', '+37744123456'],
    ['a fictional number of the USA, which is valid', '+1 415 555 0123', '+14155550123'],
    ['a fictional number of the United Kingdom, which is not', '+44 7700 900123', UNKNOWN],
    ['an area code that is not in service yet', '+1 861 555 0123', UNKNOWN],
    ['an unknown range of a country with its own calling code', '+55 11 1234 5678 9', MALFORMED],
    ['16 digits', '+1234567890123456', MALFORMED],
    ['three digits', '+112', MALFORMED],
    ['a country code that begins with zero', '+0014155550123', MALFORMED],
  ])('%s: %s is %s', async (_title, input, expected) => {
    expect(await read(input)).toBe(expected);
  });
});

describe('a range that no code belongs to is refused as unsuitable', () => {
  it.each([
    ['PREMIUM_RATE', '+1 900 234 5678'],
    ['PREMIUM_RATE in the United Kingdom', '+44 909 879 0000'],
    ['SHARED_COST', '+49 180 5 123456'],
    ['TOLL_FREE', '+1 800 555 0123'],
    ['UAN', '+44 333 123 4567'],
    ['PAGER', '+44 7640 123456'],
    ['PERSONAL_NUMBER', '+44 70 1234 5678'],
    ['FIXED_LINE', '+49 30 1234567'],
    ['VOICEMAIL', '+49 160 13 1234567'],
  ])('%s', async (_title, input) => {
    expect(await read(input)).toBe(UNSUITABLE);
  });
});

describe('a range that is not known, under a calling code of several countries', () => {
  it.each([
    ['861 555 0123', 'US'],
    ['861 555 0123', 'CA'],
    ['07700 900123', 'GB'],
    ['+1 861 555 0123', 'DE'],
  ])('%s is one with the default country %s too', async (input, country) => {
    expect(await read(input, country)).toBe(UNKNOWN);
  });

  it.each([
    ['too short', '+1 861 555 012'],
    ['too long', '+1 861 555 01234'],
  ])('is no such range, but malformed, where the number is %s', async (_what, input) => {
    expect(await read(input)).toBe(MALFORMED);
  });
});

describe('a number in national form', () => {
  it.each([
    ['015123 456789', 'DE', '+4915123456789'],
    ['0151/23456789', 'DE', '+4915123456789'],
    ['(415) 555-0123', 'US', '+14155550123'],
    ['011 15 1234 5678', 'AR', '+5491112345678'],
    ['07911 123456', 'GB', '+447911123456'],
    ['+1 415 555 0123', 'DE', '+14155550123'],
    ['0044 7911 123456', 'DE', '+447911123456'],
    ['００４４７９１１１２３４５６', 'DE', '+447911123456'],
  ])('%s is read with the default country %s', async (input, country, expected) => {
    expect(await read(input, country)).toBe(expected);
  });

  it.each(['015123456789', '14155550123', '0014155550123', '4155550123'])(
    '%s is refused without a default country: nobody knows what it means',
    async (input) => {
      expect(await read(input)).toBe(MALFORMED);
    },
  );

  it('that lacks only its plus is not taken for a mobile one of the default country', async () => {
    expect(await read('4915123456789', 'DE')).toBe(UNSUITABLE);
  });

  it.each(['UK', 'XX', '__', 'toString'])(
    'with the country %s is an error of the app',
    async (country) => {
      await expect(read('07911 123456', country)).rejects.toThrow(TypeError);
    },
  );
});

describe('what is no number is refused as malformed', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number of JavaScript', 14_155_550_123],
    ['a list', ['+14155550123']],
    ['an object', { toString: () => '+14155550123' }],
    ['an empty text', ''],
    ['marks alone', ' ()-.\u200b '],
    ['a plus alone', '+'],
    ['two pluses', '++14155550123'],
    ['a plus at the end', '14155550123+'],
    ['letters for digits', '+1 415 555 CODE'],
    ['letters that look like digits', '+1 4l5 555 O123'],
    ['an extension', '+1 415 555 0123 ext. 5'],
    ['an extension with x', '+14155550123x5'],
    ['an extension of RFC 3966', 'tel:+14155550123;ext=5'],
    ['pauses and hashes', '+14155550123,,5#'],
    ['a number inside a sentence', 'call +14155550123'],
    ['two numbers', '+14155550123 +14155550124'],
    ['a line break and a header', '+14155550123\r\nX-Evil: 1'],
    ['a NUL', '+14155550123\u0000'],
    ['a fraction', '+1415555012½'],
    ['a ligature that grows eighteenfold', '\ufdfa'.repeat(64)],
    ['combining marks', '+14155550123\u0301'],
  ])('%s', async (_title, input) => {
    expect(await read(input, 'US')).toBe(MALFORMED);
  });

  it('a text of 1 MB, whatever it holds, in the time of a short one', async () => {
    const inputs = ['1', '+', '\u0301', '\ufdfa', '\u202a', '٣'].map((part) =>
      part.repeat(1_048_576),
    );
    const work = countStringWork();
    await read('+1 415 555 CODE', 'US');
    const forShort = work();
    const reasons = [];
    for (const input of inputs) reasons.push(await read(input, 'US'));
    const forLong = work() - forShort;
    expect(reasons).toEqual(inputs.map(() => MALFORMED));
    expect(forShort).toBeGreaterThan(0);
    expect(forLong).toBe(0);
  });

  it('64 characters are looked at, 65 are not', async () => {
    const number = '+14155550123';
    expect(await read(number.padEnd(64))).toBe(number);
    expect(await read(number.padEnd(65))).toBe(MALFORMED);
  });
});
