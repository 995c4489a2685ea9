/** An application error code of the gateway. */
export interface GatewayErrorCode {
  readonly name: string;
  readonly meaning: string;
}

/** A code of the OTP service, with the variants whose list has it. */
export interface OtpErrorCode extends GatewayErrorCode {
  readonly variants: 'A' | 'B' | 'AB';
}

/** OTP spec §7, application error codes. */
export const OTP_ERRORS = {
  1001: { name: 'Invalid token type', meaning: 'Invalid type parameter.', variants: 'A' },
  1004: { name: 'Invalid authentication credentials', meaning: 'Credentials incorrect.', variants: 'A' },
  1005: { name: 'Invalid refresh token', meaning: 'Invalid refresh_token parameter.', variants: 'A' },
  1007: { name: 'URI not found', meaning: 'Request URI unknown.', variants: 'B' },
  1009: { name: 'Invalid access token', meaning: 'Access token invalid.', variants: 'AB' },
  2100: { name: 'OTP unavailable', meaning: 'Account lacks permission for OTP.', variants: 'B' },
  2101: { name: 'Unknown destination', meaning: 'Destination unknown.', variants: 'B' },
  2102: { name: 'Forbidden destination', meaning: 'Destination forbidden.', variants: 'B' },
  2103: { name: 'Invalid mobile', meaning: 'Invalid mobile parameter.', variants: 'AB' },
  2104: { name: 'Invalid sender', meaning: 'Sender breaks the sender rule.', variants: 'AB' },
  2105: { name: 'Invalid message', meaning: 'Invalid message parameter.', variants: 'AB' },
  2106: { name: 'Invalid message length', meaning: 'Message exceeds 160 or 70 characters.', variants: 'B' },
  2107: {
    name: 'Invalid pin',
    meaning: 'A: wrong, expired or consumed. B: invalid pin parameter.',
    variants: 'AB',
  },
  2108: { name: 'Pin expired', meaning: 'Pin expired, cannot be validated.', variants: 'B' },
  2109: { name: 'Pin already consumed', meaning: 'Pin already validated.', variants: 'B' },
  2110: { name: 'Invalid validity', meaning: 'Validity outside 120-1800.', variants: 'A' },
  2120: { name: 'Invalid pin', meaning: 'Pin invalid for the given mobile and id.', variants: 'B' },
  2121: {
    name: 'Service temporarily unavailable',
    meaning: 'Service currently unavailable.',
    variants: 'AB',
  },
} as const satisfies Record<number, OtpErrorCode>;

/** HLR spec §7, application error codes. */
export const HLR_ERRORS = {
  1001: { name: 'Invalid token type', meaning: 'Invalid parameter.' },
  1002: { name: 'Invalid username', meaning: 'Invalid parameter.' },
  1003: { name: 'Invalid password', meaning: 'Invalid parameter.' },
  1004: { name: 'Invalid authentication credentials', meaning: 'Credentials incorrect.' },
  1005: { name: 'Invalid refresh token', meaning: 'Invalid parameter.' },
  1006: { name: 'Insufficient balance', meaning: 'Balance too low to process the request.' },
  1007: { name: 'URI not found', meaning: 'Request URI unknown.' },
  1009: { name: 'Invalid access token', meaning: 'Access token invalid.' },
  1221: { name: 'Invalid phone (MSISDN)', meaning: 'Invalid parameter.' },
  1222: { name: 'Service is not available', meaning: 'Service temporarily unavailable.' },
  2002: { name: 'Error requesting HLR', meaning: 'Retry later.' },
  2003: { name: 'Invalid phone (MSISDN)', meaning: 'Invalid parameter.' },
  2004: { name: 'HLR unavailable', meaning: 'Account lacks permission for the HLR service.' },
  2005: { name: 'Destination not supported', meaning: 'Destination network not supported.' },
} as const satisfies Record<number, GatewayErrorCode>;

const names: ReadonlyMap<number, string> = new Map(
  Object.entries({ ...HLR_ERRORS, ...OTP_ERRORS }).map(([code, { name }]) => [Number(code), name]),
);

/** The documented name of a code, or null. OTP spec §7, HLR spec §7. */
export function gatewayErrorName(code: number | null): string | null {
  return code === null ? null : (names.get(code) ?? null);
}
