import { z } from 'zod';
import { DEFAULT_TOKEN_VALIDITY_SECONDS, tokenSchema, type Tokens } from '../protocol/auth';
import { readOrNull } from '../protocol/values';

/** A token with what belongs to it. */
export interface TokenContents {
  readonly accessToken: string;
  /** Null when the gateway returned none: then only credentials can renew. */
  readonly refreshToken: string | null;
  /** Milliseconds since 1970 from which it counts as expired. */
  readonly expiresAt: number;
}

/** The token as a store keeps it, once decrypted. */
const tokenContentsSchema = z.object({
  accessToken: tokenSchema,
  refreshToken: tokenSchema.nullable(),
  expiresAt: z.number(),
}) satisfies z.ZodType<TokenContents>;

/** Reads the record of a token; null when it is malformed. @throws {SyntaxError} when it is not JSON. */
export function readTokenContents(json: string): TokenContents | null {
  return readOrNull(tokenContentsSchema, JSON.parse(json));
}

/** No answer of the gateway makes a token trusted for longer. */
const LONGEST_VALIDITY_SECONDS = 86_400;

/** The end of a token's life that is not used: requests take time, and clocks differ. At most 5 % of it. */
const MARGIN_MS = 5_000;

/**
 * Dates a token.
 * Not shown in OTP spec §2: `validity_period` missing or malformed; then the requested validity counts, or the default.
 * @param requestedAt Milliseconds since 1970: the token's life cannot have begun earlier.
 */
export function toTokenContents(
  { accessToken, refreshToken, validitySeconds }: Tokens,
  requestedAt: number,
  requestedSeconds = DEFAULT_TOKEN_VALIDITY_SECONDS,
): TokenContents {
  const lifeMs = Math.min(validitySeconds ?? requestedSeconds, LONGEST_VALIDITY_SECONDS) * 1000;
  return { accessToken, refreshToken, expiresAt: requestedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 20) };
}
