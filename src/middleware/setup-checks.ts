import type { Request } from 'express';
import { readFields, UsageError, type Warn } from '../errors';
import { toIpAddress } from '../limits/address-block';
import type { MiddlewareContext } from './context';
import { readField } from './handler';
import type { SecondFactorOptions } from './options';
import type { Notice } from './notice';
import type { PendingSlot, SmsOtpSession } from './session-data';

/**
 * Warns when limits per address count a proxy, or an address that a client invented, instead of the
 * client.
 */
export function checkProxy(req: Request, warn: Warn): void {
  const trusted: unknown = req.app.get('trust proxy');
  if (trusted === true) {
    warn(
      'SMS_OTP_TRUSTS_ANY_PROXY',
      "With app.set('trust proxy', true) clients choose their own address, so the limits per " +
        "address limit no one. Give the number of proxies, such as app.set('trust proxy', 1)",
    );
  } else if (trusted === false && req.headers['x-forwarded-for'] !== undefined) {
    warn(
      'SMS_OTP_TRUSTS_NO_PROXY',
      'A request came with X-Forwarded-For, which Express does not trust. Behind a proxy all ' +
        "users have its address, and share the limits per address. Write app.set('trust proxy', " +
        '1) for one proxy, or 0 if there is none',
    );
  }
}

/**
 * Returns the client's address as Express returns it. Warns if it is no IP address: all clients
 * without one share the limits per address.
 */
export function readAddress(req: Request, warn: Warn): string | undefined {
  const { ip, socket } = req;
  if (toIpAddress(ip) !== null || (ip === undefined && socket.destroyed)) return ip;
  warn(
    'SMS_OTP_NO_ADDRESS',
    `req.ip ${describeAddress(ip)}. That is no IP address, and all clients without one share ` +
      "the limits per address. Give app.set('trust proxy', 1) the number of your proxies. The " +
      'outermost one must write the address of the client into X-Forwarded-For',
  );
  return ip;
}

/** Describes a value that is no IP address, and never shows the value. */
function describeAddress(ip: unknown): string {
  if (ip === undefined || ip === null) return `is ${ip}`;
  if (typeof ip !== 'string') return `is a ${typeof ip}`;
  if (ip === '') return 'is an empty string';
  if (/^\d+(?:\.\d+){3}(?::\d{1,5})?$/.test(ip))
    return 'is four numbers, one of which is above 255 or begins with 0';
  return /^[\w-]+$/.test(ip) ? 'is a word' : 'is another string';
}

/**
 * Reads a field of the body that must be there. Warns if a mistake of the app keeps it from being
 * read.
 */
export function readRequiredField(req: Request, field: string, warn: Warn): unknown {
  const value = readField(req, field);
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length']) > 0;
  if (typeof value === 'number') {
    warn(
      'SMS_OTP_FIELD_IS_A_NUMBER',
      `${field} came as a number, which loses leading zeros: send it as a string`,
    );
  } else if (value === undefined && hasBody) {
    const problem =
      (req.body as unknown) === undefined
        ? 'The body of a request has not been parsed: put express.urlencoded() for forms, or ' +
          'express.json() for JSON, before the routes of smsOtp'
        : `A parsed body has no ${field}: rename the field. The name of the code's field is the ` +
          'option codeField';
    warn('SMS_OTP_FIELD_MISSING', problem);
  }
  return value;
}

/**
 * Warns when browsers forget the session before a code has expired: the user would be back at the
 * login page, after a message that was paid for.
 * @param lifeMs Milliseconds that browsers keep the session's cookie; null: until they are closed.
 */
export function checkCookieLife(
  lifeMs: number | null,
  codeValiditySeconds: number,
  warn: Warn,
): void {
  if (lifeMs === null) return;
  // express-session reads the clock twice when it makes a cookie, so 300 s may appear as 299.995.
  const lifeSeconds = Math.round(lifeMs / 1000);
  if (lifeSeconds >= codeValiditySeconds) return;
  warn(
    'SMS_OTP_COOKIE_LIFE',
    `The session cookie lives ${lifeSeconds} s and a code ${codeValiditySeconds} s, so the ` +
      'browser forgets the pending login. cookie.maxAge counts milliseconds: ' +
      'cookie: { maxAge: 3_600_000 } is an hour',
  );
}

/** Warns of a session cookie that browsers do not keep. */
export function checkSameSite(isDropped: boolean, warn: Warn): void {
  if (!isDropped) return;
  warn(
    'SMS_OTP_SAME_SITE',
    "The session cookie has sameSite: 'none' and is not secure, so browsers drop it, and the " +
      "code finds no login. Write cookie: { sameSite: 'none', secure: true } and serve over " +
      "https, or sameSite: 'lax'",
  );
}

/**
 * Warns of a session cookie that no browser gets. `status` calls it, because a check for forged
 * requests would refuse the form before any middleware runs.
 */
export function checkCookie(isLost: boolean, warn: Warn): void {
  if (!isLost) return;
  warn(
    'SMS_OTP_SESSION_COOKIE',
    'The session cookie is secure, and a request came over http: browsers do not get it. Forms ' +
      "fail with an invalid csrf token, and no one can log in. Write app.set('trust proxy', 1) " +
      "behind a proxy that ends TLS, or cookie: { secure: 'auto' }",
  );
}

/**
 * Checks that Passport can put the user into the session after the code.
 * @throws {UsageError} if it cannot.
 */
export function requireSerializer(
  req: Request,
  context: Pick<MiddlewareContext, 'passport' | 'setup'>,
): void {
  if (!context.setup.logsIn) return;
  // Missing in the types, but part of Passport since 0.1.
  const { _serializers: serializers, _sm: own } = readFields(context.passport);
  if (!Array.isArray(serializers) || serializers.length > 0) return;

  // Passport leaves it in each request that its `session()` or `authenticate()` has seen.
  const { _sessionManager: used } = readFields(req);
  if (typeof used !== 'object' || used === null || used === own)
    throw new UsageError('ERR_NO_SERIALIZER', 'serializeUser');

  const isCopy = used.constructor !== readFields(own).constructor;
  throw new UsageError(isCopy ? 'ERR_PASSPORT_COPY' : 'ERR_PASSPORT_INSTANCE', 'createSmsOtp');
}

/** Warns of a login that is in the memory of another process, or of this one before a restart. */
export function checkStore(
  pending: PendingSlot | undefined,
  context: Pick<MiddlewareContext, 'processId' | 'warn'>,
): void {
  if (pending?.processId === undefined || pending.processId === context.processId) return;
  context.warn(
    'SMS_OTP_MEMORY_STORE',
    'A session has a pending login that memoryStore() of this process does not have, so its ' +
      'code is refused. Another process began it, or this one before a restart. Give all ' +
      'processes one store: redisStore or postgresStore',
  );
}

/**
 * Warns of a logged-in user whom a guard will refuse again and again.
 * @param isFree Whether the user needs no second factor.
 */
export function warnOfGuard(
  isFree: boolean,
  { slot, setup, warn }: Pick<MiddlewareContext, 'slot' | 'setup' | 'warn'>,
): void {
  if (isFree) {
    const cure = setup.hasPhoneBook
      ? 'give send({ notRequiredRedirect }) the page on which such users add a number'
      : 'requireSecondFactor({ allowNotRequired: true }) lets such users pass';
    warn(
      'SMS_OTP_NOT_REQUIRED',
      'requireSecondFactor has refused a logged-in user who needs no second factor, as ' +
        `isRequiredFor says: ${cure}`,
    );
    return;
  }
  const usual = setup.hasSent ? 'log-in-elsewhere' : 'never-sent';
  const cause = slot.hasLostLogin ? 'log-in-after-verify' : usual;
  const refused =
    'requireSecondFactor has refused a logged-in user whose session has no second factor. ';
  warn('SMS_OTP_LOGGED_IN_WITHOUT_SEND', refused + WITHOUT_SEND[cause], cause);
}

const WITHOUT_SEND = {
  'never-sent':
    'smsOtp.send() has not run in this process: take successRedirect off the first factor and ' +
    "add session: false. Write passport.authenticate('local', { session: false }), " +
    'smsOtp.send({ successRedirect })',
  'log-in-elsewhere':
    'smsOtp.send() has run for other logins, so another route logs in: look for req.login in a ' +
    'sign-up, a password reset or a magic link, and put smsOtp.send() there. Sessions that ' +
    'began before the second factor was added look the same',
  'log-in-after-verify':
    'The app has called req.logIn() or req.session.regenerate() after smsOtp.verify(), which ' +
    'had logged the user in: take that call out',
};

/** Milliseconds in which a person can hardly read a page and go back. */
const LOOP_MS = 10_000;

/**
 * Warns if browsers are probably sent back and forth: a guard refuses a visit, and the notice of
 * the last one has not been read.
 */
export function warnOfLoop(before: SmsOtpSession, next: Notice, warn: Warn): void {
  const { notice, noticeUntil = 0 } = before;
  if (notice !== next.notice || next.noticeUntil - noticeUntil > LOOP_MS) return;
  warn(
    'SMS_OTP_REDIRECT_LOOP',
    'requireSecondFactor has refused the same browser twice within 10 seconds, and no page has ' +
      'shown the reason. If the page that it redirects to sends logged-in users away, browsers ' +
      'never stop: ask smsOtp.hasSecondFactor(req) there, not req.user. Show the reason with ' +
      'smsOtp.status(req).notice',
  );
}

const DAY_SECONDS = 86_400;

/** Warns of an age that was probably meant as milliseconds. */
export function checkMaxAge(options: SecondFactorOptions, warn: Warn): void {
  const { maxAgeSeconds } = options;
  if (maxAgeSeconds === undefined || maxAgeSeconds <= DAY_SECONDS || maxAgeSeconds === Infinity)
    return;
  warn(
    'SMS_OTP_MAX_AGE',
    `maxAgeSeconds is ${maxAgeSeconds}, which is more than a day. It counts seconds: ` +
      'maxAgeSeconds: 300 is five minutes',
  );
}

/** Warns if `send` or `verify` has succeeded, and no handler has answered before a guard. */
export function warnOfUnanswered(warn: Warn): void {
  warn(
    'SMS_OTP_NOT_ANSWERED',
    'smsOtp.send() or smsOtp.verify() has succeeded, and no handler has answered before ' +
      'requireSecondFactor, which may refuse the request. Give the middleware a ' +
      'successRedirect, or a next handler that answers',
  );
}

/** Warns if a guard refuses a page of the login, to which `send` leads. */
export function checkLoginPage(
  req: Request,
  context: Pick<MiddlewareContext, 'setup' | 'warn'>,
): void {
  const { codePage, loginPage } = context.setup;
  if (![codePage, loginPage].some((page) => page !== undefined && isSamePage(req, page))) return;
  context.warn(
    'SMS_OTP_GUARDED_LOGIN',
    'requireSecondFactor has refused a page of the login, to which smsOtp.send() leads. Put the ' +
      'guard behind the routes of the login',
  );
}

/** Warns of a form that asks to trust the device when no device can be trusted. */
export function checkTrustDevice(
  req: Request,
  { trustsDevices, fields, warn }: Pick<MiddlewareContext, 'trustsDevices' | 'fields' | 'warn'>,
): void {
  if (trustsDevices || readField(req, fields.trustDevice) === undefined) return;
  warn(
    'SMS_OTP_TRUST_DEVICE',
    `A form has sent ${fields.trustDevice}, and no device can be trusted. Give createSmsOtp ` +
      'the option trustedDevices, or take the field out',
  );
}

/**
 * Warns if this site leads a browser to the code page, no code is pending, and no request has ever
 * reached `send`. A code page from before a restart may be loaded again, but its session has ended
 * or has a slot.
 */
export function warnOfCodePage(
  req: Request,
  context: Pick<MiddlewareContext, 'setup' | 'slot' | 'warn'>,
): void {
  const { slot } = context;
  const { codePage, hasSent } = context.setup;
  if (hasSent || codePage === undefined || !isSamePage(req, codePage)) return;
  const isLedHere = (req.headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
  if (!isLedHere || slot.peek(req) !== undefined || slot.hasEnded(req)) return;
  context.warn(
    'SMS_OTP_SEND_NEVER_RAN',
    'A browser has come to the code page, no code is pending, and smsOtp.send() has never run in ' +
      'this process. Something in front of it may answer, such as successRedirect of the first ' +
      'factor: take it off, so that smsOtp.send() comes next',
  );
}

/**
 * Warns if the login is on another host, because a path would lead to a page of that host. Returns
 * whether it is.
 */
export function warnOfOtherHost(req: Request, redirect: string, warn: Warn): boolean {
  if (!URL.canParse(redirect) || isOwnHost(req, new URL(redirect))) return false;
  warnOfReturnTo(warn);
  return true;
}

/** Returns whether a URL is on the host that the browser has asked. */
function isOwnHost(req: Request, url: URL): boolean {
  const { host } = req.headers;
  if (url.host === host) return true;
  // A trusted proxy may give Express another name, without the port.
  const isNamedByProxy = req.hostname !== host?.replace(/:\d+$/, '');
  return isNamedByProxy && url.hostname === req.hostname;
}

/** Warns of a page that is not kept. */
export function warnOfReturnTo(warn: Warn): void {
  warn(
    'SMS_OTP_RETURN_TO',
    'A guard has not kept the page that its user wanted. If the login is on another host, or ' +
      'the app behind a path prefix, requireSecondFactor needs the function returnTo. It returns ' +
      'a path that begins with /, a URL of one of returnToOrigins of createSmsOtp, or null',
  );
}

/** Warns of a logout that any other site can trigger, by a link or an image. */
export function checkLogout(req: Request, warn: Warn): void {
  if (req.method !== 'GET') return;
  warn(
    'SMS_OTP_LOGOUT_BY_GET',
    'A GET has logged a user out. Any other site can make a browser send one, by a link or an ' +
      "image: write app.post('/logout', smsOtp.logout()), and a form with a button",
  );
}

/**
 * Checks that a guard does not redirect to the page that it guards.
 * @throws {UsageError} if it does.
 */
export function requireOtherPage(req: Request, redirect: string): void {
  if (isSamePage(req, redirect)) throw new UsageError('ERR_GUARD_REDIRECT', 'requireSecondFactor');
}

/** Returns whether an address is that of the request. */
export function isSamePage(req: Request, address: string): boolean {
  return toPath(address) === toPath(req.originalUrl);
}

function toPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
