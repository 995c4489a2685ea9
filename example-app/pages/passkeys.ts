import { Router, type Request } from 'express';
import { passkeySettings, type PasskeyOptions } from '../../docs/recipes/passkeys';
import type { BankOtp } from '../bank-login';
import { readField } from '../forms';
import { readLocale, translateFor } from '../i18n';
import type { PasskeyStore } from '../passkeys';
import type { TextSwitch } from '../text-switch';
import { userOf } from '../users';

/** Returns the routes of the settings for passkeys. */
export function passkeyPages(
  { trustedDevices, logins, requireSecondFactor }: BankOtp,
  store: PasskeyStore,
  options: PasskeyOptions,
  texts: TextSwitch,
) {
  const settings = passkeySettings(store.book, options, {
    rpName: 'Harbour Credit Union',
    userName: ({ user }) => user?.name ?? '',
    passkeyName: (req, now) =>
      translateFor(req)('settings.passkeyOf', { date: formatDate(req, now) }),
  });
  const router = Router();
  // A script requests the options. If it is refused, it redirects to the settings.
  const form = requireSecondFactor({ maxAgeSeconds: 300, redirect: '/settings' });

  router.post('/settings/passkeys/options', form, settings.registrationOptions);
  router.post('/settings/passkeys', form, async (req, res) => {
    const passkey = await settings.register(req, parseJson(readField(req, 'credential')));
    res.redirect(303, passkey ? '/settings?passkey-added' : '/settings?passkey-refused');
  });
  router.post('/settings/passkeys/rename', form, async (req, res) => {
    await settings.rename(req, readField(req, 'passkeyId'), readField(req, 'name'));
    res.redirect(303, '/settings?passkey-renamed');
  });
  router.post('/settings/passkeys/remove', form, async (req, res) => {
    const { id } = userOf(req);
    await settings.remove(req, readField(req, 'passkeyId'));
    await texts.afterRemoval(id);
    // The user may have lost the device, so end all other logins that it opened.
    await trustedDevices.revokeAll(id);
    await logins.revokeAll(id, req);
    res.redirect(303, '/settings?passkey-removed');
  });
  router.post('/settings/passkeys/not-now', requireSecondFactor(), async (req, res) => {
    await store.dismissOffer(userOf(req).id);
    res.redirect(303, '/account');
  });
  return { router, list: settings.list };
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Refuse it like a wrong response: it is not the response of a browser.
  }
}

function formatDate(req: Request, date: Date): string {
  const locale = readLocale(req);
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-US' : locale, {
    dateStyle: 'medium',
  }).format(date);
}
