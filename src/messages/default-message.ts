import { measureTemplate, PLACEHOLDER } from '../protocol/message-length';
import type { Transaction } from '../stores/store';
import { LOCALE_TEXTS, type LocaleTexts, type MessageLocale, type TextKind } from './locales';
import { listBeginnings, sanitizeVariable } from './sanitize';

/**
 * The default text as it is sent. In a script of UCS-2 a name and an autofill line seldom both fit 70 units: where they do
 * not, the name is left out, because the host in the last line says whose code it is.
 */
export function fitDefault(parts: DefaultMessageParts, kind: TextKind, maxPinDigits: number): string {
  const text = defaultMessage(parts, kind);
  if (parts.autofillHost === undefined || parts.appName === undefined) return text;
  if (measureTemplate(text, maxPinDigits).problem === null) return text;
  const nameless = defaultMessage({ ...parts, appName: undefined }, kind);
  // A name that forces UCS-2 upon a text of GSM 7-bit is a mistake to be told, not mended.
  return measureTemplate(nameless, maxPinDigits).encoding === 'ucs-2' ? nameless : text;
}

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

/** UTF-16 units of the longest amount, and of the longest payee shown; as long as a name in a SEPA payment. */
const LONGEST_AMOUNT = 40;
const LONGEST_PAYEE = 70;

/** A payee cut to less is nobody's name. */
const SHORTEST_PAYEE = 4;

const ELLIPSIS = '...';

/** Variables are read up to here; what is longer is longer than anything shown. */
const MOST_READ = 1_000;

/**
 * The default text of a transaction. Where the payee does not fit, the sentence is shortened first and then the payee;
 * the amount is shown whole or nothing is sent.
 *
 * @throws {TypeError} when there is no amount or payee to show, or no room for the amount and the beginning of the payee.
 */
export function transactionMessage(
  parts: Omit<DefaultMessageParts, 'transaction'>,
  transaction: Transaction | undefined,
  maxPinDigits: number,
): string {
  if (transaction === undefined) throw new TypeError('a transaction must have an amount and a payee');
  const amount = readAmount(transaction.amount);
  const payee = sanitizeVariable(transaction.payee, MOST_READ);
  if (payee === '') throw new TypeError('the payee of a transaction must have letters or digits');
  const fill = (kind: 'transaction' | 'short-transaction', shown: string): string =>
    defaultMessage({ ...parts, transaction: { amount, payee: shown } }, kind);
  const fits = (text: string): boolean => measureTemplate(text, maxPinDigits).problem === null;

  const whole = [fill('transaction', payee), fill('short-transaction', payee)].find(fits);
  if (whole !== undefined && payee.length <= LONGEST_PAYEE) return whole;
  const cut = listBeginnings(payee, Math.min(payee.length - 1, LONGEST_PAYEE))
    .filter((beginning) => beginning.length >= SHORTEST_PAYEE)
    .map((beginning) => fill('short-transaction', beginning + ELLIPSIS))
    .find(fits);
  if (cut !== undefined) return cut;
  throw new TypeError(
    `amount and payee of the transaction do not fit one text message (locale ${parts.locale ?? 'en'}); nothing was sent`,
  );
}

/** An amount is never cut, and nothing that can be seen is taken from it. */
function readAmount(text: string): string {
  const amount = sanitizeVariable(text, MOST_READ);
  if (amount === '' || amount.length > LONGEST_AMOUNT || /[@#[\]]/.test(text)) {
    throw new TypeError(
      `the amount of a transaction must have 1 to ${LONGEST_AMOUNT} characters without @, #, [ and ]`,
    );
  }
  return amount;
}
