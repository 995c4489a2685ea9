import { Router, type NextFunction, type Request, type Response } from 'express';
import { z } from 'zod';
import type { BankOtp } from '../bank-login';
import { saveSession } from '../forms';
import { readQueryNotice, toNotice, translateFor, type TextKey } from '../i18n';
import type { PasskeyPages } from './passkeys';

interface Transfer {
  readonly payee: string;
  readonly amountCents: number;
}

/** The demo's whole bank, kept in the session so that the example needs no database. */
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

/** The account, and transfers: money moves only with a code that was texted for this transfer. */
export function transferPages(smsOtp: BankOtp, passkeys: PasskeyPages): Router {
  const router = Router();
  const guard = smsOtp.requireSecondFactor({ redirect: '/login' });

  router.get('/account', guard, async (req, res) => {
    const { verified } = smsOtp.status(req);
    const notice = readQueryNotice(req, {
      'too-late': ['error', 'account.isNotDone'],
      'timed-out': ['error', 'notice.timedOut'],
    });
    const bank = bankOf(req);
    const offersPasskey = await passkeys.isOffered(req);
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
      // The same in every language, for the text message and the code page.
      return { payee, amount: `${(amountCents / 100).toFixed(2)} USD` };
    },
    successRedirect: '/login/pin',
    failureRedirect: '/transfer',
  });
  router.post('/transfer', guard, refuseOddForms, approve);
  router.post('/transfer/pin', guard, smsOtp.verify({ failureRedirect: '/login/pin' }), sendMoney);
  return router;
}

/** The fields of the form. The messages are keys of texts. */
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

/** Executes the transfer of the text message, whatever this request contains. */
function sendMoney(req: Request, res: Response, next: NextFunction): void {
  const outcome = req.smsOtp;
  if (!outcome || !('verified' in outcome) || !outcome.verified || !outcome.transaction) {
    // The code belonged to something else, such as a step-up in another tab.
    return res.redirect(303, '/account');
  }
  const { payee, amount } = outcome.transaction;
  const amountCents = Math.round(parseFloat(amount) * 100);
  const bank = bankOf(req);
  if (amountCents > bank.balanceCents) return res.redirect(303, '/account?too-late');
  req.session.bank = {
    balanceCents: bank.balanceCents - amountCents,
    transfers: [{ payee, amountCents }, ...bank.transfers].slice(0, TRANSFERS_KEPT),
  };
  // A redirect before the session is saved would show the old balance.
  saveSession(req, (error?: unknown) =>
    error ? next(error) : res.redirect(303, '/account?transferred'),
  );
}
