import type { RequestHandler } from 'express';
import type { SmsOtpBase, SmsOtpStatus } from 'passport-sms-otp';

/**
 * How strong each factor of the app is, in words that clients know: RFC 6711 has a registry of
 * them. A login from a trusted device has none.
 */
const ACR: Readonly<Record<string, string>> = { sms: 'mfa', passkey: 'phr' };

/** How and when the user passed the second factor, as an ID token says it. */
export interface Claims {
  readonly acr: string | undefined;
  readonly amr: string[];
  readonly auth_time: number;
}

/** Returns the claims of a request; null where the user has passed no second factor. */
export function toClaims({ verified }: SmsOtpStatus): Claims | null {
  if (verified === null) return null;
  const { method, amr, at } = verified;
  return { acr: ACR[method], amr: [...amr], auth_time: Math.floor(at / 1000) };
}

/** What a route asks of the second factor. */
interface Asked {
  /** In the challenge: ASCII without quotes and backslashes. */
  readonly realm: string;
  readonly methods: readonly string[];
  readonly maxAgeSeconds?: number;
}

/**
 * Guards a route for OAuth clients: in place of 403 it answers with the challenge of RFC 9470, from
 * which a client makes its next request for authorization. It reads the session, and no access
 * token.
 */
export function requireForClients(
  smsOtp: Pick<SmsOtpBase, 'checkSecondFactor' | 'hasSecondFactor'>,
  { realm, methods, maxAgeSeconds }: Asked,
): RequestHandler {
  const acrValues = new Set(methods.map((method) => ACR[method]));
  const asked = [
    `Bearer realm="${realm}"`,
    'error="insufficient_user_authentication"',
    'error_description="Another or a more recent second factor is required"',
    `acr_values="${[...acrValues].join(' ')}"`,
    ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
  ];
  return async (req, res, next) => {
    await smsOtp.checkSecondFactor(req);
    if (smsOtp.hasSecondFactor(req, { methods, maxAgeSeconds })) return next();
    // RFC 6750: a client that has sent no credentials is told of no error.
    res.set('WWW-Authenticate', req.user ? asked.join(', ') : asked[0]);
    // A browser shows the header to scripts of other origins only by name.
    res.set('Access-Control-Expose-Headers', 'WWW-Authenticate');
    res.set('Cache-Control', 'no-store').status(401).json({ error: 'second-factor-required' });
  };
}
