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
    const status = smsOtp.status(req);
    // Without a text there is no code to enter, and the button does the same.
    const waiting = status.pending?.isSent === true ? status.pending : null;
    res.render('step-up', { notice: toNotice(status), digits, waiting });
  });
  return router;
}
