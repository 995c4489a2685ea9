import type { Transaction } from 'passport-sms-otp';
import { object, picklist, pipe, regex, safeParse, string, transform, trim } from 'valibot';
import type { TextKey } from './i18n/translate';

export interface Transfer {
  readonly payee: string;
  readonly amountCents: number;
}

/** The demo's whole bank. It rests in the session, so that the example needs no database. */
export interface Bank {
  readonly balanceCents: number;
  /** The newest first. */
  readonly transfers: readonly Transfer[];
}

export const PAYEES = ['Lighthouse Rentals', 'Northpier Energy', 'Marina Books'] as const;

const TRANSFERS_KEPT = 5;

export function openBank(): Bank {
  return { balanceCents: 248_032, transfers: [] };
}

export function transfer(bank: Bank, { payee, amountCents }: Transfer): Bank {
  return {
    balanceCents: bank.balanceCents - amountCents,
    transfers: [{ payee, amountCents }, ...bank.transfers].slice(0, TRANSFERS_KEPT),
  };
}

/** The problem is the key of the text that says what is wrong. */
export type TransferReading = { readonly transfer: Transfer } | { readonly problem: TextKey };

const transferForm = object({
  payee: picklist(PAYEES),
  amount: pipe(
    string(),
    trim(),
    regex(/^\d{1,6}([.,]\d{1,2})?$/),
    transform((amount) => Math.round(Number(amount.replace(',', '.')) * 100)),
  ),
});

/** What a form asks for, or what is wrong with it. */
export function readTransfer(form: unknown, bank: Bank): TransferReading {
  const parsed = safeParse(transferForm, form);
  if (!parsed.success) {
    const isAboutPayee = parsed.issues[0].path?.[0].key === 'payee';
    return { problem: isAboutPayee ? 'transfer.choosePayee' : 'transfer.enterAmount' };
  }
  const { payee, amount: amountCents } = parsed.output;
  if (amountCents === 0) return { problem: 'transfer.aboveZero' };
  if (amountCents > bank.balanceCents) return { problem: 'transfer.notEnough' };
  return { transfer: { payee, amountCents } };
}

/** As the text message and the page of the code show it, in every language: what is approved is what is read here. */
export function toTransaction({ payee, amountCents }: Transfer): Transaction {
  return { payee, amount: `${(amountCents / 100).toFixed(2)} USD` };
}

/** The transfer that was approved. @throws {TypeError} when it is not as `toTransaction` writes it. */
export function fromTransaction({ payee, amount }: Transaction): Transfer {
  const [, dollars, cents] = /^(\d+)\.(\d\d) USD$/.exec(amount) ?? [];
  if (dollars === undefined || cents === undefined) throw new TypeError('That is no amount of this bank');
  return { payee, amountCents: Number(dollars) * 100 + Number(cents) };
}
