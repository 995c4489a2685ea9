import { describe, expect, it } from '@jest/globals';
import { hotp, timeStep, totp, type TotpHash } from '../../src/simulator/state/otps';

/** RFC 4226 appendix D. */
const HOTP_VECTORS = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(
  ' ',
);

/** RFC 6238 appendix B: seconds, and the codes of SHA-1, SHA-256 and SHA-512. */
const TOTP_VECTORS: readonly (readonly [number, string, string, string])[] = [
  [59, '94287082', '46119246', '90693936'],
  [1111111109, '07081804', '68084774', '25091201'],
  [1111111111, '14050471', '67062674', '99943326'],
  [1234567890, '89005924', '91819424', '93441116'],
  [2000000000, '69279037', '90698825', '38618901'],
  [20000000000, '65353130', '77737706', '47863826'],
];

/** RFC 6238 appendix B: the ASCII digits 1234567890 repeated to the length of the hash. */
const KEYS: Readonly<Record<TotpHash, Buffer>> = {
  sha1: Buffer.from('12345678901234567890'),
  sha256: Buffer.from('12345678901234567890123456789012'),
  sha512: Buffer.from('1234567890123456789012345678901234567890123456789012345678901234'),
};

describe('RFC 4226 and RFC 6238', () => {
  it.each(HOTP_VECTORS.map((code, counter) => [counter, code] as const))(
    'gives for counter %d the code %s',
    (counter, code) => {
      expect(hotp(KEYS.sha1, BigInt(counter), 6)).toBe(code);
    },
  );

  it.each(TOTP_VECTORS)('gives at %d seconds the codes %s, %s and %s', (seconds, ...codes) => {
    const hashes: readonly TotpHash[] = ['sha1', 'sha256', 'sha512'];
    const given = hashes.map((hash) =>
      totp({ key: KEYS[hash], digits: 8, startSeconds: 0, stepSeconds: 30, hash }, seconds),
    );
    expect(given).toEqual(codes);
  });

  it('counts steps from the start that was agreed', () => {
    const parameters = { key: KEYS.sha1, digits: 6, startSeconds: 1000, stepSeconds: 600 };
    expect([1000, 1599, 1600].map((seconds) => timeStep(parameters, seconds))).toEqual([
      0n,
      0n,
      1n,
    ]);
  });
});
