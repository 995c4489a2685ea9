import { measureTemplate } from '../protocol/message-length';
import type { Transaction } from '../stores/store';
import { defaultMessage, type DefaultMessageParts } from './default-message';
import { listBeginnings, sanitizeVariable } from './sanitize-variable';

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
