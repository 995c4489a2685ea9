import { Router } from 'express';
import type { PasskeyOptions } from '../../docs/recipes/passkeys';
import type { AuthenticatorApps } from '../authenticator-app';
import type { BankOtp } from '../bank-login';
import { readField } from '../forms';
import { readQueryNotice, toNotice } from '../i18n';
import type { TextSwitch } from '../text-switch';
import { userOf, type Users } from '../users';
import { authenticatorAppPages } from './authenticator-app';
import { passkeyPages } from './passkeys';

interface SettingsParts {
  readonly authenticatorApps: AuthenticatorApps;
  readonly passkeyOptions: PasskeyOptions;
  readonly texts: TextSwitch;
  readonly users: Pick<Users, 'passkeys'>;
}

/**
 * Returns the routes of the bank's own settings: passkeys, authenticator apps, and whether login
 * codes are sent by text message.
 */
export function settingsPages(
  smsOtp: BankOtp,
  { authenticatorApps: apps, passkeyOptions, texts, users }: SettingsParts,
): Router {
  const { recoveryCodes, requireSecondFactor } = smsOtp;
  const router = Router();
  const passkeys = passkeyPages(smsOtp, users.passkeys, passkeyOptions, texts);
  router.use(passkeys.router, authenticatorAppPages(smsOtp, apps, texts));
  const page = requireSecondFactor({ maxAgeSeconds: 300 });
  const form = requireSecondFactor({ maxAgeSeconds: 300, redirect: '/settings' });

  router.get('/settings', page, async (req, res) => {
    const { id } = userOf(req);
    const done = readQueryNotice(req, {
      'app-added': ['info', 'settings.done.app-added'],
      'app-removed': ['info', 'settings.done.app-removed'],
      'passkey-added': ['info', 'settings.done.passkey-added'],
      'passkey-refused': ['error', 'passkey.notAdded'],
      'passkey-renamed': ['info', 'settings.done.passkey-renamed'],
      'passkey-removed': ['info', 'settings.done.passkey-removed'],
      'texts-off': ['info', 'settings.done.texts-off'],
      'texts-on': ['info', 'settings.done.texts-on'],
    });
    res.render('settings', {
      notice: toNotice(req, smsOtp.status(req)) ?? done,
      passkeys: await passkeys.list(req),
      hasApp: await apps.has(id),
      hasBetter: await texts.hasBetter(id),
      isTextOff: await texts.isOff(id),
      canSwitchTextsOff: await canSwitchTextsOff(id),
    });
  });

  router.post('/settings/texts', form, async (req, res) => {
    const { id } = userOf(req);
    const isOff = readField(req, 'texts') === 'off';
    if (isOff && !(await canSwitchTextsOff(id))) return res.redirect(303, '/settings');
    await texts.turn(id, isOff ? 'off' : 'on');
    res.redirect(303, isOff ? '/settings?texts-off' : '/settings?texts-on');
  });
  return router;

  /**
   * Returns whether a user may turn messages off: the user needs a better factor and recovery
   * codes.
   */
  async function canSwitchTextsOff(userId: string): Promise<boolean> {
    return (await texts.hasBetter(userId)) && (await recoveryCodes.count(userId)) > 0;
  }
}
