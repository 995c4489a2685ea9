import { z } from 'zod';
import { orNull, readOrNull, readWholeNumber, required } from './values';

/** Seconds until an access token expires by default. OTP spec §8, HLR spec §8. */
export const DEFAULT_TOKEN_VALIDITY_SECONDS = 1800;

/** OTP spec §4, POST auth with credentials. `validity` and `preserve` exist in A only. */
export interface CredentialsBody {
  readonly type: 'access_token';
  readonly username: string;
  readonly password: string;
  readonly validity?: number;
  readonly preserve?: boolean;
}

/** OTP spec §4, POST auth with a refresh token. `validity` exists in A only. */
export interface RefreshBody {
  readonly type: 'refresh_token';
  readonly refresh_token: string;
  readonly validity?: number;
}

/**
 * Reads a token: visible ASCII only, because it becomes a header value and the platform's error
 * would show an invalid one.
 */
export function readToken(value: unknown): string | null {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value) ? value : null;
}

/**
 * The authentication object. Without a refresh token, only credentials can renew the access token.
 * @see OTP spec §2, HLR spec §2
 *
 * Not shown in OTP spec §2: `validity_period` missing, malformed or as a string. Missing and
 * malformed values become null.
 */
const tokensSchema = z
  .object({
    access_token: required(readToken),
    refresh_token: orNull(readToken),
    validity_period: orNull(readSeconds),
  })
  .transform((tokens) => ({
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    validitySeconds: tokens.validity_period,
  }));

export type Tokens = z.output<typeof tokensSchema>;

/** Reads seconds above zero. */
function readSeconds(value: unknown): number | null {
  const seconds = readWholeNumber(value);
  return seconds === 0 ? null : seconds;
}

/** Reads the payload of an auth answer. Null if it has no usable access token. */
export function readTokens(payload: unknown): Tokens | null {
  return readOrNull(tokensSchema, payload);
}
