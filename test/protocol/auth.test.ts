import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_TOKEN_VALIDITY_SECONDS, readTokens } from '../../src/protocol/auth';
import { casesOf } from '../support/complete-run';

/** OTP spec §2 and HLR spec §2, authentication object; values of our own. */
const SAMPLE = {
  access_token: 'Acc.ess-1~/+=',
  validity_period: 1800,
  refresh_token: 'Ref_resh-1',
};

describe('the authentication object', () => {
  it('is read with its three fields', () => {
    expect(readTokens(SAMPLE)).toEqual({
      accessToken: 'Acc.ess-1~/+=',
      refreshToken: 'Ref_resh-1',
      validitySeconds: 1800,
    });
  });

  it('has a default life of 1800 seconds (OTP spec §8, HLR spec §8)', () => {
    expect(DEFAULT_TOKEN_VALIDITY_SECONDS).toBe(1800);
  });

  it.each([
    [60, 60],
    ['1800', 1800],
    [undefined, null],
    [null, null],
    [0, null],
    ['0', null],
    [-1, null],
    [1.5, null],
    ['30m', null],
    ['', null],
    [{}, null],
  ])('validity_period %j counts as %j seconds', (validity_period, validitySeconds) => {
    expect(readTokens({ ...SAMPLE, validity_period })).toMatchObject({ validitySeconds });
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['a number', 7],
    ['two lines', 'a\nb'],
  ])('does not need a refresh token: %s', (_what, refresh_token) => {
    expect(readTokens({ ...SAMPLE, refresh_token })).toMatchObject({ refreshToken: null });
  });

  it.each([
    ['null', null],
    ['empty text', ''],
    ['an array', [SAMPLE]],
    ['no access token', { ...SAMPLE, access_token: undefined }],
    ['a number for a token', { ...SAMPLE, access_token: 12345 }],
    ['an empty token', { ...SAMPLE, access_token: '' }],
  ])('is refused when it is %s', (_what, payload) => {
    expect(readTokens(payload)).toBeNull();
  });
});

describe('the alphabet of a token', () => {
  it('is visible ASCII and nothing else, because it becomes a header value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), (access_token) => {
        const isVisible = Array.from(access_token).every(
          (character) => character > ' ' && character < '\x7f',
        );
        expect(readTokens({ ...SAMPLE, access_token }) !== null).toBe(isVisible);
      }),
      { numRuns: casesOf(1_000) },
    );
  });

  it.each([' ', '\t', '\r', '\n', '\r\nX-Injected: 1', '\0', '\x7f', '\x80', 'é', '\u2028', '😀'])(
    'does not have %j',
    (character) => {
      expect(readTokens({ ...SAMPLE, access_token: `a${character}b` })).toBeNull();
      expect(readTokens({ ...SAMPLE, access_token: `ab${character}` })).toBeNull();
    },
  );

  it.each([
    [4096, true],
    [4097, false],
  ])('ends at a length: %i characters accepted is %j', (length, isAccepted) => {
    expect(readTokens({ ...SAMPLE, access_token: 'x'.repeat(length) }) !== null).toBe(isAccepted);
  });
});
