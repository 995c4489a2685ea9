import { Router } from 'express';
import type { BankOtp } from '../server';
import { toNotice } from '../notices';
import { findDefaultDigits } from './own-phones';

/** Explains why a new code is required, before it is sent. */
export function stepUpPages(smsOtp: BankOtp): Router {
  const router = Router();
  router.get('/step-up', async (req, res) => {
    if (!req.user) {
      res.redirect(303, '/login');
      return;
    }
    const digits = await findDefaultDigits(smsOtp, req.user);
    if (digits === null) {
      res.redirect(303, '/enroll');
      return;
    }
    const { notice, pending } = smsOtp.status(req);
    res.render('step-up', { notice: toNotice(notice), digits, isCodeWaiting: pending !== null });
  });
  return router;
}
