import { Router } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { openBank, PAYEES, readTransfer, transfer } from '../bank';

/** Moving money needs a code that is no older than five minutes. */
export function transferPages(smsOtp: SmsOtp): Router {
  const router = Router();
  router.use('/transfer', smsOtp.requireSecondFactor({ maxAgeSeconds: 300, redirect: '/step-up' }));

  router.get('/transfer', (req, res) => {
    res.render('transfer', { bank: req.session.bank ?? openBank(), payees: PAYEES, problem: null, form: {} });
  });

  router.post('/transfer', (req, res, next) => {
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
