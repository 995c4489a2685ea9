import { Router } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { openBank, PAYEES, readTransfer, transfer } from '../bank';

/** Moving money needs a code that is no older than this. */
const MAX_AGE_SECONDS = 300;

export function transferPages(smsOtp: SmsOtp): Router {
  const router = Router();
  const askFirst = smsOtp.requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/step-up' });
  // Back to the form, which asks and is come back to. What a POST held is not kept: it is for people to send again.
  const backToForm = smsOtp.requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/transfer' });

  router.get('/transfer', askFirst, (req, res) => {
    res.render('transfer', { bank: req.session.bank ?? openBank(), payees: PAYEES, problem: null, form: {} });
  });

  router.post('/transfer', backToForm, (req, res, next) => {
    const bank = req.session.bank ?? openBank();
    const order = readTransfer(req.body, bank);
    if ('problem' in order) {
      res
        .status(400)
        .render('transfer', { bank, payees: PAYEES, problem: order.problem, form: req.body as object });
      return;
    }
    req.session.bank = transfer(bank, order.transfer);
    // A redirect that leaves before the session is saved would show the old balance.
    req.session.save((error?: Error) => (error ? next(error) : res.redirect(303, '/account?transferred')));
  });

  return router;
}
