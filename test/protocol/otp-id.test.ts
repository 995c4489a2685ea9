import { describe, expect, it } from '@jest/globals';
import { readOtpId } from '../../src/protocol/otp';

/** OTP spec §2: the id is a string in A and a number in B. */
describe('the OTP id of variant A', () => {
  it.each([
    ['a short text', '7d1c0b'],
    ['32 hexadecimal digits', '0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
    ['digits with leading zeros', '000123'],
    ['slashes', 'a/b//c'],
    ['a path that climbs', '../x'],
    ['three dots', '...'],
    ['a percent-encoded dot', '%2e'],
    ['spaces and non-ASCII letters', 'id né 識別'],
    ['an astral character', 'id\u{1f600}'],
    ['256 characters', 'x'.repeat(256)],
  ])('may be %s, and is kept as it came', (_what, id) => {
    expect(readOtpId.A(id)).toBe(id);
  });

  it.each([
    ['empty', ''],
    ['one dot', '.'],
    ['two dots', '..'],
    ['257 characters', 'x'.repeat(257)],
    ['with a line feed', 'a\nb'],
    ['with a carriage return at the end', 'ab\r'],
    ['with NUL', 'a\0'],
    ['with DEL', 'a\x7f'],
    ['with a C1 control', 'a\x85'],
    ['with a line separator', 'a\u2028'],
    ['with a lone high surrogate', 'a\ud83d'],
    ['with a lone low surrogate', '\ude00a'],
    ['a number beyond 2^53', 2 ** 53 + 2],
    ['a fraction', 1.5],
    ['null', null],
    ['absent', undefined],
    ['a boolean', true],
    ['an array', ['7d1c0b']],
    ['an object', { id: '7d1c0b' }],
  ])('is refused when it is %s', (_what, id) => {
    expect(readOtpId.A(id)).toBeNull();
  });
});

describe('the OTP id of variant B', () => {
  it.each([
    ['a JSON number', 4_711, '4711'],
    ['1', 1, '1'],
    ['a string of digits', '4711', '4711'],
    ['the greatest safe integer', 9_007_199_254_740_991, '9007199254740991'],
    ['the greatest safe integer as a string', '9007199254740991', '9007199254740991'],
    ['2^53 + 1 as a string', '9007199254740993', '9007199254740993'],
    ['20 digits', '18446744073709551615', '18446744073709551615'],
    ['zero', 0, '0'],
    ['zero as a string', '0', '0'],
    ['a string with leading zeros', '004711', '004711'],
  ])('may be %s, and is a string from there on', (_what, id, text) => {
    expect(readOtpId.B(id)).toBe(text);
  });

  it.each([
    ['2^53', 9_007_199_254_740_992],
    ['2^53 + 1 as JSON, which the parser has rounded', JSON.parse('9007199254740993')],
    ['21 digits', '1'.repeat(21)],
    ['negative', -4_711],
    ['a fraction', 47.11],
    ['a string with a sign', '+4711'],
    ['a string with an exponent', '4e3'],
    ['a string with a space', ' 4711'],
    ['a string with a line feed at the end', '4711\n'],
    ['a string of other digits', '٤٧١١'],
    ['a word', 'abc'],
    ['empty', ''],
    ['null', null],
    ['absent', undefined],
    ['an array', [4_711]],
  ])('is refused when it is %s', (_what, id: unknown) => {
    expect(readOtpId.B(id)).toBeNull();
  });
});
