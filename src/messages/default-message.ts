import { measureTemplate, PLACEHOLDER } from '../protocol/message-length';
import type { Purpose, Transaction } from '../stores/store';
import { LOCALE_TEXTS, type LocaleTexts, type MessageLocale, type TextKind } from './locales';
import { FORGING, listBeginnings, sanitizeVariable, splitCharacters } from './sanitize';

/** The purposes of a code. Each has a default message. */
export const PURPOSES: readonly Purpose[] = ['login', 'step-up', 'transaction', 'enroll'];

export interface DefaultMessageOptions {
  /** The name at the beginning. Default: no name. */
  readonly appName?: string | undefined;
  /**
   * Bare host name of the page that asks for the code. Phones then offer the code on that site
   * only.
   */
  readonly autofillHost?: string | undefined;
  readonly validitySeconds: number;
  /** Default: English. */
  readonly locale?: MessageLocale | undefined;
}

/**
 * Returns the default message. In a UCS-2 script a name and an autofill line rarely both fit into
 * 70 units. Then the name is left out, because the host in the last line identifies the site.
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
  // Do not correct a name that turns a GSM 7-bit message into UCS-2: report it as a mistake in the
  // options.
  return measureTemplate(nameless, maxCodeDigits, allowSecondSegment).encoding === 'ucs-2'
    ? nameless
    : text;
}

/**
 * UTF-16 units of the longest amount, and of the longest payee that is shown; the latter as in a
 * SEPA payment.
 */
const MAX_AMOUNT_LENGTH = 40;
const MAX_PAYEE_LENGTH = 70;

/**
 * How many characters of a cut payee are always shown at its beginning and its end. An attacker may
 * have an account whose number begins like the payee's, but hardly one that also ends like it.
 */
const SHOWN_IN_FRONT = 8;
const SHOWN_AT_THE_END = 4;

const ELLIPSIS = '...';

/** How many characters of a variable are read, more than are ever shown. */
const MAX_INPUT_LENGTH = 1_000;

/**
 * Returns the default message of a transaction. If the payee does not fit, first the sentence is
 * shortened, then the payee is cut in the middle. The amount is never cut.
 *
 * @throws {TypeError} if there is no amount or payee, the payee would lose a character other than a
 * space, or there is no room for the amount and both ends of the payee.
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

/**
 * Matches spaces of all kinds, which may change because a message is one line. None of them is
 * invisible.
 */
const BLANKS = /[^\S\ufeff]|[\u0085\u2800]/gu;

/**
 * Refuses a payee without anything to show, or one that would lose a character other than a space.
 */
function readPayee(text: string): string {
  // Check the full length: a link that is broken by a space is longer.
  const payee = sanitizeVariable(text, Number.MAX_SAFE_INTEGER);
  if (withoutBlanks(payee) !== withoutBlanks(text)) {
    throw new TypeError(
      'the payee of a transaction must not have @, #, [, ], invisible characters or more than ' +
        'four marks on a letter',
    );
  }

  // The payer must see who gets the payment, so letters or digits are required.
  if (!/[\p{L}\p{N}]/u.test(payee))
    throw new TypeError('the payee of a transaction must have letters or digits');

  return payee;
}

/**
 * Returns the cut forms of a payee that does not fit, the longest first: `DE89 3704...30 00`.
 * Characters are counted as people see them. Spaces do not count.
 */
function listCut(payee: string): readonly string[] {
  const end = readEnd(payee);
  // A cut payee must be shorter than the whole one.
  const most = Math.min(MAX_PAYEE_LENGTH, payee.length - 1) - ELLIPSIS.length - end.length;
  return listBeginnings(payee, most)
    .filter((beginning) => splitCharacters(withoutBlanks(beginning)).length >= SHOWN_IN_FRONT)
    .map((beginning) => beginning + ELLIPSIS + end);
}

/** More UTF-16 units than the last characters of a payee can have. */
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
 * Fills in the message of one kind. With `autofillHost` the only placeholder is in the origin-bound
 * last line, `@host #[PIN]`. Not shown in OTP spec §4: whether several placeholders are replaced,
 * so the code is not repeated in the sentence.
 *
 * @param transaction The sanitized amount and payee. Default: both empty.
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

  // Replace in one pass, so that a value that looks like a variable is not filled in again.
  const text = texts[isBound ? 'bound' : 'plain'][kind].replace(
    /\{(app|min|amount|payee)\}/g,
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
