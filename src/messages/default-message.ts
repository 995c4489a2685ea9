import { PLACEHOLDER } from '../protocol/message-length';
import type { Transaction } from '../stores/store';
import type { LocaleTexts, TextKind } from './locale-texts';
import { LOCALE_TEXTS, type MessageLocale } from './locales';

/** What the default message is made of. */
export interface DefaultMessageParts {
  /** Shown in front; left out: the message names no app. */
  readonly appName?: string | undefined;
  /** Bare host name of the page that asks for the code: phones then offer the code on that site alone. */
  readonly autofillHost?: string | undefined;
  readonly validitySeconds: number;
  /** Default: English. */
  readonly locale?: MessageLocale | undefined;
  /** Amount and payee, sanitised. Default: both empty. */
  readonly transaction?: Transaction | undefined;
}

/**
 * The text message when the app brings none. With `autofillHost` the only placeholder stands in the origin-bound last
 * line, `@host #[PIN]`.
 * Not shown in OTP spec §4: whether several placeholders are replaced, so the code is not repeated in the sentence.
 */
export function defaultMessage(parts: DefaultMessageParts, kind: TextKind): string {
  const { appName, autofillHost, validitySeconds, locale = 'en', transaction } = parts;
  const texts = LOCALE_TEXTS[locale];
  const isBound = autofillHost !== undefined;
  const values = {
    app: findOpening(texts, appName, isBound),
    min: String(Math.floor(validitySeconds / 60)),
    amount: transaction?.amount ?? '',
    payee: transaction?.payee ?? '',
  };
  // In one pass: a value that looks like a name of ours is not filled in again.
  const text = texts[isBound ? 'bound' : 'plain'][kind].replace(
    /\{(app|min|amount|payee)\}/g,
    // The pattern admits these names alone.
    (_match, name) => values[name as keyof typeof values],
  );
  return isBound ? `${text}\n@${autofillHost} #${PLACEHOLDER}` : text;
}

function findOpening(texts: LocaleTexts, appName: string | undefined, isBound: boolean): string {
  const { named, unnamed } = (isBound ? texts.boundOpening : undefined) ?? {
    named: texts.opening,
    unnamed: '',
  };
  return appName === undefined ? unnamed : named.replace('{name}', () => appName);
}
