/** The application error codes of OTP spec §7, with the variants that list them. */
export const OTP_ERRORS = {
  1001: { name: 'Invalid token type', variants: 'A' },
  1004: { name: 'Invalid authentication credentials', variants: 'A' },
  1005: { name: 'Invalid refresh token', variants: 'A' },
  1007: { name: 'URI not found', variants: 'B' },
  1009: { name: 'Invalid access token', variants: 'AB' },
  2100: { name: 'OTP unavailable', variants: 'B' },
  2101: { name: 'Unknown destination', variants: 'B' },
  2102: { name: 'Forbidden destination', variants: 'B' },
  2103: { name: 'Invalid mobile', variants: 'AB' },
  2104: { name: 'Invalid sender', variants: 'AB' },
  2105: { name: 'Invalid message', variants: 'AB' },
  2106: { name: 'Invalid message length', variants: 'B' },
  2107: { name: 'Invalid pin', variants: 'AB' },
  2108: { name: 'Pin expired', variants: 'B' },
  2109: { name: 'Pin already consumed', variants: 'B' },
  2110: { name: 'Invalid validity', variants: 'A' },
  2120: { name: 'Invalid pin', variants: 'B' },
  2121: { name: 'Service temporarily unavailable', variants: 'AB' },
} as const satisfies Record<number, { readonly name: string; readonly variants: 'A' | 'B' | 'AB' }>;

/** HLR spec §7, application error codes. */
export const HLR_ERRORS = {
  1001: { name: 'Invalid token type' },
  1002: { name: 'Invalid username' },
  1003: { name: 'Invalid password' },
  1004: { name: 'Invalid authentication credentials' },
  1005: { name: 'Invalid refresh token' },
  1006: { name: 'Insufficient balance' },
  1007: { name: 'URI not found' },
  1009: { name: 'Invalid access token' },
  1221: { name: 'Invalid phone (MSISDN)' },
  1222: { name: 'Service is not available' },
  2002: { name: 'Error requesting HLR' },
  2003: { name: 'Invalid phone (MSISDN)' },
  2004: { name: 'HLR unavailable' },
  2005: { name: 'Destination not supported' },
} as const satisfies Record<number, { readonly name: string }>;

const names: ReadonlyMap<number, string> = new Map(
  Object.entries({ ...HLR_ERRORS, ...OTP_ERRORS }).map(([code, { name }]) => [Number(code), name]),
);

/** Returns the documented name of a code, or null. OTP spec §7, HLR spec §7. */
export function gatewayErrorName(code: number | null): string | null {
  return code === null ? null : (names.get(code) ?? null);
}
