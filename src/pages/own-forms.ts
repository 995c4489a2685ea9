import type { Request, RequestHandler } from 'express';

/**
 * Makes a middleware that lets a form through only if a page of this site sent it. It reads
 * `Sec-Fetch-Site`, which browsers of today send over TLS and to localhost, and `Origin` without
 * that header. Clients that are no browsers send neither.
 *
 * @param origins Beside the origin of the request.
 * @param refuse Answers any other form. Nothing is done for it.
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

/** Writes a host as an origin does: in lower case, and without the usual port. */
function normalize(protocol: string, host: string): string | null {
  const address = `${protocol}//${host}`;
  return URL.canParse(address) ? new URL(address).host : null;
}

/** Returns the host that a trusted proxy names; undefined: there is no such proxy. */
function readForwardedHost(req: Request): string | undefined {
  const isTrusted = req.app.get('trust proxy fn') as (address: unknown, hop: number) => boolean;
  if (!isTrusted(req.socket.remoteAddress, 0)) return undefined;
  const [first = ''] = String(req.headers['x-forwarded-host'] ?? '').split(',', 1);
  return first === '' ? undefined : first.trim();
}

/** Warns of the first form: behind a proxy it may be the app's own. */
function warn(req: Request): void {
  const named = ['sec-fetch-site', 'origin', 'host', 'x-forwarded-host']
    .map((name) => `${name}: ${describe(req.headers[name])}`)
    .join(', ');

  process.emitWarning(
    `smsOtpPages has refused a form that did not come from its own page (${named}). If it did, ` +
      "a proxy has changed the host: keep Host, or set app.set('trust proxy', 1) and send " +
      'X-Forwarded-Host, or write smsOtpPages(smsOtp, { origins: [the origin of your site] }) ' +
      '(see docs/troubleshooting.md#sms_otp_foreign_form of passport-sms-otp)',
    { type: 'Warning', code: 'SMS_OTP_FOREIGN_FORM' },
  );
}

/** `Sec-Fetch-Site: none` is another thing than a header that is missing. */
function describe(header: string | string[] | undefined): string {
  return header === undefined ? 'missing' : JSON.stringify(String(header).slice(0, 100));
}
