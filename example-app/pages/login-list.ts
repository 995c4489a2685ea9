import { Router } from 'express';
import type { BankOtp } from '../server';
import { settingsGuards, userOf } from './settings-guards';

/** The forms around the user's logins in this and other browsers. */
export function loginListPages(smsOtp: BankOtp): Router {
  const router = Router();
  const { logins } = smsOtp;
  const { form } = settingsGuards(smsOtp);

  router.post('/settings/logins/end', form, async (req, res) => {
    const { loginId } = req.body as { readonly loginId?: unknown }; // Express types a body as any
    if (typeof loginId === 'string') await logins.revoke(userOf(req).id, loginId, req);
    res.redirect(303, '/settings?ended');
  });

  router.post('/settings/logins/end-others', form, async (req, res) => {
    await logins.revokeAll(userOf(req).id, req);
    res.redirect(303, '/settings?ended-others');
  });
  return router;
}
