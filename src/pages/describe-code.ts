import type { PendingStatus, Reason, SmsOtp, SmsOtpSettings, SmsOtpStatus } from 'passport-sms-otp';
import type { CodePage, PageBase, Place, Resend, Way } from './page';

/** Reasons after which the user can only wait. */
const CLOSED: ReadonlySet<Reason | null> = new Set<Reason>(['locked', 'disabled']);

/** Reasons after which the code no longer works, though another message may be sent. */
const ENDS_CODE: ReadonlySet<Reason | null> = new Set<Reason>(['too-many-attempts', 'unconfirmed']);

/** Reasons that concern the input in the code field. */
const ABOUT_CODE: ReadonlySet<Reason | null> = new Set<Reason>(['malformed-code', 'wrong-code']);

/** A pending login and its notice. */
export interface PendingPage extends Pick<SmsOtpStatus, 'notice'> {
  readonly pending: PendingStatus;
}

/**
 * Returns the content of the code page. It has durations and no times, because browsers' clocks
 * differ.
 */
export function describeCode(
  smsOtp: Pick<SmsOtp, 'settings'>,
  base: PageBase,
  page: PendingPage,
): CodePage {
  const { settings } = smsOtp;
  const { pending, notice } = page;
  const { purpose, transaction = null } = pending;

  return {
    ...base,
    name: 'code',
    purpose,
    state: findState(settings, page),
    action: purpose === 'enroll' ? 'confirm-number' : 'code',
    ...toPlace(pending),
    secondsLeft: secondsUntil(pending.expiresAt, settings.now()),
    attemptsLeft: notice === 'wrong-code' ? pending.attemptsLeft : null,
    transaction,
    trustDays: purpose === 'login' ? settings.trustedDeviceDays : null,
    resend: describeResend(settings, page),
    ways: listWays(settings, pending),
    isNoticeAboutCode: ABOUT_CODE.has(notice),
  };
}

function findState(settings: SmsOtpSettings, page: PendingPage): CodePage['state'] {
  const { pending, notice } = page;
  if (CLOSED.has(notice)) return 'locked';
  if (pending.isSent) {
    const isOver = pending.attemptsLeft === 0 || pending.expiresAt <= settings.now();
    return isOver || ENDS_CODE.has(notice) ? 'no-attempts' : 'sent';
  }

  const ways = listWays(settings, pending);
  // Without a notice nothing has failed, and the user's preferred factor comes before a message.
  const hasOwnFactor = notice === null && ways.some(({ kind }) => kind !== 'recovery-code');
  const isOnlyWay = ways.length > 0 && pending.resendAt === null;
  return hasOwnFactor || isOnlyWay ? 'other-factor' : 'not-sent';
}

/** Reasons that concern the user's input, or the answer to a challenge. */
export const ABOUT_ANSWER: ReadonlySet<Reason | null> = new Set<Reason>([
  'malformed-code',
  'wrong-code',
  'too-many-attempts',
  'expired',
]);

/** Returns whether a factor other than the message was refused. */
export function isOfOtherFactor(settings: Pick<SmsOtpSettings, 'now'>, page: PendingPage): boolean {
  const { pending, notice } = page;
  if (!pending.isSent) return ABOUT_ANSWER.has(notice);
  // A passkey's challenge expires before the code of the message does.
  return notice === 'expired' && pending.expiresAt > settings.now();
}

/** Returns when another message can be requested, and for where. Null: no more messages. */
export function describeResend(
  settings: Pick<SmsOtpSettings, 'now'>,
  page: PendingPage,
): Resend | null {
  const { pending } = page;
  const { resendAt, factor } = pending;
  if (resendAt === null || page.notice === 'disabled') return null;

  const isLocked = page.notice === 'locked';
  const others = (pending.phones ?? [])
    // Leave out places that look the same, because users cannot tell them apart.
    .filter((choice) => choice.maskedPhone !== pending.maskedPhone || choice.factor !== factor)
    .filter((choice) => !isLocked || choice.factor !== factor)
    .map((choice) => ({ phoneId: choice.phoneId, ...toPlace(choice) }));
  if (isLocked && others.length === 0) return null;

  const seconds = secondsUntil(resendAt, settings.now());
  return { seconds, isText: factor === 'sms', isLocked, others };
}

/** Lists the user's ways besides the message, recovery codes last. */
export function listWays(
  settings: SmsOtpSettings,
  pending: Pick<PendingStatus, 'factors'>,
): readonly Way[] {
  const { factors } = pending;
  const own = settings.factors.flatMap(({ name, kind }): readonly Way[] => {
    if (kind === 'delivered' || !factors.includes(name)) return [];
    return [{ kind, factor: name, href: `factor-${name}` }];
  });
  if (!factors.includes('recovery-code')) return own;
  return [...own, { kind: 'recovery-code', factor: 'recovery-code', href: 'recovery-code' }];
}

/** Returns the way of a factor. Null for the message. */
export function firstWay(settings: SmsOtpSettings, factor: string): Way | null {
  return listWays(settings, { factors: [factor] })[0] ?? null;
}

function toPlace({ maskedPhone, factor }: Pick<PendingStatus, 'maskedPhone' | 'factor'>): Place {
  const address = factor === 'sms' ? null : maskedPhone;
  return { factor, digits: toDigits(maskedPhone), address };
}

/** Returns the last two digits of a masked number. */
export function toDigits(maskedPhone: string): string {
  return maskedPhone.slice(-2);
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000));
}
