import { Router } from 'express';
import type { BankOtp } from '../server';
import { toNotice } from '../notices';
import { findDefaultDigits } from './own-phones';

/** The first number, added after a login by password alone. */
export function enrollPages(smsOtp: BankOtp): Router {
  const router = Router();
  const { phones } = smsOtp;

  router.get('/enroll', async (req, res) => {
    if (!req.user) {
      res.redirect(303, '/login');
      return;
    }
    // A user with a number adds another one in the settings, which require a code.
    if ((await findDefaultDigits(smsOtp, req.user)) !== null) {
      res.redirect(303, smsOtp.hasSecondFactor(req) ? '/settings' : '/step-up');
      return;
    }
    const status = smsOtp.status(req);
    res.render('enroll', { notice: toNotice(status), waiting: status.pending });
  });

  router.post('/enroll', phones.enroll({ successRedirect: '/login/pin', failureRedirect: '/enroll' }));

  return router;
}
