import { Router } from 'express';
import { toString as drawQrCode } from 'qrcode';
import type { AuthenticatorApps } from '../authenticator-app';
import type { BankOtp } from '../bank-login';
import { readField } from '../forms';
import { readQueryNotice } from '../i18n';
import type { TextSwitch } from '../text-switch';
import { userOf } from '../users';

declare module 'express-session' {
  interface SessionData {
    /** The sealed secret of an authenticator app until its first code confirms it. */
    authenticatorApp?: string;
  }
}

/** Returns the routes of the settings for authenticator apps. */
export function authenticatorAppPages(
  { requireSecondFactor, logins, trustedDevices }: BankOtp,
  apps: AuthenticatorApps,
  texts: TextSwitch,
): Router {
  const router = Router();
  const page = requireSecondFactor({ maxAgeSeconds: 300 });
  const form = requireSecondFactor({ maxAgeSeconds: 300, redirect: '/settings' });

  router.get('/settings/authenticator-app', page, async (req, res) => {
    if (await apps.has(userOf(req).id)) return res.redirect(303, '/settings');
    const { sealed, uri, key } = await apps.create(userOf(req), req.session.authenticatorApp);
    req.session.authenticatorApp = sealed;
    res.render('authenticator-app', {
      notice: readQueryNotice(req, { 'wrong-code': ['error', 'app.wrong'] }),
      uri,
      key: key.match(/.{1,4}/g),
      qrCode: await drawQrCode(uri, { type: 'svg' }),
    });
  });

  // Activate it only after a right code, so that a failed scan does not lock the user out.
  router.post('/settings/authenticator-app', form, async (req, res) => {
    const { authenticatorApp: waiting } = req.session;
    if (!waiting) return res.redirect(303, '/settings');
    const isRight = await apps.confirm(userOf(req), waiting, readField(req, 'pin') ?? '');
    if (!isRight) return res.redirect(303, '/settings/authenticator-app?wrong-code');
    delete req.session.authenticatorApp;
    res.redirect(303, '/settings?app-added');
  });

  router.post('/settings/authenticator-app/remove', form, async (req, res) => {
    const { id } = userOf(req);
    await apps.remove(id);
    await texts.afterRemoval(id);
    // The user may have lost the phone, so end all other logins that it opened.
    await trustedDevices.revokeAll(id);
    await logins.revokeAll(id, req);
    res.redirect(303, '/settings?app-removed');
  });
  return router;
}
