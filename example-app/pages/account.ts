import { Router } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { openBank } from '../bank';

/** Needs both factors, however long ago. */
export function accountPages(smsOtp: SmsOtp): Router {
  const router = Router();
  router.get('/account', smsOtp.requireSecondFactor({ redirect: '/login' }), (req, res) => {
    res.render('account', {
      bank: req.session.bank ?? openBank(),
      hasTransferred: 'transferred' in req.query,
      verified: smsOtp.status(req).verified,
    });
  });
  return router;
}
