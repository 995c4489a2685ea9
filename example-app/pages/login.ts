import { Router, type Request, type RequestHandler } from 'express';
import type { PendingStatus, Purpose, Reason, SmsOtpStatus } from 'passport-sms-otp';
import { TRUSTED_DAYS, type BankOtp } from '../bank-login';
import type { Config } from '../config';
import { keepForm, takeForm } from '../forms';
import { readQueryNotice, toNotice } from '../i18n';
import { DEMO_PASSWORD } from '../users';
import { countryOf, listPhones } from './settings';

/** The pages around the login. `bank-login.ts` answers their forms. */
export function loginPages(smsOtp: BankOtp, config: Config): Router {
  const router = Router();
  router.get('/', (req, res) => {
    const notice = readQueryNotice(req, { 'logged-out': ['info', 'notice.loggedOut'] });
    res.render('home', { notice, demoPassword: DEMO_PASSWORD });
  });
  router.get('/login', showLogin(smsOtp));
  router.get('/login/pin', showCode(smsOtp));
  router.get('/step-up', showStepUp(smsOtp));
  router.get('/enroll', showEnroll(smsOtp, config));
  router.post(
    '/enroll',
    keepForm,
    smsOtp.phones.enroll({ successRedirect: '/login/pin', failureRedirect: '/enroll', ...countryOf(config) }),
  );
  return router;
}

function showLogin(smsOtp: BankOtp): RequestHandler {
  return (req, res) => {
    const status = smsOtp.status(req);
    if (req.user) {
      // The guard of the account has sent those who have passed no second factor.
      res.redirect(303, status.notice === 'second-factor-required' ? '/enroll' : '/account');
      return;
    }
    const problem = readQueryNotice(req, {
      'wrong-password': ['error', 'notice.wrongPassword'],
      ended: ['error', 'notice.loginEnded'],
      'timed-out': ['error', 'notice.timedOut'],
    });
    const notice = problem ?? toNotice(req, status);
    res.render('login', { notice, form: takeForm(req), waiting: mayEnterCode(status) ? status.pending : null });
  };
}

/** Waiting is all that helps: a page that says so does not ask for a code as well. */
const CLOSED: ReadonlySet<Reason | null> = new Set(['locked', 'disabled', 'send-limit', 'denied']);

function mayEnterCode({ notice }: SmsOtpStatus): boolean {
  return !CLOSED.has(notice);
}

/** The page that asks for a code, for every purpose, or for another way where no code can be entered. */
function showCode(smsOtp: BankOtp): RequestHandler {
  return (req, res) => {
    const status = smsOtp.status(req);
    const notice = toNotice(req, status);
    const home = req.user ? '/account' : '/login';
    const { now } = req.app.locals as { readonly now: () => number }; // set by `createApp`
    if (status.pending) {
      res.render('code', { notice, ...describePending(status.pending, status.notice, req, now()) });
    } else if (notice) {
      const [text, key] = req.user ? ['ended.loggedIn', 'ended.account'] : ['ended.loggedOut', 'ended.again'];
      res.render('message', { title: 'ended.title', text, notice, wayOut: { href: home, key } });
    } else if ('out-of-date' in req.query) {
      res.redirect(303, `${home}?out-of-date`);
    } else {
      // What is left of a pending login in the session tells those whose time is over from those who never began.
      res.redirect(303, req.session.smsOtp?.pending ? `${home}?timed-out` : home);
    }
  };
}

/** The route of the code form, by purpose. The purpose itself is decided by the challenge, whatever the route. */
const ACTIONS: Readonly<Record<Purpose, string>> = {
  login: '/login/pin',
  'step-up': '/login/pin',
  transaction: '/transfer/pin',
  enroll: '/settings/phones/pin',
};

/** After these the texted code is worthless, though a new one may be requested. */
const ENDS_CODE: ReadonlySet<Reason | null> = new Set(['too-many-attempts', 'expired', 'unconfirmed']);

/** Returns durations instead of times, because the clock of the browser may be wrong. */
function describePending(pending: PendingStatus, notice: Reason | null, req: Request, nowMs: number): object {
  const { purpose, isSent, maskedPhone, transaction, attemptsLeft, factors, expiresAt, resendAt } = pending;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  const isDead = attemptsLeft === 0 || expiresAt <= nowMs || ENDS_CODE.has(notice);
  const isClosed = notice === 'locked' || notice === 'disabled';
  const canResend = resendAt !== null && !isClosed;
  const takesRecoveryCode = factors.includes('recovery-code');
  // What helps comes first: a field for a code that no longer works does not.
  const withoutCode = canResend ? 'resend' : takesRecoveryCode ? 'recovery' : 'restart';
  return {
    lead: isSent && !isDead && !isClosed ? 'code' : withoutCode,
    purpose,
    isSent,
    action: ACTIONS[purpose],
    digits: maskedPhone.slice(-2),
    transaction,
    trustedDays: TRUSTED_DAYS,
    // Two numbers that end in the same digits cannot be told apart.
    otherPhones: (pending.phones ?? [])
      .filter((phone) => phone.maskedPhone !== maskedPhone)
      .map((phone) => ({ phoneId: phone.phoneId, digits: phone.maskedPhone.slice(-2) })),
    takesRecoveryCode,
    /** Which field the notice is about. */
    refused: notice === null ? null : takesRecoveryCode && 'recovery' in req.query ? 'recovery' : 'code',
    minutesLeft: Math.ceil(secondsUntil(expiresAt) / 60),
    // Said after a wrong code only: before, it would be one more thing to read.
    triesLeft: notice === 'wrong-code' && !('recovery' in req.query) ? attemptsLeft : null,
    canResend,
    resendSeconds: resendAt === null ? 0 : secondsUntil(resendAt),
  };
}

/** Explains why a new code is required, before it is sent. */
function showStepUp(smsOtp: BankOtp): RequestHandler {
  return async (req, res) => {
    if (!req.user) {
      res.redirect(303, '/login');
      return;
    }
    const [first] = await listPhones(smsOtp, req.user);
    if (!first?.isConfirmed) {
      res.redirect(303, '/enroll');
      return;
    }
    const status = smsOtp.status(req);
    // Without a text there is no code to enter, and the button does the same.
    const waiting = status.pending?.isSent === true && mayEnterCode(status) ? status.pending : null;
    res.render('step-up', { notice: toNotice(req, status), digits: first.digits, waiting });
  };
}

/** The first number, added after a login by password alone. */
function showEnroll(smsOtp: BankOtp, config: Config): RequestHandler {
  return async (req, res) => {
    if (!req.user) {
      res.redirect(303, '/login');
      return;
    }
    // A user with a number adds another one in the settings, which require a code.
    const [first] = await listPhones(smsOtp, req.user);
    if (first?.isConfirmed) {
      res.redirect(303, smsOtp.hasSecondFactor(req) ? '/settings' : '/step-up');
      return;
    }
    const status = smsOtp.status(req);
    const waiting = mayEnterCode(status) ? status.pending : null;
    res.render('enroll', { notice: toNotice(req, status), form: takeForm(req), waiting, ...countryOf(config) });
  };
}
