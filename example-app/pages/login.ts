import { Router, type Request } from 'express';
import type { PendingStatus, Purpose, Reason, SmsOtpStatus } from 'passport-sms-otp';
import { TRUSTED_DAYS, type BankOtp } from '../bank-login';
import type { Config } from '../config';
import { keepForm, takeForm } from '../forms';
import { readClock, readQueryNotice, toNotice } from '../i18n';
import { DEMO_PASSWORD } from '../users';
import type { AuthenticatorAppPages } from './authenticator-app';
import type { PasskeyPages } from './passkeys';
import { countryOf } from './settings';

/** What the pages of the login and the settings show of the factors beside texts. */
export interface FactorPages {
  readonly apps: AuthenticatorAppPages;
  readonly passkeys: PasskeyPages;
}

/** The pages around the login. `bank-login.ts` answers their forms. */
export function loginPages(
  smsOtp: BankOtp,
  config: Config,
  { apps, passkeys }: FactorPages,
): Router {
  const router = Router();

  router.get('/', (req, res) => {
    const notice = readQueryNotice(req, { 'logged-out': ['info', 'notice.loggedOut'] });
    res.render('home', { notice, demoPassword: DEMO_PASSWORD });
  });

  router.get('/login', (req, res) => {
    const status = smsOtp.status(req);
    if (req.user) return res.redirect(303, '/account');
    const problem = readQueryNotice(req, {
      'wrong-password': ['error', 'notice.wrongPassword'],
      'timed-out': ['error', 'notice.timedOut'],
    });
    res.render('login', {
      notice: problem ?? toNotice(req, status),
      form: takeForm(req),
      waiting: waitingCode(status),
    });
  });

  // Asks for a code, for every purpose, or for another way where no code can be entered.
  router.get('/login/pin', async (req, res) => {
    const status = smsOtp.status(req);
    const refusedPasskey = passkeys.readRefusal(req, status);
    // The button for another text counts the wait down: one wait is enough on a page.
    const isCounted = COUNTED.has(status.notice) && (status.pending?.resendAt ?? null) !== null;
    const shown = isCounted ? { ...status, retryAt: 0 } : status;
    const notice = refusedPasskey ?? toNotice(req, shown);
    const home = req.user ? '/account' : '/login';
    if (status.pending) {
      const isTextOff = await passkeys.isTextOff(req);
      const reason = refusedPasskey ? null : status.notice;
      return res.render('code', {
        notice,
        ...describePending(status.pending, reason, req, isTextOff),
      });
    }
    if (notice) {
      const [text, key] = req.user
        ? ['ended.loggedIn', 'ended.account']
        : ['ended.loggedOut', 'ended.again'];
      return res.render('message', {
        title: 'ended.title',
        text,
        notice,
        wayOut: { href: home, key },
      });
    }
    if ('out-of-date' in req.query) return res.redirect(303, `${home}?out-of-date`);
    // What is left of a pending login in the session tells those whose time is over from those who
    // never began.
    res.redirect(303, req.session.smsOtp?.pending ? `${home}?timed-out` : home);
  });

  // Explains why a new code is required, before it is sent.
  router.get('/step-up', async (req, res) => {
    if (!req.user) return res.redirect(303, '/login');
    const [first] = await smsOtp.phones.list(req.user);
    if (!first?.isConfirmed) return res.redirect(303, '/enroll');
    const status = smsOtp.status(req);
    // Without a text there is no code to enter, and the button does the same.
    const waiting = status.pending?.isSent ? waitingCode(status) : null;
    const better = (await passkeys.hasAny(req)) ? 'passkey' : (await apps.has(req)) ? 'app' : null;
    res.render('step-up', {
      notice: toNotice(req, status),
      digits: first.maskedPhone.slice(-2),
      waiting,
      better,
    });
  });

  // The first number, added after a login by password alone.
  router.get('/enroll', async (req, res) => {
    if (!req.user) return res.redirect(303, '/login');
    // A user with a number adds another one in the settings, which require a code.
    const [first] = await smsOtp.phones.list(req.user);
    if (first?.isConfirmed)
      return res.redirect(303, smsOtp.hasSecondFactor(req) ? '/settings' : '/step-up');
    const status = smsOtp.status(req);
    const notice = toNotice(req, status);
    res.render('enroll', {
      notice,
      form: takeForm(req),
      waiting: waitingCode(status),
      ...countryOf(config),
    });
  });
  // What the form links to beside its number.
  router.get('/privacy', (_req, res) => {
    const wayOut = { href: '/enroll', key: 'enroll.title' };
    res.render('message', { title: 'privacy.title', text: 'privacy.text', wayOut });
  });

  const enroll = {
    successRedirect: '/login/pin',
    failureRedirect: '/enroll',
    ...countryOf(config),
  };
  router.post('/enroll', keepForm, smsOtp.phones.enroll(enroll));
  return router;
}

/** After these it is the next text that is waited for. */
const COUNTED: ReadonlySet<Reason | null> = new Set(['resend-too-soon', 'not-sent']);

/** Waiting is all that helps: a page that says so does not ask for a code as well. */
const CLOSED: ReadonlySet<Reason | null> = new Set(['locked', 'disabled', 'send-limit', 'denied']);

/** Returns the login that waits for its code; null when no code may be entered. */
function waitingCode({ notice, pending }: SmsOtpStatus): PendingStatus | null {
  return CLOSED.has(notice) ? null : pending;
}

/**
 * The route of the code form, by purpose. The purpose itself is decided by the challenge, whatever
 * the route.
 */
const ACTIONS: Partial<Record<Purpose, string>> = {
  transaction: '/transfer/pin',
  enroll: '/settings/phones/pin',
};

/** After these the texted code is worthless, though a new one may be requested. */
const ENDS_CODE: ReadonlySet<Reason | null> = new Set([
  'too-many-attempts',
  'expired',
  'unconfirmed',
]);

/** Returns durations instead of times, because the clock of the browser may be wrong. */
function describePending(
  pending: PendingStatus,
  notice: Reason | null,
  req: Request,
  isTextOff: boolean,
): object {
  const nowMs = readClock(req);
  const { purpose, isSent, maskedPhone, transaction, attemptsLeft, factors, expiresAt, resendAt } =
    pending;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  // Each factor has its own lock, and its own tries.
  const refusedFactor = 'app' in req.query ? 'totp' : 'passkey' in req.query ? 'passkey' : 'sms';
  const ofText = refusedFactor === 'sms' && !('recovery' in req.query) ? notice : null;
  const isDead = attemptsLeft === 0 || expiresAt <= nowMs || ENDS_CODE.has(ofText);
  const isUsedUp = (factor: string) => notice === 'too-many-attempts' && factor === refusedFactor;
  const isLocked = (factor: string) =>
    notice === 'disabled' || (notice === 'locked' && factor === refusedFactor);
  const isClosed = isLocked('sms');
  const canResend = resendAt !== null && !isClosed && !isTextOff;
  const takesRecoveryCode = factors.includes('recovery-code');
  const takes = (factor: string) =>
    factors.includes(factor) && !isUsedUp(factor) && !isLocked(factor);
  const takesAppCode = takes('totp');
  const takesPasskey = takes('passkey');
  // What helps comes first: a field for a code that no longer works does not.
  const withoutBetter = canResend ? 'resend' : takesRecoveryCode ? 'recovery' : 'restart';
  const withoutCode = takesPasskey ? 'passkey' : takesAppCode ? 'app' : withoutBetter;
  return {
    lead: isSent && !isDead && !isClosed ? 'code' : withoutCode,
    purpose,
    isSent,
    action: ACTIONS[purpose] ?? '/login/pin',
    digits: maskedPhone.slice(-2),
    transaction,
    trustedDays: TRUSTED_DAYS,
    // Two numbers that end in the same digits cannot be told apart.
    otherPhones: (pending.phones ?? [])
      .filter((phone) => phone.maskedPhone !== maskedPhone)
      .map((phone) => ({ phoneId: phone.phoneId, digits: phone.maskedPhone.slice(-2) })),
    takesRecoveryCode,
    takesAppCode,
    takesPasskey,
    isTextOff,
    /** The notice says that no text has gone out. */
    isNotSent: notice === 'not-sent' || (notice === 'resend-too-soon' && purpose === 'login'),
    /** Which field the notice is about. */
    refused:
      notice === null
        ? null
        : takesRecoveryCode && 'recovery' in req.query
          ? 'recovery'
          : refusedFactor === 'totp'
            ? 'app'
            : COUNTED.has(notice)
              ? 'text'
              : 'code',
    minutesLeft: Math.ceil(secondsUntil(expiresAt) / 60),
    // Said after a wrong code only: before, it would be one more thing to read.
    triesLeft: ofText === 'wrong-code' ? attemptsLeft : null,
    canResend,
    resendSeconds: resendAt === null ? 0 : secondsUntil(resendAt),
  };
}
