import { randomUUID } from 'node:crypto';
import { Router, type Request, type RequestHandler } from 'express';
import type { ListedPhone } from 'passport-sms-otp';
import type { BankOtp } from '../bank-login';
import type { Config } from '../config';
import { keepForm, readField, takeForm } from '../forms';
import { readQueryNotice, toNotice } from '../i18n';

declare module 'express-session' {
  interface SessionData {
    /** The form that may make recovery codes, once. */
    codesForm?: string;
  }
}

/** Pages that protect the account require a code no older than this. */
const MAX_AGE_SECONDS = 300;

/** Everything that protects the account, on one page. */
export function settingsPages(smsOtp: BankOtp, config: Config): Router {
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
      notice: refused ? null : (problem ?? readQueryNotice(req, DONE)),
      /** The form that stays open with what was typed into it, and why it was refused. */
      refused: refused && { form: refused, notice: problem, ...takeForm(req) },
      phones: await listPhones(smsOtp, userOf(req)),
      codesLeft: await recoveryCodes.count(id),
      devices: await trustedDevices.list(id),
      logins: await logins.list(id, req),
      ...countryOf(config),
    });
  });

  const toCode = { successRedirect: '/login/pin', ...countryOf(config) };
  const add = phones.enroll({ ...toCode, failureRedirect: '/settings?add' });
  const change = phones.enroll({ ...toCode, failureRedirect: '/settings?change', replaces: true });
  router.post('/settings/phones', form, keepForm, add);
  router.post('/settings/phones/change', form, keepForm, change);
  // No guard here: a user who adds a first number has no second factor yet. The library checks it where there is one.
  router.post(
    '/settings/phones/pin',
    phones.confirm({ successRedirect: '/settings?confirmed', failureRedirect: '/login/pin' }),
  );
  const failureRedirect = '/settings';
  const remove = phones.remove({ successRedirect: '/settings?removed', failureRedirect });
  const prefer = phones.setDefault({ successRedirect: '/settings?default', failureRedirect });
  router.post('/settings/phones/remove', form, remove);
  router.post('/settings/phones/default', form, prefer);

  router.get('/settings/recovery-codes', page, async (req, res) => {
    req.session.codesForm = randomUUID();
    const codesLeft = await recoveryCodes.count(userOf(req).id);
    res.render('recovery-codes', { codes: null, codesLeft, formId: req.session.codesForm });
  });
  // The codes are shown once and stored nowhere, so there is no redirect; reloading the page makes no new ones.
  router.post('/settings/recovery-codes', form, async (req, res) => {
    const { codesForm } = req.session;
    if (codesForm === undefined || readField(req, 'formId') !== codesForm) {
      res.redirect(303, '/settings?codes-shown');
      return;
    }
    delete req.session.codesForm;
    res.render('recovery-codes', { codes: await recoveryCodes.generate(userOf(req).id, req) });
  });

  /** Revokes the entry that the form names, or all. */
  const revoke =
    (what: typeof trustedDevices | typeof logins, field: string, done: string): RequestHandler =>
    async (req, res) => {
      const id = readField(req, field);
      if (id !== undefined) await what.revoke(userOf(req).id, id, req);
      else await what.revokeAll(userOf(req).id, req);
      res.redirect(303, `/settings?${done}`);
    };
  router.post(
    '/settings/devices/forget',
    form,
    requireField('deviceId'),
    revoke(trustedDevices, 'deviceId', 'forgotten'),
  );
  router.post('/settings/devices/forget-all', form, revoke(trustedDevices, '', 'forgotten'));
  router.post('/settings/logins/end', form, requireField('loginId'), revoke(logins, 'loginId', 'ended'));
  router.post('/settings/logins/end-others', form, revoke(logins, '', 'ended-others'));
  return router;
}

/** Forms redirect to the settings with one of these. */
const DONE = {
  confirmed: ['info', 'settings.done.confirmed'],
  removed: ['info', 'settings.done.removed'],
  default: ['info', 'settings.done.default'],
  forgotten: ['info', 'settings.done.forgotten'],
  ended: ['info', 'settings.done.ended'],
  'ended-others': ['info', 'settings.done.endedOthers'],
  'codes-shown': ['info', 'settings.done.codesShown'],
} as const;

function requireField(name: string): RequestHandler {
  return (req, res, next) => (readField(req, name) === undefined ? res.redirect(303, '/settings') : next());
}

/** Returns the user's numbers, the default first. */
export async function listPhones(
  { phones }: BankOtp,
  user: Express.User,
): Promise<readonly (ListedPhone & { readonly digits: string })[]> {
  return (await phones.list(user)).map((phone) => ({ ...phone, digits: phone.maskedPhone.slice(-2) }));
}

/** Where one country alone is texted, its national numbers are understood. */
export function countryOf({ allowedCountries }: Config): { readonly defaultCountry?: string } {
  const [country] = allowedCountries.length === 1 ? allowedCountries : [];
  return country === undefined ? {} : { defaultCountry: country };
}

/** @throws {Error} when no guard ran before. */
function userOf({ user }: Request): Express.User {
  if (user === undefined) throw new Error('This page needs a guard');
  return user;
}
