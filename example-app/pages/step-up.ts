import { Router } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { toNotice } from '../notices';

/** Why a new code is asked for, before it is sent. */
export function stepUpPages(smsOtp: SmsOtp): Router {
  const router = Router();
  router.get('/step-up', (req, res) => {
    if (!req.user) {
      res.redirect(303, '/login');
      return;
    }
    const { notice, pending } = smsOtp.status(req);
    res.render('step-up', {
      notice: toNotice(notice),
      lastDigits: req.user.phone.slice(-2),
      isCodeWaiting: pending !== null,
    });
  });
  return router;
}
