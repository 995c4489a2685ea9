import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSender } from '../../src/protocol/message-length';
import { casesOf } from '../support/complete-run';

describe('the sender rule of OTP spec §4', () => {
  it.each(['ab', 'abcdefghijk', 'A-b.c 9', '12', '12345678901', '12345678901234', '..', '  '])(
    'admits %j',
    (sender) => {
      expect(isSender(sender)).toBe(true);
    },
  );

  it('is 2 to 11 of letters, digits, space, hyphen, dot, or 14 digits, and nothing else', () => {
    const allowed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -.';
    const sender = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from(allowed), '_', 'é'), maxLength: 15 }),
      fc.string({
        unit: fc.constantFrom(...Array.from('0123456789')),
        minLength: 10,
        maxLength: 16,
      }),
      fc.string({ maxLength: 15 }),
    );
    fc.assert(
      fc.property(sender, (text) => {
        const characters = Array.from(text);
        const isWord =
          text.length >= 2 && text.length <= 11 && characters.every((one) => allowed.includes(one));
        const isNumber = text.length === 14 && characters.every((one) => one >= '0' && one <= '9');
        expect(isSender(text)).toBe(isWord || isNumber);
      }),
      { numRuns: casesOf(1_000) },
    );
  });
});
