import { isRecord, readWholeNumber } from './envelope';

/** Seconds an access token lives when nothing else is agreed. OTP spec §8, HLR spec §8. */
export const DEFAULT_TOKEN_VALIDITY_SECONDS = 1800;

/** OTP spec §4, POST auth with credentials. `validity` and `preserve` exist in A only. */
export interface CredentialsBody {
  readonly type: 'access_token';
  readonly username: string;
  readonly password: string;
  readonly validity?: number;
  readonly preserve?: boolean;
}

/** OTP spec §4, POST auth with a refresh token. */
export interface RefreshBody {
  readonly type: 'refresh_token';
  readonly refresh_token: string;
}

/** The authentication object, read. OTP spec §2, HLR spec §2. */
export interface Tokens {
  readonly accessToken: string;
  /** Null when the answer had none: then only credentials can renew. */
  readonly refreshToken: string | null;
  /** Null when the answer had none or an odd one. */
  readonly validitySeconds: number | null;
}

/**
 * Reads the payload of an auth answer; null when it holds no usable access token.
 * A token must consist of visible ASCII: it becomes a header value, and a bad one would be echoed by the platform's error.
 * Not shown in OTP spec §2: `validity_period` missing, odd or as a string. Missing and odd give null.
 */
export function readTokens(payload: unknown): Tokens | null {
  if (!isRecord(payload) || !isToken(payload.access_token)) return null;
  const validity = readWholeNumber(payload.validity_period);
  return {
    accessToken: payload.access_token,
    refreshToken: isToken(payload.refresh_token) ? payload.refresh_token : null,
    validitySeconds: validity !== null && validity > 0 ? validity : null,
  };
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value);
}
