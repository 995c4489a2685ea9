import { Router } from 'express';
import type { BankOtp } from '../server';
import { settingsGuards, userOf } from './settings-guards';

/** Shows new recovery codes in the response to the form: they are shown once and stored nowhere, so there is no redirect. */
export function recoveryCodePages(smsOtp: BankOtp): Router {
  const router = Router();
  router.post('/settings/recovery-codes', settingsGuards(smsOtp).form, async (req, res) => {
    const codes = await smsOtp.recoveryCodes.generate(userOf(req).id, req);
    res.render('recovery-codes', { codes });
  });
  return router;
}
