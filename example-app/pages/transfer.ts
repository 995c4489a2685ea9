import { Router, type NextFunction, type Request, type Response } from 'express';
import { z } from 'zod';
import type { PendingStatus, Reason, SmsOtpStatus } from 'passport-sms-otp';
import type { BankOtp } from '../bank-login';
import { saveSession } from '../forms';
import { readClock, readQueryNotice, toNotice, translateFor, type TextKey } from '../i18n';
import type { PasskeyStore } from '../passkeys';
import { userOf } from '../users';

interface Transfer {
  readonly payee: string;
  readonly amountCents: number;
}

/** The demo's whole bank. It is kept in the session, so that the example needs no database. */
interface Bank {
  readonly balanceCents: number;
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

/**
 * Returns the routes of the account and of transfers. Money moves only with a code that was sent
 * for this transfer.
 */
export function transferPages(smsOtp: BankOtp, passkeys: PasskeyStore): Router {
  const router = Router();
  const guard = smsOtp.requireSecondFactor();

  router.get('/account', guard, async (req, res) => {
    const { verified } = smsOtp.status(req);
    const notice = readQueryNotice(req, {
      'too-late': ['error', 'account.isNotDone'],
    });
    const bank = bankOf(req);
    // Offer it after a login with a code by text message, once a week.
    const offersPasskey =
      verified?.method === 'sms' &&
      (await passkeys.isOffered(userOf(req).id, verified.at, readClock(req)));
    res.render('account', {
      bank,
      hasTransferred: 'transferred' in req.query,
      notice,
      verified,
      offersPasskey,
    });
  });

  router.get('/transfer', guard, (req, res) => {
    const notice = toNotice(req, smsOtp.status(req));
    res.render('transfer', { bank: bankOf(req), payees: PAYEES, notice, form: {} });
  });

  const approve = smsOtp.stepUp({
    transaction: (req) => {
      const { payee, amountCents } = transferForm(req).parse(req.body);
      // Write the amount the same in every language, for the message and the code page.
      return { payee, amount: `${(amountCents / 100).toFixed(2)} USD` };
    },
    successRedirect: '/transfer/code',
    failureRedirect: '/transfer',
  });
  router.post('/transfer', guard, refuseOddForms, approve);

  router.get('/transfer/code', guard, (req, res) => {
    const status = smsOtp.status(req);
    const { pending } = status;
    if (pending?.purpose !== 'transaction') return res.redirect(303, '/transfer');
    res.render('transfer-code', {
      notice: toNotice(req, status),
      ...describeCode(pending, status.notice, readClock(req)),
    });
  });
  const toCode = { failureRedirect: '/transfer/code' };
  const verify = smsOtp.verify({ purpose: 'transaction', ...toCode });
  router.post('/transfer/code', guard, verify, sendMoney);
  router.post(
    '/transfer/resend',
    guard,
    smsOtp.resend({ successRedirect: '/transfer/code', ...toCode }),
  );
  return router;
}

/** Reasons after which the code no longer works, although a new one may be requested. */
const ENDS_CODE: ReadonlySet<Reason | null> = new Set<Reason>([
  ...(['too-many-attempts', 'expired', 'unconfirmed', 'locked', 'disabled'] as const),
]);

/**
 * Returns the content of the code page. It has durations and no times, because the browser's clock
 * may be wrong.
 */
function describeCode(pending: PendingStatus, notice: SmsOtpStatus['notice'], nowMs: number) {
  const { transaction, maskedPhone, attemptsLeft, expiresAt, resendAt } = pending;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  return {
    transaction,
    isUsable: attemptsLeft > 0 && expiresAt > nowMs && !ENDS_CODE.has(notice),
    digits: maskedPhone.slice(-2),
    minutesLeft: Math.ceil(secondsUntil(expiresAt) / 60),
    attemptsLeft: notice === 'wrong-code' ? attemptsLeft : null,
    resendSeconds: resendAt === null ? null : secondsUntil(resendAt),
  };
}

/** Checks the fields of the form. The messages are keys of sentences. */
function transferForm(req: Request) {
  const amount = z
    .string('transfer.enterAmount')
    .trim()
    .regex(/^\d{1,6}([.,]\d{1,2})?$/, 'transfer.enterAmount')
    .transform((text) => Math.round(Number(text.replace(',', '.')) * 100))
    .refine((cents) => cents > 0, 'transfer.aboveZero')
    .refine((cents) => cents <= bankOf(req).balanceCents, 'transfer.notEnough');
  const fields = z.object({ payee: z.enum(PAYEES, 'transfer.choosePayee'), amount });
  return fields.transform(({ payee, amount: amountCents }): Transfer => ({ payee, amountCents }));
}

function refuseOddForms(req: Request, res: Response, next: NextFunction): void {
  const [problem] = transferForm(req).safeParse(req.body).error?.issues ?? [];
  if (!problem) return next();
  const notice = { kind: 'error', text: translateFor(req)(problem.message as TextKey) }; // as they are written above
  const form = req.body as object; // what is not an object has been refused as a forged form
  res.status(400).render('transfer', {
    bank: bankOf(req),
    payees: PAYEES,
    notice,
    field: problem.path[0],
    form,
  });
}

/** Executes the transfer that the message showed, whatever this request contains. */
function sendMoney(req: Request, res: Response, next: NextFunction): void {
  const outcome = req.smsOtp;
  if (!outcome || !('transaction' in outcome) || !outcome.transaction) return next();
  const { payee, amount } = outcome.transaction;
  const amountCents = Math.round(parseFloat(amount) * 100);
  const bank = bankOf(req);
  if (amountCents > bank.balanceCents) return res.redirect(303, '/account?too-late');
  req.session.bank = {
    balanceCents: bank.balanceCents - amountCents,
    transfers: [{ payee, amountCents }, ...bank.transfers].slice(0, TRANSFERS_KEPT),
  };
  // Save the session first: otherwise the next page could show the old balance.
  saveSession(req, (error?: unknown) =>
    error ? next(error) : res.redirect(303, '/account?transferred'),
  );
}
