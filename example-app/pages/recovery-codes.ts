import { Router } from 'express';
import type { BankOtp } from '../server';

/**
 * New recovery codes, in the answer to the form itself: they are shown once, so they rest nowhere for a redirect to show.
 * `settings.ts` stands in front and asks for the second factor.
 */
export function recoveryCodePages(smsOtp: BankOtp): Router {
  const router = Router();
  router.post('/settings/recovery-codes', async (req, res) => {
    if (req.user === undefined) throw new Error('Put settingsPages in front of this page');
    res.render('recovery-codes', { codes: await smsOtp.recoveryCodes.generate(req.user.id, req) });
  });
  return router;
}
