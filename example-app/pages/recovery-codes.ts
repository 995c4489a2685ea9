import { Router } from 'express';
import type { BankOtp } from '../server';
import { settingsGuards, userOf } from './settings-guards';

/** New recovery codes, in the answer to the form itself: they are shown once, so they rest nowhere for a redirect to show. */
export function recoveryCodePages(smsOtp: BankOtp): Router {
  const router = Router();
  router.post('/settings/recovery-codes', settingsGuards(smsOtp).form, async (req, res) => {
    const codes = await smsOtp.recoveryCodes.generate(userOf(req).id, req);
    res.render('recovery-codes', { codes });
  });
  return router;
}
