import { Router, type Request } from 'express';
import type { TextKey } from '../i18n/translate';
import { toNotice } from '../notices';
import type { BankOtp } from '../server';
import { listPhones } from './own-phones';

/** What has just been done, as the address tells it: a form answers with a redirect. */
const DONE: readonly (readonly [name: string, key: TextKey])[] = [
  ['confirmed', 'settings.done.confirmed'],
  ['removed', 'settings.done.removed'],
  ['default', 'settings.done.default'],
  ['forgotten', 'settings.done.forgotten'],
];

/** Everything that the account is protected by, behind a code that is no older than this. */
export const SETTINGS_MAX_AGE_SECONDS = 300;

/** Numbers and trusted devices. */
export function settingsPages(smsOtp: BankOtp): Router {
  const router = Router();
  const { phones, trustedDevices } = smsOtp;
  const failureRedirect = '/settings';

  // The code of a new number is answered here as well; whether its user may have one is asked by the library itself.
  router.post(
    '/settings/phones/pin',
    phones.confirm({ successRedirect: '/settings?confirmed', failureRedirect: '/login/pin' }),
  );

  router.use(
    '/settings',
    smsOtp.requireSecondFactor({ maxAgeSeconds: SETTINGS_MAX_AGE_SECONDS, redirect: '/step-up' }),
  );

  router.get('/settings', async (req, res) => {
    const user = userOf(req);
    const { notice } = smsOtp.status(req);
    res.render('settings', {
      notice: toNotice(notice),
      done: DONE.find(([name]) => name in req.query)?.[1],
      phones: await listPhones(smsOtp, user),
      codesLeft: await smsOtp.recoveryCodes.count(user.id),
      devices: await trustedDevices.list(user.id),
    });
  });

  const toCode = { successRedirect: '/login/pin', failureRedirect };
  router.post('/settings/phones', phones.enrol(toCode));
  router.post('/settings/phones/change', phones.enrol({ ...toCode, replaces: true }));
  router.post(
    '/settings/phones/remove',
    phones.remove({ successRedirect: '/settings?removed', failureRedirect }),
  );
  router.post(
    '/settings/phones/default',
    phones.setDefault({ successRedirect: '/settings?default', failureRedirect }),
  );

  router.post('/settings/devices/forget', async (req, res) => {
    const { deviceId } = req.body as { readonly deviceId?: unknown }; // Express types a body as any
    if (typeof deviceId === 'string') await trustedDevices.revoke(userOf(req).id, deviceId);
    res.redirect(303, '/settings?forgotten');
  });
  router.post('/settings/devices/forget-all', async (req, res) => {
    await trustedDevices.revokeAll(userOf(req).id);
    res.redirect(303, '/settings?forgotten');
  });

  return router;
}

/** @throws {Error} without the guard in front. */
function userOf({ user }: Request): Express.User {
  if (user === undefined) throw new Error('Put requireSecondFactor in front of this page');
  return user;
}
