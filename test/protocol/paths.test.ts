import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lookupPath, PATHS, validatePath } from '../../src/protocol/paths';
import { readOtpId } from '../../src/protocol/otp';
import { casesOf } from '../support/complete-run';

const BASE = 'https://gateway.example';

describe('paths', () => {
  it.each([
    ['authentication', PATHS.auth, '/apis/auth'],
    ['generate', PATHS.generate, '/apis/otp/v3/generate'],
    ['validate', validatePath('8f3a'), '/apis/otp/v3/validate/8f3a'],
    ['balance in A', PATHS.balance.A, '/apis/sms/mt/v2/balance'],
    ['balance in B', PATHS.balance.B, '/apis/otp/v3/balance'],
    ['pricing in A', PATHS.pricing.A, '/apis/sms/mt/v2/pricing'],
    ['pricing in B', PATHS.pricing.B, '/apis/otp/v3/pricing'],
    ['lookup', lookupPath('12025550123'), '/apis/hlr/v2/12025550123'],
    ['lookup balance', PATHS['hlr-balance'], '/apis/hlr/v2/balance'],
    ['lookup pricing', PATHS['hlr-pricing'], '/apis/hlr/v2/pricing'],
  ])('%s is where the documents put it (OTP spec §4, HLR spec §4)', (_call, path, documented) => {
    expect(path).toBe(documented);
  });

  it.each([
    ['a/b', '/apis/otp/v3/validate/a%2Fb'],
    ['a b?c#d', '/apis/otp/v3/validate/a%20b%3Fc%23d'],
    ['%2e%2e', '/apis/otp/v3/validate/%252e%252e'],
    ['..\\..', '/apis/otp/v3/validate/..%5C..'],
    ['../../auth', '/apis/otp/v3/validate/..%2F..%2Fauth'],
    ['é', '/apis/otp/v3/validate/%C3%A9'],
  ])('the OTP id %j is one percent-encoded segment', (id, path) => {
    expect(validatePath(id)).toBe(path);
  });
});

/** Texts made of what paths are attacked with, and any text at all, lone surrogates included. */
const hostileText = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        '.',
        '..',
        '/',
        '\\',
        '%2e',
        '%2f',
        '%',
        '?',
        '#',
        '@',
        ':',
        ';',
        ' ',
        '\t',
        'a',
        'é',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units)),
);

describe('an OTP id that was accepted', () => {
  it.each(['A', 'B'] as const)('cannot leave the path of validate (variant %s)', (variant) => {
    const text = variant === 'A' ? hostileText : fc.oneof(hostileText, fc.maxSafeNat().map(String));
    fc.assert(
      fc.property(text, (candidate) => {
        const id = readOtpId[variant](candidate);
        fc.pre(id !== null);
        const url = new URL(BASE + validatePath(id));
        const segment = url.pathname.slice(PATHS.validate.length);
        expect(url.origin + url.search + url.hash).toBe(BASE);
        expect(url.pathname.startsWith(PATHS.validate)).toBe(true);
        expect(segment).not.toContain('/');
        expect(decodeURIComponent(segment)).toBe(id);
      }),
      { numRuns: casesOf(2_000), maxSkipsPerRun: 200 },
    );
  });
});
