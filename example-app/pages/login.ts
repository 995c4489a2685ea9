import { Router } from 'express';
import type { BankOtp } from '../server';
import { toNotice } from '../notices';

/** The page that asks for the password; `server.ts` answers its form. */
export function loginPages(smsOtp: BankOtp): Router {
  const router = Router();

  router.get('/login', (req, res) => {
    if (req.user) {
      res.redirect(303, smsOtp.hasSecondFactor(req) ? '/account' : '/enroll');
      return;
    }
    const { notice, pending } = smsOtp.status(req);
    const reason = 'wrong-password' in req.query ? 'wrong-password' : notice;
    res.render('login', { notice: toNotice(reason), isCodeWaiting: pending !== null });
  });

  return router;
}
