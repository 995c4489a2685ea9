import { DEFAULT_TOKEN_VALIDITY_SECONDS, type Tokens } from '../../protocol/auth';
import type { TokenContents } from './token-seal';

/** Nothing the gateway says makes a token trusted for longer. */
const LONGEST_VALIDITY_SECONDS = 86_400;

/** The end of a token's life that is not used: requests take time, and clocks differ. At most 5 % of it. */
const MARGIN_MS = 5_000;

/**
 * Dates a token.
 * Not shown in OTP spec §2: `validity_period` missing or odd; then the validity asked for counts, or the default.
 * @param askedAt When it was asked for, in milliseconds since 1970: its life cannot have begun earlier.
 */
export function toContents(tokens: Tokens, askedAt: number, askedSeconds: number | undefined): TokenContents {
  const { accessToken, refreshToken, validitySeconds } = tokens;
  const seconds = validitySeconds ?? askedSeconds ?? DEFAULT_TOKEN_VALIDITY_SECONDS;
  const lifeMs = Math.min(seconds, LONGEST_VALIDITY_SECONDS) * 1000;
  return { accessToken, refreshToken, expiresAt: askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 20) };
}

/**
 * When to renew a token: after 80 to 90 % of what is left of its life, spread by chance so that processes do not all
 * renew at once.
 */
export function toRenewalTime({ expiresAt }: TokenContents, now: number, chance: number): number {
  return now + (expiresAt - now) * (0.8 + 0.1 * chance);
}
