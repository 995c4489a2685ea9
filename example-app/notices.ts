import type { Reason } from 'passport-sms-otp';
import type { TextKey } from './i18n/translate';

/** A sentence for people, and how loudly to say it. */
export interface Notice {
  readonly kind: 'error' | 'info';
  readonly key: TextKey;
}

const quiet: ReadonlySet<string> = new Set([
  'not-required',
  'second-factor-required',
  'second-factor-too-old',
]);

/** What to tell about a reason; null stays null. */
export function toNotice(reason: Reason | 'wrong-password' | null): Notice | null {
  return reason && { kind: quiet.has(reason) ? 'info' : 'error', key: `notice.${reason}` };
}

/** What a form was refused for, beside it. */
export function toProblem(key: TextKey | null): Notice | null {
  return key && { kind: 'error', key };
}
