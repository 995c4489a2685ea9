import { chooseLocale, MESSAGE_LOCALES, type MessageLocale } from '../messages/locales';
import type notices = require('../messages/notices.json');
import { type Reason, REASONS } from './outcome';

/** Options of `noticeText`. */
export interface NoticeTextOptions {
  /**
   * A BCP 47 tag, such as `req.acceptsLanguages(...MESSAGE_LOCALES)`. Default: English. A language
   * that is not among them also gets English.
   */
  readonly locale?: string | false | undefined;
  /**
   * The value `status(req).retryAt`, in milliseconds since 1970: the sentence then ends with how
   * long to wait. Default: null, not known.
   */
  readonly retryAt?: number | null | undefined;
  /**
   * Whether a user is logged in, such as `req.isAuthenticated()`. Such a user is asked to confirm
   * the second factor, not to log in. Default: false.
   */
  readonly isLoggedIn?: boolean | undefined;
  /** Milliseconds since 1970. Default: `Date.now()`. */
  readonly now?: number | undefined;
}

/** Reasons that only time can end. */
const PASSING: readonly Reason[] = ['locked', 'send-limit'];

/**
 * Returns a sentence that tells people why they were refused, in one of sixteen languages. It is
 * plain text: escape it like any other string. It is the same for every user and contains no
 * number, name or code.
 *
 * @param reason `status(req).notice`, or `req.smsOtp.reason`. Null, the notice of a page without
 * one, returns an empty string.
 * @throws {TypeError} if it is not one of `REASONS`.
 */
export function noticeText(
  reason: Reason | null,
  { locale: tag, retryAt = null, isLoggedIn = false, now = Date.now() }: NoticeTextOptions = {},
): string {
  if (reason === null) return '';
  const locale = chooseLocale(tag === false ? undefined : tag, MESSAGE_LOCALES);
  const isKnownUser = isLoggedIn && reason === 'second-factor-required';
  const key = isKnownUser ? 'second-factor-first' : reason;
  const { [key]: sentence, wait, later } = loadNotices()[locale];
  if (!REASONS.includes(reason)) throw new TypeError('noticeText: reason must be one of REASONS');
  if (retryAt !== null && retryAt > now)
    return `${sentence} ${wait.replace('{time}', formatWait(locale, retryAt - now))}`;
  return retryAt === null && PASSING.includes(reason) ? `${sentence} ${later}` : sentence;
}

/**
 * Returns a time to wait, rounded up: in seconds up to 90, then in minutes up to 90, then in hours.
 */
function formatWait(locale: MessageLocale, milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  const [unit, size] =
    seconds <= 90 ? ['second', 1] : seconds <= 90 * 60 ? ['minute', 60] : ['hour', 3_600];
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / size));
}

/** Loaded at the first call, so that importing the package stays cheap. */
function loadNotices(): Readonly<
  Record<MessageLocale, Readonly<Record<Reason | 'second-factor-first' | 'wait' | 'later', string>>>
> {
  return require('../messages/notices.json') as typeof notices;
}
