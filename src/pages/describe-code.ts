import type { PendingStatus, Reason, SmsOtp, SmsOtpStatus } from 'passport-sms-otp';
import type { CodePage, PageBase, Resend, Way } from './page';

/** Waiting is all that helps. */
const CLOSED: ReadonlySet<Reason | null> = new Set<Reason>(['locked', 'disabled']);

/** After these the code is worthless, though another message may be sent. */
const ENDS_CODE: ReadonlySet<Reason | null> = new Set<Reason>(['too-many-attempts', 'unconfirmed']);

/** These are about what the user typed into the field of the code. */
const ABOUT_CODE: ReadonlySet<Reason | null> = new Set<Reason>(['malformed-code', 'wrong-code']);

/** A pending login, and the notice beside it. */
export interface PendingPage extends Pick<SmsOtpStatus, 'notice'> {
  readonly pending: PendingStatus;
}

/** Returns what the page of the code shows. Durations and not times: browsers' clocks differ. */
export function describeCode(
  { settings }: Pick<SmsOtp, 'settings'>,
  base: PageBase,
  { pending, notice }: PendingPage,
): CodePage {
  const now = settings.now();
  const { purpose, transaction = null } = pending;
  return {
    ...base,
    name: 'code',
    purpose,
    state: findState(settings, { pending, notice }),
    action: purpose === 'enroll' ? 'confirm-number' : 'code',
    digits: toDigits(pending.maskedPhone),
    secondsLeft: secondsUntil(pending.expiresAt, now),
    attemptsLeft: notice === 'wrong-code' ? pending.attemptsLeft : null,
    transaction,
    trustDays: purpose === 'login' ? settings.trustedDeviceDays : null,
    resend: describeResend(settings, { pending, notice }),
    ways: listWays(settings, pending),
    isNoticeAboutCode: ABOUT_CODE.has(notice),
  };
}

type Settings = SmsOtp['settings'];

function findState(settings: Settings, page: PendingPage): CodePage['state'] {
  const { pending, notice } = page;
  if (CLOSED.has(notice)) return 'locked';
  if (pending.isSent) {
    const isOver = pending.attemptsLeft === 0 || pending.expiresAt <= settings.now();
    return isOver || ENDS_CODE.has(notice) ? 'no-attempts' : 'sent';
  }
  const ways = listWays(settings, pending);
  // Without a notice nothing has failed: the user's own factor comes before a message.
  const hasOwnFactor = notice === null && ways.some(({ kind }) => kind !== 'recovery-code');
  const isOnlyWay = ways.length > 0 && pending.resendAt === null;
  return hasOwnFactor || isOnlyWay ? 'other-factor' : 'not-sent';
}

/** These are about what a user has entered, or about the answer to a challenge. */
export const ABOUT_ANSWER: ReadonlySet<Reason | null> = new Set<Reason>([
  'malformed-code',
  'wrong-code',
  'too-many-attempts',
  'expired',
]);

/** Returns whether it was another factor than the message that was refused. */
export function isOfOtherFactor(
  { now }: Pick<Settings, 'now'>,
  { pending, notice }: PendingPage,
): boolean {
  if (!pending.isSent) return ABOUT_ANSWER.has(notice);
  // A passkey's challenge expires before the code of the message.
  return notice === 'expired' && pending.expiresAt > now();
}

/** Returns when another message may be asked for, and to which numbers; null: no more. */
export function describeResend(
  { now }: Pick<Settings, 'now'>,
  { pending, notice }: PendingPage,
): Resend | null {
  if (pending.resendAt === null || CLOSED.has(notice)) return null;
  const others = (pending.phones ?? [])
    // Two numbers that end in the same digits cannot be told apart.
    .filter(({ maskedPhone }) => maskedPhone !== pending.maskedPhone)
    .map(({ phoneId, maskedPhone }) => ({ phoneId, digits: toDigits(maskedPhone) }));
  return { seconds: secondsUntil(pending.resendAt, now()), others };
}

/** Lists the ways beside the message that the user has, recovery codes last. */
export function listWays(
  settings: Settings,
  { factors }: Pick<PendingStatus, 'factors'>,
): readonly Way[] {
  const own = settings.factors
    .filter(({ name }) => factors.includes(name))
    .map(({ name, kind }): Way => ({ kind, factor: name, href: `factor-${name}` }));
  if (!factors.includes('recovery-code')) return own;
  return [...own, { kind: 'recovery-code', factor: 'recovery-code', href: 'recovery-code' }];
}

/** Returns the way of a factor; null: it is the message. */
export function firstWay(settings: Settings, factor: string): Way | null {
  return listWays(settings, { factors: [factor] })[0] ?? null;
}

/** Returns the last two digits of a masked number. */
export function toDigits(maskedPhone: string): string {
  return maskedPhone.slice(-2);
}

function secondsUntil(time: number, now: number): number {
  return Math.max(0, Math.ceil((time - now) / 1000));
}
