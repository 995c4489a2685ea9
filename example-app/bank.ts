import type { Transaction } from 'passport-sms-otp';
import { z } from 'zod';
import type { TextKey } from './i18n/translate';

export interface Transfer {
  readonly payee: string;
  readonly amountCents: number;
}

/** The demo's whole bank, kept in the session so that the example needs no database. */
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

/** The problem is the key of the sentence that explains it. */
export type TransferReading = { readonly transfer: Transfer } | { readonly problem: TextKey };

const transferForm = z.object({
  payee: z.enum(PAYEES),
  amount: z
    .string()
    .trim()
    .regex(/^\d{1,6}([.,]\d{1,2})?$/)
    .transform((amount) => Math.round(Number(amount.replace(',', '.')) * 100)),
});

/** Reads the transfer form. */
export function readTransfer(form: unknown, bank: Bank): TransferReading {
  const parsed = transferForm.safeParse(form);
  if (!parsed.success) {
    const isAboutPayee = parsed.error.issues[0]?.path[0] === 'payee';
    return { problem: isAboutPayee ? 'transfer.choosePayee' : 'transfer.enterAmount' };
  }
  const { payee, amount: amountCents } = parsed.data;
  if (amountCents === 0) return { problem: 'transfer.aboveZero' };
  if (amountCents > bank.balanceCents) return { problem: 'transfer.notEnough' };
  return { transfer: { payee, amountCents } };
}

/** Formats a transfer as the text message and the code page show it, the same in every language. */
export function toTransaction({ payee, amountCents }: Transfer): Transaction {
  return { payee, amount: `${(amountCents / 100).toFixed(2)} USD` };
}

/**
 * Reads the transfer that was approved.
 * @throws {TypeError} when it was not written by `toTransaction`.
 */
export function fromTransaction({ payee, amount }: Transaction): Transfer {
  const [, dollars, cents] = /^(\d+)\.(\d\d) USD$/.exec(amount) ?? [];
  if (dollars === undefined || cents === undefined) throw new TypeError('not an amount of this bank');
  return { payee, amountCents: Number(dollars) * 100 + Number(cents) };
}
