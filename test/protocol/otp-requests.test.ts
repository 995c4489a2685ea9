import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_MESSAGE,
  DEFAULT_SENDER,
  DEFAULT_VALIDITY_SECONDS,
  REFERENCE_CODE_MAX,
  createGenerateRequest,
  createValidateRequest,
  type NumberForms,
  VALIDITY_RANGE_SECONDS,
} from '../../src/protocol/otp';
import { parseInput } from '../../src/protocol/values';

const MOBILE = '+12025550123';
const VARIANTS = ['A', 'B'] as const;

const STRINGS = { mobile: 'string', validity: 'string' } as const;
const NUMBERS = { mobile: 'number', validity: 'number' } as const;

function optionsOf(variant: 'A' | 'B', numbersAs: NumberForms = STRINGS, maxCodeDigits = 6) {
  return { variant, numbersAs, maxCodeDigits, allowSecondSegment: false };
}

/** Calls as a JavaScript program may: with fields of any type. */
function generate(variant: 'A' | 'B', input: Record<string, unknown>) {
  return parseInput(createGenerateRequest(optionsOf(variant)), { mobile: MOBILE, ...input });
}

describe('what OTP spec §4 and §8 name', () => {
  it('is the default validity, sender and message', () => {
    expect([DEFAULT_VALIDITY_SECONDS, DEFAULT_SENDER, DEFAULT_MESSAGE]).toEqual([
      600,
      'SECUREPIN',
      'Please do not share your password pin. Your password pin is: [PIN]',
    ]);
  });

  it('is the range of validity in A and the length of a reference code', () => {
    expect([VALIDITY_RANGE_SECONDS, REFERENCE_CODE_MAX]).toEqual([{ min: 120, max: 1800 }, 50]);
  });

  it('passes our own checks', () => {
    const body = generate('A', {
      sender: DEFAULT_SENDER,
      validitySeconds: DEFAULT_VALIDITY_SECONDS,
      message: DEFAULT_MESSAGE,
    });
    expect(body).toEqual({
      mobile: '12025550123',
      sender: DEFAULT_SENDER,
      validity: '600',
      message: DEFAULT_MESSAGE,
    });
  });
});

describe.each(VARIANTS)('the body of generate in variant %s', (variant) => {
  it('needs the number alone, as digits without a plus', () => {
    expect(generate(variant, {})).toEqual({ mobile: '12025550123' });
    expect(generate(variant, { mobile: '12025550123' })).toEqual({ mobile: '12025550123' });
  });

  it('carries numeric members as strings or as JSON numbers', () => {
    const input = { mobile: MOBILE, validitySeconds: 300 };
    const bodyOf = (numbersAs: NumberForms) =>
      parseInput(createGenerateRequest(optionsOf(variant, numbersAs)), input);
    expect(bodyOf(STRINGS)).toEqual({ mobile: '12025550123', validity: '300' });
    expect(bodyOf(NUMBERS)).toEqual({ mobile: 12025550123, validity: 300 });
    expect(bodyOf({ ...STRINGS, validity: 'number' })).toEqual({
      mobile: '12025550123',
      validity: 300,
    });
    expect(bodyOf({ ...STRINGS, mobile: 'number' })).toEqual({
      mobile: 12025550123,
      validity: '300',
    });
  });

  it('leaves out what is undefined', () => {
    const body = generate(variant, {
      sender: undefined,
      validitySeconds: undefined,
      message: undefined,
    });
    expect(Object.keys(body)).toEqual(['mobile']);
  });

  it.each([
    '',
    '+',
    '+1',
    '123456',
    '1234567890123456',
    '012025550123',
    '++12025550123',
    '0012025550123',
    '+1 202 555 0123',
    '+1-202-555-0123',
    ' 12025550123',
    '12025550123\n',
    '+١٢٠٢٥٥٥٠١٢٣',
    'tel:+12025550123',
    12025550123,
    null,
    undefined,
    ['12025550123'],
  ])('refuses the number %j by name', (mobile) => {
    expect(() => generate(variant, { mobile })).toThrow(TypeError);
    expect(() => generate(variant, { mobile })).toThrow(/^mobile must be/);
  });

  it.each(['1234567', '123456789012345', '+123456789012345'])('takes the number %j', (mobile) => {
    expect(generate(variant, { mobile }).mobile).toBe(mobile.replace('+', ''));
  });

  it.each([
    '[PIN] [PIN]',
    'no placeholder',
    '[pin]',
    '[PIN',
    '',
    `${'a'.repeat(155)}[PIN]`,
    'a\r\n[PIN]',
    5,
    null,
  ])('refuses the message %j by name', (message) => {
    expect(() => generate(variant, { message })).toThrow(TypeError);
    expect(() => generate(variant, { message })).toThrow(/^message (must|is too long)/);
  });

  it.each([
    'a',
    'abcdefghijkl',
    'ab_cd',
    'Café',
    'ab!',
    'ab\n',
    '1234567890123',
    '123456789012345',
    '',
    12,
    null,
  ])('refuses the sender %j by name', (sender) => {
    expect(() => generate(variant, { sender })).toThrow(/^sender must be/);
  });

  it.each([0, -1, 1.5, NaN, Infinity, '300', null])(
    'refuses a validity of %j seconds by name',
    (seconds) => {
      expect(() => generate(variant, { validitySeconds: seconds })).toThrow(
        /^validitySeconds must be/,
      );
    },
  );
});

describe('what differs between the variants', () => {
  it('is the least validity: A enforces 120 with error 2110, the range of B is not shown', () => {
    expect(() => generate('A', { validitySeconds: 119 })).toThrow(/from 120 to 1800/);
    expect(generate('A', { validitySeconds: 120 }).validity).toBe('120');
    expect(generate('A', { validitySeconds: 1800 }).validity).toBe('1800');
    expect(() => generate('A', { validitySeconds: 1801 })).toThrow(/from 120 to 1800/);
    expect(generate('B', { validitySeconds: 30 }).validity).toBe('30');
    expect(generate('B', { validitySeconds: 3600 }).validity).toBe('3600');
  });

  it('is the reference code, which B does not have', () => {
    expect(generate('A', { referenceCode: 'r'.repeat(50) }).reference_code).toHaveLength(50);
    expect(() => generate('A', { referenceCode: 'r'.repeat(51) })).toThrow(
      /^referenceCode must be/,
    );
    // Characters, not UTF-16 units.
    expect(generate('A', { referenceCode: '\u{1f600}'.repeat(50) }).reference_code).toHaveLength(
      100,
    );
    expect(() => generate('A', { referenceCode: '\u{1f600}'.repeat(51) })).toThrow(
      /^referenceCode must be/,
    );
    expect(() => generate('A', { referenceCode: 7 })).toThrow(/^referenceCode must be/);
    expect(() => generate('B', { referenceCode: 'r' })).toThrow(/variant A only/);
  });
});

/** Calls as a JavaScript program may: with fields of any type. */
function validate(mobile: unknown, pin: unknown, numbersAs: NumberForms = STRINGS) {
  return parseInput(createValidateRequest(optionsOf('A', numbersAs)), { id: 'x', mobile, pin })
    .body;
}

describe('the body of validate', () => {
  it.each(['0000', '0123456789', '482913'])(
    'keeps the pin %s a string, leading zeros and all',
    (pin) => {
      expect(validate(MOBILE, pin)).toEqual({ mobile: '12025550123', pin });
      expect(validate(MOBILE, pin, NUMBERS)).toEqual({ mobile: 12025550123, pin });
    },
  );

  it.each([
    '',
    '123',
    '12345678901',
    '12 34',
    '1234\n',
    '-1234',
    '12a4',
    '١٢٣٤',
    1234,
    null,
    ['1234'],
  ])('refuses the pin %j without repeating it', (pin) => {
    const attempt = () => validate(MOBILE, pin);
    expect(attempt).toThrow(new TypeError('pin must be a string of 4 to 10 digits'));
  });

  it('refuses a number that is none', () => {
    expect(() => validate('nobody', '482913')).toThrow(/^mobile must be/);
  });
});

describe('messages of refusals', () => {
  it('never show the value that was refused', () => {
    const secret = 'S3cr3t-Value-Of-A-User';
    const members = ['mobile', 'sender', 'validitySeconds', 'message', 'referenceCode'];
    const messages = members.map((member) => {
      try {
        generate('B', { [member]: secret });
        return '';
      } catch (error) {
        return String(error);
      }
    });
    expect(messages.every((message) => message.startsWith('TypeError'))).toBe(true);
    expect(messages.join()).not.toContain(secret);
  });
});
