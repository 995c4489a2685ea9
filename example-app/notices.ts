import type { Reason, SmsOtpStatus } from 'passport-sms-otp';
import type { TextKey } from './i18n/translate';

/** A sentence for users, and how prominently to show it. */
export interface Notice {
  readonly kind: 'error' | 'info';
  readonly key: TextKey;
  /** When another try makes sense, in milliseconds since 1970: the page says how long that takes. */
  readonly retryAt?: number | null;
  /** Nobody knows when: the page says that it may work later. */
  readonly isLater?: boolean;
}

const quiet: ReadonlySet<string> = new Set(['not-required', 'second-factor-required', 'second-factor-too-old']);

/** Waiting is all that helps. */
const passing: ReadonlySet<string> = new Set(['send-limit', 'locked']);

/** Returns the notice of a reason; null stays null. */
export function toNotice({ notice: reason, retryAt }: Pick<SmsOtpStatus, 'notice' | 'retryAt'>): Notice | null {
  if (reason === null) return null;
  const isLater = retryAt === null && passing.has(reason);
  return { kind: quiet.has(reason) ? 'info' : 'error', key: `notice.${reason}`, retryAt, isLater };
}

/** A countdown on the page says when a text can be had, and counts: these notices need not. */
const untilText: ReadonlySet<Reason> = new Set(['resend-too-soon', 'send-limit', 'not-sent']);

/** Returns the notice of a page with a countdown to the next text. */
export function toNoticeBesideCountdown(status: Pick<SmsOtpStatus, 'notice' | 'retryAt'>): Notice | null {
  const notice = toNotice(status);
  const isCounted = status.notice !== null && untilText.has(status.notice);
  return notice && isCounted ? { ...notice, retryAt: null, isLater: false } : notice;
}

/** Returns the notice that is shown beside a refused form. */
export function toProblem(key: TextKey | null): Notice | null {
  return key && { kind: 'error', key };
}
