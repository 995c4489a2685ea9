import type { Request, RequestHandler } from 'express';

/**
 * Returns a middleware that accepts a form only if a page of this site sent it. It reads
 * `Sec-Fetch-Site`, which current browsers send over TLS and to localhost. Without that header it
 * reads `Origin`. Clients that are not browsers send neither.
 *
 * @param origins Further origins that are accepted.
 * @param refuse Answers any other form, which has no effect.
 */
export function ownForms(origins: readonly string[], refuse: RequestHandler): RequestHandler {
  let hasWarned = false;

  return function checkForm(req, res, next) {
    if (req.method === 'GET' || req.method === 'HEAD') return next();
    if (isOwn(req, origins)) return next();
    if (!hasWarned) warn(req);
    hasWarned = true;
    return refuse(req, res, next);
  };
}

function isOwn(req: Request, origins: readonly string[]): boolean {
  const { 'sec-fetch-site': site, origin } = req.headers;
  if (site !== undefined) return site === 'same-origin' || site === 'none';

  if (origin === undefined) return true;
  if (origins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;

  const { protocol, host } = new URL(origin);
  return [req.headers.host, readForwardedHost(req)].some(
    (given) => given !== undefined && host === normalize(protocol, given),
  );
}

/** Writes a host as in an origin: in lower case and without the default port. */
function normalize(protocol: string, host: string): string | null {
  const address = `${protocol}//${host}`;
  return URL.canParse(address) ? new URL(address).host : null;
}

/** Returns the host that a trusted proxy names. Undefined: there is no trusted proxy. */
function readForwardedHost(req: Request): string | undefined {
  const isTrusted = req.app.get('trust proxy fn') as (address: unknown, hop: number) => boolean;
  if (!isTrusted(req.socket.remoteAddress, 0)) return undefined;
  const [first = ''] = String(req.headers['x-forwarded-host'] ?? '').split(',', 1);
  return first === '' ? undefined : first.trim();
}

/** Warns of the first refused form: behind a proxy it may be the app's own. */
function warn(req: Request): void {
  const named = ['sec-fetch-site', 'origin', 'host', 'x-forwarded-host']
    .map((name) => `${name}: ${describe(req.headers[name])}`)
    .join(', ');

  process.emitWarning(
    `smsOtpPages refused a form that did not come from its own page (${named}). If it did, ` +
      "a proxy has changed the host: keep Host, or set app.set('trust proxy', 1) and send " +
      'X-Forwarded-Host, or write smsOtpPages(smsOtp, { origins: [the origin of your site] }) ' +
      '(see docs/troubleshooting.md#sms_otp_foreign_form of passport-sms-otp)',
    { type: 'Warning', code: 'SMS_OTP_FOREIGN_FORM' },
  );
}

/** Describes a header. A missing header is not the same as `Sec-Fetch-Site: none`. */
function describe(header: string | string[] | undefined): string {
  return header === undefined ? 'missing' : JSON.stringify(String(header).slice(0, 100));
}
