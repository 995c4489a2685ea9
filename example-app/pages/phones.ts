import { Router } from 'express';
import type { BankOtp } from '../server';
import { settingsGuards } from './settings-guards';

/** The forms around the user's numbers. */
export function phonePages(smsOtp: BankOtp): Router {
  const router = Router();
  const { phones } = smsOtp;
  const { form } = settingsGuards(smsOtp);
  const failureRedirect = '/settings';

  const toCode = { successRedirect: '/login/pin', failureRedirect };
  router.post('/settings/phones', form, phones.enroll(toCode));
  router.post('/settings/phones/change', form, phones.enroll({ ...toCode, replaces: true }));

  // No guard here: a user who adds a first number has no second factor yet. The library checks it where there is one.
  router.post(
    '/settings/phones/pin',
    phones.confirm({ successRedirect: '/settings?confirmed', failureRedirect: '/login/pin' }),
  );
  router.post(
    '/settings/phones/remove',
    form,
    phones.remove({ successRedirect: '/settings?removed', failureRedirect }),
  );
  router.post(
    '/settings/phones/default',
    form,
    phones.setDefault({ successRedirect: '/settings?default', failureRedirect }),
  );
  return router;
}
