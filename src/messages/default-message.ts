import { PLACEHOLDER } from '../protocol/message-length';
import type { Purpose } from '../stores/store';

/** What the default message is made of. */
export interface DefaultMessageParts {
  /** Shown in front; left out: the message names no app. */
  readonly appName?: string | undefined;
  /** Bare host name of the page that asks for the code: phones then offer the code on that site alone. */
  readonly autofillHost?: string | undefined;
  readonly validitySeconds: number;
}

const SUBJECT: Readonly<Record<Purpose, string>> = {
  login: 'sign-in',
  'step-up': 'confirmation',
  transaction: 'confirmation',
  enrol: 'confirmation',
};

/**
 * The text message when the app brings none. With `autofillHost` the only placeholder stands in the origin-bound last
 * line, `@host #[PIN]`.
 * Not shown in OTP spec §4: whether several placeholders are replaced, so the code is not repeated in the sentence.
 */
export function defaultMessage(
  { appName, autofillHost, validitySeconds }: DefaultMessageParts,
  purpose: Purpose,
): string {
  const lifetime = `It expires in ${Math.floor(validitySeconds / 60)} min. Never share it.`;
  const subject = `${SUBJECT[purpose]} code`;
  if (autofillHost === undefined) {
    return `${appName === undefined ? '' : `${appName}: `}${PLACEHOLDER} is your ${subject}. ${lifetime}`;
  }
  return `${appName ?? 'Your'} ${subject} is on the last line. ${lifetime}\n@${autofillHost} #${PLACEHOLDER}`;
}
