import { z } from 'zod';

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

const transferForm = z.object({
  payee: z.enum(PAYEES, 'Choose who gets the money.'),
  amount: z
    .string('Enter an amount, such as 25.00.')
    .trim()
    .regex(/^\d{1,6}([.,]\d{1,2})?$/, 'Enter an amount, such as 25.00.')
    .transform((amount) => Math.round(Number(amount.replace(',', '.')) * 100)),
});

/** What a form asks for, or the sentence that says what is wrong with it. */
export function readTransfer(form: unknown, bank: Bank): { transfer: Transfer } | { problem: string } {
  const parsed = transferForm.safeParse(form);
  if (!parsed.success) return { problem: parsed.error.issues[0]?.message ?? 'The form could not be read.' };
  const { payee, amount: amountCents } = parsed.data;
  if (amountCents === 0) return { problem: 'Enter an amount above zero.' };
  if (amountCents > bank.balanceCents) return { problem: 'There is not enough money on the account.' };
  return { transfer: { payee, amountCents } };
}

export function formatDollars(cents: number): string {
  return (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}
