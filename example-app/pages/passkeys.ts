import { Router, type Request } from 'express';
import type { SmsOtpStatus } from 'passport-sms-otp';
import { passkeySettings, type PasskeyOptions } from '../../docs/recipes/passkeys';
import type { BankOtp } from '../bank-login';
import { readField } from '../forms';
import { readClock, readLocale, readQueryNotice, translateFor, type Notice } from '../i18n';
import type { PasskeyStore } from '../passkeys';
import type { TextSwitch } from '../text-switch';

export type PasskeyPages = ReturnType<typeof passkeyPages>;

/**
 * The settings of passkeys and of texted codes, and what the other pages show of them.
 * `bank-login.ts` has the login.
 */
export function passkeyPages(
  smsOtp: BankOtp,
  store: PasskeyStore,
  options: PasskeyOptions,
  texts: TextSwitch,
) {
  const { recoveryCodes, trustedDevices, logins, requireSecondFactor } = smsOtp;
  const settings = passkeySettings(store.book, options, {
    rpName: 'Harbour Credit Union',
    userName: ({ user }) => user?.name ?? '',
    passkeyName: (req, now) =>
      translateFor(req)('settings.passkeyOf', { date: formatDate(req, now) }),
  });
  const router = Router();
  // The script asks for the options, and leads to the settings when it is refused.
  const script = requireSecondFactor({ maxAgeSeconds: 300 });
  const form = requireSecondFactor({ maxAgeSeconds: 300, redirect: '/settings' });

  router.post('/settings/passkeys/options', script, settings.registrationOptions);
  router.post('/settings/passkeys', form, async (req, res) => {
    const passkey = await settings.register(req, parseJson(readField(req, 'credential')));
    res.redirect(303, passkey ? '/settings?passkey-added' : '/settings?passkey-refused');
  });
  router.post('/settings/passkeys/rename', form, async (req, res) => {
    await settings.rename(req, readField(req, 'passkeyId'), readField(req, 'name'));
    res.redirect(303, '/settings?passkey-renamed');
  });
  router.post('/settings/passkeys/remove', form, async (req, res) => {
    // Who removes a passkey may have lost the device: whatever was opened with it is closed.
    await settings.remove(req, readField(req, 'passkeyId'));
    await texts.afterRemoval(idOf(req));
    await trustedDevices.revokeAll(idOf(req));
    await logins.revokeAll(idOf(req), req);
    res.redirect(303, '/settings?passkey-removed');
  });
  router.post('/settings/texts', form, async (req, res) => {
    const isOff = readField(req, 'texts') === 'off';
    if (isOff && !(await canSwitchTextsOff(idOf(req)))) return res.redirect(303, '/settings');
    await texts.turn(idOf(req), isOff ? 'off' : 'on');
    res.redirect(303, isOff ? '/settings?texts-off' : '/settings?texts-on');
  });
  router.post(
    '/settings/passkeys/not-now',
    requireSecondFactor({ redirect: '/login' }),
    async (req, res) => {
      await store.dismissOffer(idOf(req));
      res.redirect(303, '/account');
    },
  );

  /** Texts are switched off by those alone who have something better, and a way back. */
  async function canSwitchTextsOff(userId: string): Promise<boolean> {
    return (await texts.hasBetter(userId)) && (await recoveryCodes.count(userId)) > 0;
  }

  return {
    router,
    hasAny: (req: Request) => store.hasAny(idOf(req)),
    /** Whether texts are off for who is logged in, or is logging in. */
    isTextOff: async ({ user, session }: Request) =>
      user ? await texts.isOff(user.id) : session.isTextOff === true,
    /** What is said of a passkey that was refused. The library's sentences are about codes. */
    readRefusal(req: Request, { pending, notice }: SmsOtpStatus): Notice | null {
      const isRefused =
        'passkey' in req.query && pending && (notice === 'wrong-code' || notice === 'expired');
      return isRefused ? { kind: 'error', text: translateFor(req)('passkey.refused') } : null;
    },
    /** Whether the account page offers a passkey: after a login by a texted code, once a week. */
    async isOffered(req: Request): Promise<boolean> {
      const { verified } = smsOtp.status(req);
      return (
        verified?.method === 'sms' &&
        (await store.isOffered(idOf(req), verified.at, readClock(req)))
      );
    },
    /** What the settings page shows. */
    describe: async (req: Request) => ({
      passkeys: await settings.list(req),
      hasBetter: await texts.hasBetter(idOf(req)),
      isTextOff: await texts.isOff(idOf(req)),
      canSwitchTextsOff: await canSwitchTextsOff(idOf(req)),
    }),
    readNotice: (req: Request) =>
      readQueryNotice(req, {
        'passkey-added': ['info', 'settings.done.passkey-added'],
        'passkey-refused': ['error', 'passkey.notAdded'],
        'passkey-renamed': ['info', 'settings.done.passkey-renamed'],
        'passkey-removed': ['info', 'settings.done.passkey-removed'],
        'texts-off': ['info', 'settings.done.texts-off'],
        'texts-on': ['info', 'settings.done.texts-on'],
      }),
  };
}

function parseJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // No response of a browser: it is refused as one.
  }
}

function formatDate(req: Request, date: Date): string {
  const locale = readLocale(req);
  return new Intl.DateTimeFormat(locale === 'en' ? 'en-US' : locale, {
    dateStyle: 'medium',
  }).format(date);
}

function idOf({ user }: Request): string {
  if (user === undefined) throw new Error('This page needs a guard');
  return user.id;
}
