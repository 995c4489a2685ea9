import { Router, type NextFunction, type Request, type Response } from 'express';
import type { BankOtp } from '../server';
import { fromTransaction, openBank, PAYEES, readTransfer, toTransaction, transfer } from '../bank';
import { toNotice, toProblem } from '../notices';

/** Money moves only with a code that was texted for this transfer. The age of the login's code does not matter. */
export function transferPages(smsOtp: BankOtp): Router {
  const router = Router();
  const guard = smsOtp.requireSecondFactor({ redirect: '/login' });

  router.get('/transfer', guard, (req, res) => {
    const bank = req.session.bank ?? openBank();
    res.render('transfer', { bank, payees: PAYEES, notice: toNotice(smsOtp.status(req)), form: {} });
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

  router.post('/transfer/pin', guard, smsOtp.verify({ failureRedirect: '/login/pin' }), moveMoney);

  return router;
}

function refuseOddForms(req: Request, res: Response, next: NextFunction): void {
  const bank = req.session.bank ?? openBank();
  const reading = readTransfer(req.body, bank);
  if (!('problem' in reading)) return next();
  const notice = toProblem(reading.problem);
  res.status(400).render('transfer', { bank, payees: PAYEES, notice, form: req.body as object });
}

/** @throws {TypeError} when the form is invalid, which was refused before. */
function readTransferOf(req: Request): Parameters<typeof toTransaction>[0] {
  const reading = readTransfer(req.body, req.session.bank ?? openBank());
  if ('problem' in reading) throw new TypeError('A form that was refused has come through');
  return reading.transfer;
}

/** Executes the transfer of the text message, whatever this request contains. */
function moveMoney(req: Request, res: Response, next: NextFunction): void {
  const outcome = req.smsOtp;
  if (!outcome || !('verified' in outcome) || !outcome.verified || !outcome.transaction) {
    // The code belonged to something else, such as a step-up in another tab.
    res.redirect(303, '/account');
    return;
  }
  const order = fromTransaction(outcome.transaction);
  const bank = req.session.bank ?? openBank();
  if (order.amountCents > bank.balanceCents) {
    res.redirect(303, '/account?too-late');
    return;
  }
  req.session.bank = transfer(bank, order);
  // A redirect before the session is saved would show the old balance.
  req.session.save((error?: Error) => (error ? next(error) : res.redirect(303, '/account?transferred')));
}
