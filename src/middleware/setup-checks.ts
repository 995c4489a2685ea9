import type { Request } from 'express';
import { readFields, UsageError, type Warn } from '../errors';
import type { MiddlewareContext } from './context';
import { readField } from './handler';
import type { PendingSlot } from './session-data';

/**
 * Warns when limits per address count a proxy, or whatever a client writes, in place of the client.
 */
export function checkProxy(req: Request, warn: Warn): void {
  const trusted: unknown = req.app.get('trust proxy');
  if (trusted === true) {
    warn(
      'SMS_OTP_TRUSTS_ANY_PROXY',
      "With app.set('trust proxy', true) clients choose their own address, so that limits per " +
        "address limit no one: give the number of proxies, such as app.set('trust proxy', 1)",
    );
  } else if (trusted === false && req.headers['x-forwarded-for'] !== undefined) {
    warn(
      'SMS_OTP_TRUSTS_NO_PROXY',
      'A request came with X-Forwarded-For, which Express does not trust. Behind a proxy all ' +
        "users have its address, and share the limits per address: app.set('trust proxy', 1) " +
        'for one proxy, or 0 if there is none',
    );
  }
}

/**
 * Reads a field of the body that must be there, and warns when a mistake of the app keeps it from
 * being read.
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
        : `A parsed body has no ${field}: rename the field, or set its name in the option fields`;
    warn('SMS_OTP_FIELD_MISSING', problem);
  }
  return value;
}

/**
 * Warns when browsers forget the session before a code is over: the user would be back at the login
 * page, after a text that was paid.
 * @param lifeMs Milliseconds that the session's cookie lives; null: until the browser is closed.
 */
export function checkCookieLife(
  lifeMs: number | null,
  codeValiditySeconds: number,
  warn: Warn,
): void {
  if (lifeMs === null) return;
  // express-session reads the clock twice when it makes a cookie: one of 300 s may have 299.995.
  const lifeSeconds = Math.round(lifeMs / 1000);
  if (lifeSeconds >= codeValiditySeconds) return;
  warn(
    'SMS_OTP_COOKIE_LIFE',
    `The session cookie lives ${lifeSeconds} s and a code ${codeValiditySeconds} s, so the ` +
      'browser forgets the login that waits for the code. cookie.maxAge counts milliseconds: ' +
      'cookie: { maxAge: 3_600_000 } is an hour',
  );
}

/**
 * Warns of a session cookie that no browser gets. A page of the login asks for `status` first, and
 * a check for forged requests refuses what follows before any of the middlewares runs.
 */
export function checkCookie(isLost: boolean, warn: Warn): void {
  if (!isLost) return;
  warn(
    'SMS_OTP_SESSION_COOKIE',
    'The session cookie is secure and a request came over http, so the browser does not get it: ' +
      "forms fail with an invalid csrf token, and nobody can log in. app.set('trust proxy', 1) " +
      "behind a proxy that ends TLS, or cookie: { secure: 'auto' }",
  );
}

/** @throws {UsageError} when Passport could not put the user into the session after the code. */
export function requireSerializer({
  passport,
  logsIn,
}: Pick<MiddlewareContext, 'passport' | 'logsIn'>): void {
  // Missing in the types, part of Passport since 0.1.
  const { _serializers: serializers } = readFields(passport);
  if (logsIn && Array.isArray(serializers) && serializers.length === 0)
    throw new UsageError('ERR_NO_SERIALIZER', 'serializeUser');
}

/** Warns of a login in the memory of another process, or of this one before a restart. */
export function checkStore(
  pending: PendingSlot | undefined,
  { processId, warn }: Pick<MiddlewareContext, 'processId' | 'warn'>,
): void {
  if (pending?.processId === undefined || pending.processId === processId) return;
  warn(
    'SMS_OTP_MEMORY_STORE',
    'A login is pending in the session of a request, and not in memoryStore() of this process: ' +
      'another process began it, or this one before a restart, so that its code is refused. With ' +
      'several processes give all of them one store: redisStore or postgresStore',
  );
}

/** Warns of a user who is logged in, and whom a guard will refuse again and again. */
export function warnOfGuard(isRequired: boolean, warn: Warn): void {
  if (isRequired) {
    warn(
      'SMS_OTP_LOGGED_IN_WITHOUT_SEND',
      'requireSecondFactor has refused a user whom Passport has logged in without smsOtp.send(), ' +
        'so without a second factor. Take successRedirect off the first factor and add session: ' +
        "false: passport.authenticate('local', { session: false }), smsOtp.send({ " +
        'successRedirect })',
    );
    return;
  }
  warn(
    'SMS_OTP_NOT_REQUIRED',
    'requireSecondFactor has refused a user of whom isRequiredFor requires no second factor: ' +
      'requireSecondFactor({ allowNotRequired: true }) lets such users pass',
  );
}

/** @throws {UsageError} when a guard would redirect to the page that it guards. */
export function requireOtherPage({ originalUrl }: Request, redirect: string): void {
  if (toPath(redirect) !== toPath(originalUrl)) return;
  throw new UsageError('ERR_GUARD_REDIRECT', 'requireSecondFactor');
}

function toPath(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/(?<=.)\/+$/, '');
}
