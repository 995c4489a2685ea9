import type { Request, Response } from 'express';
import { noticeText, type Reason, type SmsOtp, type SmsOtpStatus } from 'passport-sms-otp';
import type { Addresses } from './addresses';
import type { PagesSettings } from './options';
import type { MessagePage, PageBase, PageNotice } from './page';
import { createTexts, type PageLocale, type Texts } from './texts';

/** The parts from which every page is built. */
export interface PagesContext {
  readonly smsOtp: SmsOtp;
  readonly options: PagesSettings;
  readonly addresses: Addresses;
  readonly chooseLocale: (req: Request) => PageLocale;
}

/** Reasons that say what to do, and not that something went wrong. */
const INFO: ReadonlySet<Reason | null> = new Set<Reason>([
  'second-factor-required',
  'second-factor-too-old',
  'already-verified',
  'login-ended',
  'not-required',
]);

/** Reasons after which the page itself counts down to the next message. */
const COUNTED: ReadonlySet<Reason | null> = new Set<Reason>(['resend-too-soon', 'not-sent']);

/** The result of a request, as `status` returns it to the next one. */
export type Told = Pick<SmsOtpStatus, 'notice' | 'retryAt'>;

/** What a notice on a page says. */
type ShownStatus = Told & Pick<SmsOtpStatus, 'pending'>;

/**
 * Returns the fields that every page has. Uses up the notice of the session.
 * @param told The notice to show instead. That of the session then stays, and nothing is written.
 */
export function describeBase(
  context: PagesContext,
  req: Request,
  res: Response,
  told?: Told,
): PageBase {
  const { csrf } = context.options;
  return {
    ...withNotice(context, req, told),
    csrf: csrf
      ? { name: csrf.field, value: requireString('csrf.token', csrf.token(req, res)) }
      : null,
  };
}

/**
 * Returns the string that a function of the options has returned.
 * @throws {TypeError} if it is not a string, as with an async function.
 */
export function requireString(option: string, given: unknown): string {
  if (typeof given === 'string') return given;
  throw new TypeError(`smsOtpPages: ${option} must return a string, and not a ${typeof given}`);
}

/**
 * Returns the same for a page without a form. It asks for no CSRF token, because a new token may
 * set a cookie.
 */
export function withNotice(context: PagesContext, req: Request, told?: Told): PageBase {
  const frame = describeFrame(context, req);
  // Only the code page counts down to the next message. The page of a form that was refused says
  // how long to wait.
  const status = told === undefined ? context.smsOtp.status(req) : { ...told, pending: null };
  return { ...frame, notice: describeNotice(context, req, frame.locale, status) };
}

/** Returns the same without a notice. Changes nothing in the session. */
export function describeFrame(context: PagesContext, req: Request): PageBase {
  const { smsOtp, addresses } = context;
  const { appName, fields } = smsOtp.settings;
  const isLoggedIn = hasUser(req);

  return {
    locale: context.chooseLocale(req),
    appName,
    notice: null,
    fields,
    csrf: null,
    homeHref: addresses.home,
    loginHref: addresses.login,
    isLoggedIn,
    settingsHref: isLoggedIn && hasSettings(smsOtp) ? addresses.settings : null,
  };
}

/** Returns the sentences of a locale. Those of the app replace ours. */
export function textsOf(context: PagesContext, locale: PageLocale): Texts {
  return createTexts(locale, context.options.texts?.[locale]);
}

function describeNotice(
  context: PagesContext,
  req: Request,
  locale: PageLocale,
  status: ShownStatus,
): PageNotice | null {
  const { notice, pending } = status;
  if (notice === null) return null;

  const kind = INFO.has(notice) ? 'info' : 'error';
  const own = context.options.texts?.[locale]?.[`notice.${notice}`];
  if (own !== undefined) return { kind, text: own };
  if (isOfOtherLogin(status)) return { kind, text: textsOf(context, locale)('code.otherLogin') };

  const isCounted = COUNTED.has(notice) && pending !== null && pending.resendAt !== null;
  const text = noticeText(notice, {
    locale,
    isLoggedIn: hasUser(req),
    retryAt: isCounted ? 0 : status.retryAt,
    now: context.smsOtp.settings.now(),
  });
  return { kind, text };
}

/** Returns whether the phone has a code of another login, which this one would not accept. */
function isOfOtherLogin(status: ShownStatus): boolean {
  const { pending } = status;
  return status.notice === 'resend-too-soon' && pending?.purpose === 'login' && !pending.isSent;
}

/** Returns whether there is anything to set on the page "Sign-in security". */
export function hasSettings(smsOtp: SmsOtp): boolean {
  const { hasPhones, hasRecoveryCodes, hasLogins, trustedDeviceDays } = smsOtp.settings;
  return hasPhones || hasRecoveryCodes || hasLogins || trustedDeviceDays !== null;
}

/** Returns the link to continue: to the home page with a user, to the login page without one. */
export function wayOut(context: PagesContext, req: Request): MessagePage['link'] {
  const { addresses } = context;
  return hasUser(req)
    ? { href: addresses.home, to: 'home' }
    : { href: addresses.login, to: 'login' };
}

/** Returns whether a request has a user. Passport sets null at a logout, which its types omit. */
export function hasUser(req: Request): boolean {
  return (req.user ?? undefined) !== undefined;
}

/** Returns the user of a page behind a guard. */
export function userOf(req: Request): Express.User {
  if (!req.user) throw new Error('This page needs a guard');
  return req.user;
}
