import type { Transaction } from '../stores/store';

const MAX_TRANSACTION_LENGTH = 200;

/** @throws {TypeError} when the app's callback gives anything but two texts: nothing is sent. */
export function toTransaction(given: unknown): Transaction {
  const { amount, payee } = Object(given) as Partial<Record<string, unknown>>;
  if (!isShortText(amount) || !isShortText(payee)) {
    throw new TypeError(
      'stepUp: transaction must give { amount, payee }, two texts of at most 200 characters',
    );
  }
  return { amount, payee };
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TRANSACTION_LENGTH;
}
