import { randomUUID } from 'node:crypto';
import { Router, type Request, type RequestHandler } from 'express';
import { RecoveryCodesError } from 'passport-sms-otp';
import type { BankOtp } from '../bank-login';
import type { Config } from '../config';
import { keepForm, readField, takeForm } from '../forms';
import { toNotice, translateFor, type Notice } from '../i18n';
import type { FactorPages } from './login';

/** Pages that protect the account require a code no older than this. */
const MAX_AGE_SECONDS = 300;

/** Everything that protects the account, on one page. */
export function settingsPages(
  smsOtp: BankOtp,
  config: Config,
  { apps, passkeys }: FactorPages,
): Router {
  const { phones, recoveryCodes, trustedDevices, logins, requireSecondFactor } = smsOtp;
  const router = Router();
  // For pages: requires a new code, then returns to the page.
  const page = requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/step-up' });
  // For forms: redirects to the page, which requires a code. The user submits the form again.
  const form = requireSecondFactor({ maxAgeSeconds: MAX_AGE_SECONDS, redirect: '/settings' });

  router.get('/settings', page, async (req, res) => {
    const { id } = userOf(req);
    const problem = toNotice(req, smsOtp.status(req));
    const refused = ['add', 'change'].find((name) => problem && name in req.query) ?? null;
    res.render('settings', {
      notice: refused
        ? null
        : (problem ?? readDone(req) ?? apps.readNotice(req) ?? passkeys.readNotice(req)),
      /** The form that stays open with what was typed into it, and why it was refused. */
      refused: refused && { form: refused, notice: problem, ...takeForm(req) },
      phones: await phones.list(userOf(req)),
      codesLeft: await recoveryCodes.count(id),
      devices: await trustedDevices.list(id),
      logins: await logins.list(id, req),
      hasApp: await apps.has(req),
      ...(await passkeys.describe(req)),
      ...countryOf(config),
    });
  });

  const toCode = { successRedirect: '/login/pin', ...countryOf(config) };
  const add = phones.enroll({ ...toCode, failureRedirect: '/settings?add' });
  const change = phones.enroll({ ...toCode, failureRedirect: '/settings?change', replaces: true });
  router.post('/settings/phones', form, keepForm, add);
  router.post('/settings/phones/change', form, keepForm, change);
  // No guard here: a user who adds a first number has no second factor yet. The library checks it
  // where there is one.
  const confirm = phones.confirm({
    successRedirect: '/settings?confirmed',
    failureRedirect: '/login/pin',
  });
  router.post('/settings/phones/pin', confirm);
  const remove = phones.remove({
    successRedirect: '/settings?removed',
    failureRedirect: '/settings',
  });
  const prefer = phones.setDefault({
    successRedirect: '/settings?default',
    failureRedirect: '/settings',
  });
  router.post('/settings/phones/remove', form, remove);
  router.post('/settings/phones/default', form, prefer);

  router.get('/settings/recovery-codes', page, async (req, res) => {
    const codesLeft = await recoveryCodes.count(userOf(req).id);
    res.render('recovery-codes', { codes: null, codesLeft, formId: randomUUID() });
  });
  // The codes are shown once and stored nowhere, so there is no redirect. The same form sent again,
  // by a double click or a reload, makes no new ones.
  router.post('/settings/recovery-codes', form, async (req, res) => {
    try {
      const formId = readField(req, 'formId');
      const codes = await recoveryCodes.generate(userOf(req).id, req, { form: formId });
      res.render('recovery-codes', { codes });
    } catch (error) {
      if (!(error instanceof RecoveryCodesError)) throw error;
      res.redirect(303, '/settings?codes-shown');
    }
  });

  const revoke =
    (done: string, work: (req: Request, userId: string) => Promise<unknown>): RequestHandler =>
    async (req, res) => {
      await work(req, userOf(req).id);
      res.redirect(303, `/settings?${done}`);
    };
  const forget = revoke('forgotten', (req, id) =>
    trustedDevices.revoke(id, readField(req, 'deviceId') ?? ''),
  );
  const forgetAll = revoke('forgotten', (_req, id) => trustedDevices.revokeAll(id));
  const end = revoke('ended', (req, id) => logins.revoke(id, readField(req, 'loginId') ?? '', req));
  const endOthers = revoke('ended-others', (req, id) => logins.revokeAll(id, req));
  router.post('/settings/devices/forget', form, forget);
  router.post('/settings/devices/forget-all', form, forgetAll);
  router.post('/settings/logins/end', form, end);
  router.post('/settings/logins/end-others', form, endOthers);
  return router;
}

const DONE = [
  'confirmed',
  'removed',
  'default',
  'forgotten',
  'ended',
  'ended-others',
  'codes-shown',
] as const;

function readDone(req: Request): Notice | null {
  const done = DONE.find((name) => name in req.query);
  return done ? { kind: 'info', text: translateFor(req)(`settings.done.${done}`) } : null;
}

/** Where one country alone is texted, its national numbers are understood. */
export function countryOf({ allowedCountries }: Config): { readonly defaultCountry?: string } {
  const [country] = allowedCountries.length === 1 ? allowedCountries : [];
  return country === undefined ? {} : { defaultCountry: country };
}

function userOf({ user }: Request): Express.User {
  if (user === undefined) throw new Error('This page needs a guard');
  return user;
}
