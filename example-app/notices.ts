import type { Reason } from 'passport-sms-otp';
import type { TextKey } from './i18n/translate';

/** A sentence for users, and how prominently to show it. */
export interface Notice {
  readonly kind: 'error' | 'info';
  readonly key: TextKey;
}

const quiet: ReadonlySet<string> = new Set([
  'not-required',
  'second-factor-required',
  'second-factor-too-old',
]);

/** Returns the notice of a reason; null stays null. */
export function toNotice(reason: Reason | 'wrong-password' | null): Notice | null {
  return reason && { kind: quiet.has(reason) ? 'info' : 'error', key: `notice.${reason}` };
}

/** Returns the notice that is shown beside a refused form. */
export function toProblem(key: TextKey | null): Notice | null {
  return key && { kind: 'error', key };
}
