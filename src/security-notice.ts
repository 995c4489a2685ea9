import { toIpAddress } from './limits/address-block';
import { chooseLocale, MESSAGE_LOCALES, type MessageLocale } from './messages/locales';
import { sanitizeVariable } from './messages/sanitize';
import type notices = require('./messages/security-notices.json');
import type { SmsOtpEvent } from './events';
import { noticeText } from './core/notice-text';

/** Options of `securityNotice`. */
export interface SecurityNoticeOptions {
  /**
   * The owner's language as a BCP 47 tag. Default: English. A language that is not among the
   * sixteen also gets English.
   */
  readonly locale?: string | false | undefined;
  /** The name of the app, with which the subject begins. Default: none. */
  readonly appName?: string | undefined;
  /** When the event was emitted, in milliseconds since 1970. Default: `Date.now()`. */
  readonly at?: number | undefined;
}

/** An email to the owner of an account: a subject of one line, and a body in plain text. */
export interface SecurityNotice {
  readonly subject: string;
  readonly text: string;
}

/**
 * Returns the email that informs the owner of an account about an event, in one of sixteen
 * languages. Null: the owner need not know of the event. The email says what happened, when, from
 * which address if that is known, and what to do. It contains no code and no full number. It is
 * plain text: escape it in HTML like any other string.
 *
 * @param event The event that `onEvent` got.
 */
export function securityNotice(
  event: SmsOtpEvent,
  { locale: tag, appName = '', at = Date.now() }: SecurityNoticeOptions = {},
): SecurityNotice | null {
  const found = findChange(event);
  if (found === null) return null;
  const locale = chooseLocale(tag === false ? undefined : tag, MESSAGE_LOCALES);
  const words = loadSecurityNotices()[locale];
  const about = words.changes[found.change];
  const app = sanitizeVariable(appName, MAX_NAME_LENGTH);
  const details = {
    ...found.details,
    time: formatTime(locale, at),
    address: 'address' in event ? toIpAddress(event.address) : null,
  };
  const lines = DETAILS.flatMap((name) => {
    const value = details[name] ?? '';
    return value === '' ? [] : [words.details[name].replace('{value}', () => value)];
  });
  const happened = about.text ?? sayLock(locale, found, at);
  // The message about a stolen device already says what to do.
  const advice = found.change === 'device-stolen' ? [] : [words.advice];
  return {
    subject: app === '' ? about.subject : `${app} – ${about.subject}`,
    text: [happened, lines.join('\n'), ...advice].join('\n\n'),
  };
}

/** The most characters of the app's name: mail programs show about 70 of a subject. */
const MAX_NAME_LENGTH = 64;

/** The details in the order of their lines. */
const DETAILS = ['number', 'replaced', 'left', 'device', 'time', 'address'] as const;

type Detail = (typeof DETAILS)[number];

type Change = keyof (typeof notices)['en']['changes'];

interface FoundChange {
  readonly change: Change;
  readonly details?: Partial<Readonly<Record<Detail, string | null>>>;
  readonly lockedSeconds?: number;
}

/** Returns what an event means for the owner; null: no email is needed. */
function findChange(event: SmsOtpEvent): FoundChange | null {
  if (event.type === 'phone-enrolled') {
    const { maskedPhone: number, replaced } = event;
    const change = replaced === null ? 'phone-added' : 'phone-replaced';
    return { change, details: { number, replaced } };
  }
  if (event.type === 'phone-removed')
    return { change: event.type, details: { number: event.maskedPhone } };
  if (event.type === 'recovery-codes-generated') return { change: 'codes-made' };
  if (event.type === 'recovery-code-used')
    return { change: 'code-used', details: { left: String(event.left) } };
  if (event.type === 'device-revoked' && event.reason === 'stolen')
    return { change: 'device-stolen', details: { device: event.label } };
  if (event.type === 'locked') return { change: event.type, lockedSeconds: event.lockedSeconds };
  if (event.type === 'disabled') return { change: event.type };
  return event.type === 'verified' && isNewBrowser(event) ? { change: 'new-browser' } : null;
}

/**
 * Returns whether a login was in a browser in which the user had not passed before. An enrollment
 * has its own event, and a transaction makes no browser known.
 */
function isNewBrowser({
  purpose,
  isKnownBrowser,
}: Extract<SmsOtpEvent, { readonly type: 'verified' }>): boolean {
  return isKnownBrowser === false && (purpose === 'login' || purpose === 'step-up');
}

/** Returns the same words about a lock that the page shows to the user. */
function sayLock(locale: MessageLocale, { lockedSeconds = 0 }: FoundChange, at: number): string {
  const locked = noticeText('locked', { locale, retryAt: at + lockedSeconds * 1000, now: at });
  return lockedSeconds > 0 ? locked : `${locked} ${noticeText('disabled', { locale })}`;
}

/** Formats a time in UTC: the owner's time zone is not known. */
function formatTime(locale: MessageLocale, at: number): string {
  const parts = { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, parts).format(at);
}

/** Loaded at the first call, so that importing the package stays cheap. */
function loadSecurityNotices(): Readonly<
  Record<
    MessageLocale,
    {
      readonly changes: Readonly<
        Record<Change, { readonly subject: string; readonly text?: string }>
      >;
      readonly details: Readonly<Record<Detail, string>>;
      readonly advice: string;
    }
  >
> {
  return require('./messages/security-notices.json') as typeof notices;
}
