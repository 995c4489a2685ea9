import { Router, type NextFunction, type Request, type Response } from 'express';
import type { Transaction } from 'passport-sms-otp';
import { z } from 'zod';
import type { BankOtp } from '../bank-login';
import { readQueryNotice, toNotice, translateFor, type TextKey } from '../i18n';

interface Transfer {
  readonly payee: string;
  readonly amountCents: number;
}

/** The demo's whole bank, kept in the session so that the example needs no database. */
interface Bank {
  readonly balanceCents: number;
  /** The newest first. */
  readonly transfers: readonly Transfer[];
}

declare module 'express-session' {
  interface SessionData {
    bank?: Bank;
  }
}

const PAYEES = ['Lighthouse Rentals', 'Northpier Energy', 'Marina Books'] as const;
const TRANSFERS_KEPT = 5;

function bankOf({ session }: Request): Bank {
  return session.bank ?? { balanceCents: 248_032, transfers: [] };
}

/** The account, and transfers: money moves only with a code that was texted for this transfer. */
export function transferPages(smsOtp: BankOtp): Router {
  const router = Router();
  // Both factors, of any age.
  const guard = smsOtp.requireSecondFactor({ redirect: '/login' });

  router.get('/account', guard, (req, res) => {
    const { verified } = smsOtp.status(req);
    const notice = readQueryNotice(req, {
      'too-late': ['error', 'account.isNotDone'],
      'timed-out': ['error', 'notice.timedOut'],
    });
    res.render('account', { bank: bankOf(req), hasTransferred: 'transferred' in req.query, notice, verified });
  });

  router.get('/transfer', guard, (req, res) => {
    const notice = toNotice(req, smsOtp.status(req));
    res.render('transfer', { bank: bankOf(req), payees: PAYEES, notice, form: {} });
  });

  router.post(
    '/transfer',
    guard,
    refuseOddForms,
    smsOtp.stepUp({
      transaction: (req) => toTransaction(readTransferOf(req)),
      successRedirect: '/login/pin',
      failureRedirect: '/transfer',
    }),
  );

  router.post('/transfer/pin', guard, smsOtp.verify({ failureRedirect: '/login/pin' }), sendMoney);

  return router;
}

const transferForm = z.object({
  payee: z.enum(PAYEES),
  amount: z
    .string()
    .trim()
    .regex(/^\d{1,6}([.,]\d{1,2})?$/)
    .transform((amount) => Math.round(Number(amount.replace(',', '.')) * 100)),
});

/** Returns the transfer of a form; otherwise the field that is wrong, and the sentence that says why. */
function readTransfer(req: Request): Transfer | { readonly field: 'payee' | 'amount'; readonly problem: TextKey } {
  const parsed = transferForm.safeParse(req.body);
  if (!parsed.success) {
    const isAboutPayee = parsed.error.issues[0]?.path[0] === 'payee';
    if (isAboutPayee) return { field: 'payee', problem: 'transfer.choosePayee' };
    return { field: 'amount', problem: 'transfer.enterAmount' };
  }
  const { payee, amount: amountCents } = parsed.data;
  if (amountCents === 0) return { field: 'amount', problem: 'transfer.aboveZero' };
  if (amountCents > bankOf(req).balanceCents) return { field: 'amount', problem: 'transfer.notEnough' };
  return { payee, amountCents };
}

function refuseOddForms(req: Request, res: Response, next: NextFunction): void {
  const reading = readTransfer(req);
  if (!('problem' in reading)) return next();
  const notice = { kind: 'error', text: translateFor(req)(reading.problem) };
  const form = req.body as object;
  res.status(400).render('transfer', { bank: bankOf(req), payees: PAYEES, notice, field: reading.field, form });
}

/** @throws {TypeError} when the form is invalid, which was refused before. */
function readTransferOf(req: Request): Transfer {
  const reading = readTransfer(req);
  if ('problem' in reading) throw new TypeError('A form that was refused has come through');
  return reading;
}

/** Formats a transfer as the text message and the code page show it, the same in every language. */
function toTransaction({ payee, amountCents }: Transfer): Transaction {
  return { payee, amount: `${(amountCents / 100).toFixed(2)} USD` };
}

/** @throws {TypeError} when it was not written by `toTransaction`. */
function fromTransaction({ payee, amount }: Transaction): Transfer {
  const [, dollars, cents] = /^(\d+)\.(\d\d) USD$/.exec(amount) ?? [];
  if (dollars === undefined || cents === undefined) throw new TypeError('not an amount of this bank');
  return { payee, amountCents: Number(dollars) * 100 + Number(cents) };
}

/** Executes the transfer of the text message, whatever this request contains. */
function sendMoney(req: Request, res: Response, next: NextFunction): void {
  const outcome = req.smsOtp;
  if (!outcome || !('verified' in outcome) || !outcome.verified || !outcome.transaction) {
    // The code belonged to something else, such as a step-up in another tab.
    res.redirect(303, '/account');
    return;
  }
  const order = fromTransaction(outcome.transaction);
  const bank = bankOf(req);
  if (order.amountCents > bank.balanceCents) {
    res.redirect(303, '/account?too-late');
    return;
  }
  req.session.bank = {
    balanceCents: bank.balanceCents - order.amountCents,
    transfers: [order, ...bank.transfers].slice(0, TRANSFERS_KEPT),
  };
  // A redirect before the session is saved would show the old balance.
  req.session.save((error?: Error) => (error ? next(error) : res.redirect(303, '/account?transferred')));
}
