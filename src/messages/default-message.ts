import { measureTemplate, PLACEHOLDER } from '../protocol/message-length';
import type { Purpose, Transaction } from '../stores/store';
import { LOCALE_TEXTS, type LocaleTexts, type MessageLocale, type TextKind } from './locales';
import { FORGING, listBeginnings, sanitizeVariable, splitCharacters } from './sanitize';

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
  maxCodeDigits: number,
  allowSecondSegment = false,
): string {
  const text = fillText(options, kind);
  if (options.autofillHost === undefined || options.appName === undefined) return text;
  if (measureTemplate(text, maxCodeDigits, allowSecondSegment).problem === null) return text;

  const nameless = fillText({ ...options, appName: undefined }, kind);
  // A name that turns a GSM 7-bit text into UCS-2 is a mistake in the options: it is reported, not
  // corrected.
  return measureTemplate(nameless, maxCodeDigits, allowSecondSegment).encoding === 'ucs-2'
    ? nameless
    : text;
}

/**
 * UTF-16 units of the longest amount, and of the longest payee shown; the latter as in a SEPA
 * payment.
 */
const MAX_AMOUNT_LENGTH = 40;
const MAX_PAYEE_LENGTH = 70;

/**
 * The characters of a cut payee that are always shown, at its beginning and at its end. An attacker
 * can have an account whose number begins like that of the payee, but hardly one that also ends so.
 */
const SHOWN_IN_FRONT = 8;
const SHOWN_AT_THE_END = 4;

const ELLIPSIS = '...';

/** How much of a variable is read; more than is ever shown. */
const MAX_INPUT_LENGTH = 1_000;

/**
 * Returns the default message of a transaction. Where the payee does not fit, the sentence is
 * shortened first, and then the payee is cut in the middle; the amount is never cut.
 *
 * @throws {TypeError} when there is no amount or payee to show, when the payee would lose a
 * character besides blanks, or when there is no room for the amount and both ends of the payee.
 */
export function transactionMessage(
  options: DefaultMessageOptions,
  transaction: Transaction | undefined,
  maxCodeDigits: number,
  allowSecondSegment = false,
): string {
  if (transaction === undefined)
    throw new TypeError('a transaction must have an amount and a payee');

  const amount = readAmount(transaction.amount);
  const payee = readPayee(transaction.payee);
  const fill = (kind: 'transaction' | 'short-transaction', shown: string): string =>
    fillText(options, kind, { amount, payee: shown });
  const fits = (text: string): boolean =>
    measureTemplate(text, maxCodeDigits, allowSecondSegment).problem === null;

  const whole = [fill('transaction', payee), fill('short-transaction', payee)].find(fits);
  if (whole !== undefined && payee.length <= MAX_PAYEE_LENGTH) return whole;

  const cut = listCut(payee)
    .map((shown) => fill('short-transaction', shown))
    .find(fits);
  if (cut !== undefined) return cut;

  throw new TypeError(
    'amount and payee of the transaction do not fit one text message (locale ' +
      `${options.locale ?? 'en'}); nothing was sent`,
  );
}

/** Blanks of all kinds, which may change: a message is one line. None of them is invisible. */
const BLANKS = /[^\S\ufeff]|[\u0085\u2800]/gu;

/** Refuses a payee that has nothing to show, or that would lose a character besides blanks. */
function readPayee(text: string): string {
  // At its full length: a link that is broken by a blank is longer.
  const payee = sanitizeVariable(text, Number.MAX_SAFE_INTEGER);
  if (withoutBlanks(payee) !== withoutBlanks(text)) {
    throw new TypeError(
      'the payee of a transaction must not have @, #, [, ], invisible characters or more than ' +
        'four marks on a letter',
    );
  }

  // What approves a payment must show who gets it.
  if (!/[\p{L}\p{N}]/u.test(payee))
    throw new TypeError('the payee of a transaction must have letters or digits');

  return payee;
}

/**
 * Returns what may be shown of a payee that does not fit, the longest first: `DE89 3704...30 00`. A
 * character is what people see as one; blanks do not count.
 */
function listCut(payee: string): readonly string[] {
  const end = readEnd(payee);
  // The cut payee is shorter than the whole one.
  const most = Math.min(MAX_PAYEE_LENGTH, payee.length - 1) - ELLIPSIS.length - end.length;
  return listBeginnings(payee, most)
    .filter((beginning) => splitCharacters(withoutBlanks(beginning)).length >= SHOWN_IN_FRONT)
    .map((beginning) => beginning + ELLIPSIS + end);
}

/** More UTF-16 units than the last characters of a payee have. */
const MAX_END_LENGTH = 100;

/** Returns the last characters of a payee that are always shown: `30 00`. */
function readEnd(payee: string): string {
  const characters = splitCharacters(payee.slice(-MAX_END_LENGTH));
  let end = '';
  let shown = 0;

  for (const character of characters.reverse()) {
    if (shown === SHOWN_AT_THE_END) break;
    if (withoutBlanks(character) !== '') shown += 1;
    end = character + end;
  }

  return end;
}

function withoutBlanks(text: string): string {
  return text.replace(BLANKS, '');
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
  options: DefaultMessageOptions,
  kind: TextKind,
  transaction: Transaction = { amount: '', payee: '' },
): string {
  const { autofillHost } = options;
  const texts = LOCALE_TEXTS[options.locale ?? 'en'];
  const isBound = autofillHost !== undefined;
  const values = {
    app: fillOpening(texts, options.appName, isBound),
    min: String(Math.floor(options.validitySeconds / 60)),
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
