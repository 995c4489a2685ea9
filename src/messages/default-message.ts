import { measureTemplate, PLACEHOLDER } from '../protocol/message-length';
import type { Purpose, Transaction } from '../stores/store';
import { LOCALE_TEXTS, type LocaleTexts, type MessageLocale, type TextKind } from './locales';
import { FORGING, listBeginnings, sanitizeVariable } from './sanitize';

/** The purposes of a code; each has a default text. */
export const PURPOSES: readonly Purpose[] = ['login', 'step-up', 'transaction', 'enroll'];

/** What the default message is made of. */
export interface DefaultMessageOptions {
  /** Shown at the beginning. Default: the message names no app. */
  readonly appName?: string | undefined;
  /**
   * Bare host name of the page that asks for the code: phones then offer the code on that site
   * only.
   */
  readonly autofillHost?: string | undefined;
  readonly validitySeconds: number;
  /** Default: English. */
  readonly locale?: MessageLocale | undefined;
}

/**
 * Returns the default message. In a UCS-2 script a name and an autofill line seldom both fit into
 * 70 units: there the name is left out, because the host in the last line says whose code it is.
 */
export function defaultMessage(
  options: DefaultMessageOptions,
  kind: TextKind,
  maxPinDigits: number,
  allowSecondSegment = false,
): string {
  const text = fillText(options, kind);
  if (options.autofillHost === undefined || options.appName === undefined) return text;
  if (measureTemplate(text, maxPinDigits, allowSecondSegment).problem === null) return text;
  const nameless = fillText({ ...options, appName: undefined }, kind);
  // A name that turns a GSM 7-bit text into UCS-2 is a mistake in the options: it is reported, not
  // corrected.
  return measureTemplate(nameless, maxPinDigits, allowSecondSegment).encoding === 'ucs-2'
    ? nameless
    : text;
}

/**
 * UTF-16 units of the longest amount, and of the longest payee shown; the latter as in a SEPA
 * payment.
 */
const MAX_AMOUNT_LENGTH = 40;
const MAX_PAYEE_LENGTH = 70;

/** A payee that is cut to less cannot be recognized. */
const MIN_PAYEE_LENGTH = 4;

const ELLIPSIS = '...';

/** How much of a variable is read; more than is ever shown. */
const MAX_INPUT_LENGTH = 1_000;

/**
 * Returns the default message of a transaction. Where the payee does not fit, the sentence is
 * shortened first and then the payee; the amount is never cut.
 *
 * @throws {TypeError} when there is no amount or payee to show, or no room for the amount and the
 * beginning of the payee.
 */
export function transactionMessage(
  options: DefaultMessageOptions,
  transaction: Transaction | undefined,
  maxPinDigits: number,
  allowSecondSegment = false,
): string {
  if (transaction === undefined)
    throw new TypeError('a transaction must have an amount and a payee');
  const amount = readAmount(transaction.amount);
  const payee = sanitizeVariable(transaction.payee, MAX_INPUT_LENGTH);
  // What approves a payment must show who gets it.
  if (!/[\p{L}\p{N}]/u.test(payee))
    throw new TypeError('the payee of a transaction must have letters or digits');
  const fill = (kind: 'transaction' | 'short-transaction', shown: string): string =>
    fillText(options, kind, { amount, payee: shown });
  const fits = (text: string): boolean =>
    measureTemplate(text, maxPinDigits, allowSecondSegment).problem === null;

  const whole = [fill('transaction', payee), fill('short-transaction', payee)].find(fits);
  if (whole !== undefined && payee.length <= MAX_PAYEE_LENGTH) return whole;
  const cut = listBeginnings(payee, Math.min(payee.length - 1, MAX_PAYEE_LENGTH))
    .filter((beginning) => beginning.length >= MIN_PAYEE_LENGTH)
    .map((beginning) => fill('short-transaction', beginning + ELLIPSIS))
    .find(fits);
  if (cut !== undefined) return cut;
  throw new TypeError(
    'amount and payee of the transaction do not fit one text message (locale ' +
      `${options.locale ?? 'en'}); nothing was sent`,
  );
}

/** Refuses an amount that would be cut or would lose a visible character. */
function readAmount(text: string): string {
  const amount = sanitizeVariable(text, MAX_INPUT_LENGTH);
  if (amount === '' || amount.length > MAX_AMOUNT_LENGTH || text.search(FORGING) >= 0) {
    throw new TypeError(
      `the amount of a transaction must have 1 to ${MAX_AMOUNT_LENGTH} characters without @, #, ` +
        '[ and ]',
    );
  }
  return amount;
}

/**
 * Fills in the text of one kind. With `autofillHost` the only placeholder stands in the
 * origin-bound last line, `@host #[PIN]`. Not shown in OTP spec §4: whether several placeholders
 * are replaced, so the code is not repeated in the sentence.
 *
 * @param transaction Amount and payee, sanitized. Default: both empty.
 */
export function fillText(
  { appName, autofillHost, validitySeconds, locale = 'en' }: DefaultMessageOptions,
  kind: TextKind,
  transaction: Transaction = { amount: '', payee: '' },
): string {
  const texts = LOCALE_TEXTS[locale];
  const isBound = autofillHost !== undefined;
  const values = {
    app: fillOpening(texts, appName, isBound),
    min: String(Math.floor(validitySeconds / 60)),
    ...transaction,
  };
  // In one pass, so that a value that looks like a variable is not filled in again.
  const text = texts[isBound ? 'bound' : 'plain'][kind].replace(
    /\{(app|min|amount|payee)\}/g,
    // The pattern matches these names only.
    (_match, name) => values[name as keyof typeof values],
  );
  return isBound ? `${text}\n@${autofillHost} #${PLACEHOLDER}` : text;
}

function fillOpening(texts: LocaleTexts, appName: string | undefined, isBound: boolean): string {
  const { named, unnamed } = (isBound ? texts.boundOpening : undefined) ?? {
    named: texts.opening,
    unnamed: '',
  };
  return appName === undefined ? unnamed : named.replace('{name}', () => appName);
}
