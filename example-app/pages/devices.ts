import { Router } from 'express';
import type { BankOtp } from '../server';
import { settingsGuards, userOf } from './settings-guards';

/** The forms around trusted devices. */
export function devicePages(smsOtp: BankOtp): Router {
  const router = Router();
  const { trustedDevices } = smsOtp;
  const { form } = settingsGuards(smsOtp);

  router.post('/settings/devices/forget', form, async (req, res) => {
    const { deviceId } = req.body as { readonly deviceId?: unknown }; // Express types a body as any
    if (typeof deviceId === 'string') await trustedDevices.revoke(userOf(req).id, deviceId);
    res.redirect(303, '/settings?forgotten');
  });

  router.post('/settings/devices/forget-all', form, async (req, res) => {
    await trustedDevices.revokeAll(userOf(req).id);
    res.redirect(303, '/settings?forgotten');
  });
  return router;
}
