import { describe, expect, it } from '@jest/globals';
import { gatewayErrorName, HLR_ERRORS, OTP_ERRORS } from '../../src/protocol/error-codes';

/** OTP spec §7, application error codes: code, name, variants. */
const OTP_LIST = [
  [1001, 'Invalid token type', 'A'],
  [1004, 'Invalid authentication credentials', 'A'],
  [1005, 'Invalid refresh token', 'A'],
  [1007, 'URI not found', 'B'],
  [1009, 'Invalid access token', 'AB'],
  [2100, 'OTP unavailable', 'B'],
  [2101, 'Unknown destination', 'B'],
  [2102, 'Forbidden destination', 'B'],
  [2103, 'Invalid mobile', 'AB'],
  [2104, 'Invalid sender', 'AB'],
  [2105, 'Invalid message', 'AB'],
  [2106, 'Invalid message length', 'B'],
  [2107, 'Invalid pin', 'AB'],
  [2108, 'Pin expired', 'B'],
  [2109, 'Pin already consumed', 'B'],
  [2110, 'Invalid validity', 'A'],
  [2120, 'Invalid pin', 'B'],
  [2121, 'Service temporarily unavailable', 'AB'],
] as const;

/** HLR spec §7, application error codes. */
const HLR_LIST = [
  [1001, 'Invalid token type'],
  [1002, 'Invalid username'],
  [1003, 'Invalid password'],
  [1004, 'Invalid authentication credentials'],
  [1005, 'Invalid refresh token'],
  [1006, 'Insufficient balance'],
  [1007, 'URI not found'],
  [1009, 'Invalid access token'],
  [1221, 'Invalid phone (MSISDN)'],
  [1222, 'Service is not available'],
  [2002, 'Error requesting HLR'],
  [2003, 'Invalid phone (MSISDN)'],
  [2004, 'HLR unavailable'],
  [2005, 'Destination not supported'],
] as const;

describe('error codes', () => {
  it('of the OTP service are those of OTP spec §7, each with its variants', () => {
    const list = Object.entries(OTP_ERRORS).map(([code, { name, variants }]) => [
      Number(code),
      name,
      variants,
    ]);
    expect(list).toEqual(OTP_LIST);
  });

  it('of number lookup are those of HLR spec §7', () => {
    const list = Object.entries(HLR_ERRORS).map(([code, { name }]) => [Number(code), name]);
    expect(list).toEqual(HLR_LIST);
  });

  it.each([...OTP_LIST, ...HLR_LIST].map(([code, name]) => ({ code, name })))(
    '$code is named $name',
    ({ code, name }) => {
      expect(gatewayErrorName(code)).toBe(name);
    },
  );

  it.each([null, 0, 1008, 2111, 9999])('%j has no name', (code) => {
    expect(gatewayErrorName(code)).toBeNull();
  });
});
