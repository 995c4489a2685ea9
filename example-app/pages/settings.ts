import { Router } from 'express';
import type { TextKey } from '../i18n/translate';
import { toNotice } from '../notices';
import type { BankOtp } from '../server';
import { listPhones } from './own-phones';
import { settingsGuards, userOf } from './settings-guards';

/** The query parameters that report a completed action: forms redirect here. */
const DONE: readonly (readonly [name: string, key: TextKey])[] = [
  ['confirmed', 'settings.done.confirmed'],
  ['removed', 'settings.done.removed'],
  ['default', 'settings.done.default'],
  ['forgotten', 'settings.done.forgotten'],
  ['ended', 'settings.done.ended'],
  ['ended-others', 'settings.done.endedOthers'],
];

/** Everything that protects the account, on one page. */
export function settingsPages(smsOtp: BankOtp): Router {
  const router = Router();
  router.get('/settings', settingsGuards(smsOtp).page, async (req, res) => {
    const user = userOf(req);
    res.render('settings', {
      notice: toNotice(smsOtp.status(req)),
      done: DONE.find(([name]) => name in req.query)?.[1],
      phones: await listPhones(smsOtp, user),
      codesLeft: await smsOtp.recoveryCodes.count(user.id),
      devices: await smsOtp.trustedDevices.list(user.id),
      logins: await smsOtp.logins.list(user.id, req),
    });
  });
  return router;
}
