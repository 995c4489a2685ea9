import { Router } from 'express';
import type { Reason } from 'passport-sms-otp';
import type { BankOtp } from '../bank-login';
import { takeName } from '../forms';
import { readQueryNotice, toNotice, translateFor, type Notice } from '../i18n';
import { DEMO_PASSWORD } from '../users';

/** Reasons after which the user can only wait, so that the page does not lead to the code. */
const CLOSED: ReadonlySet<Reason | null> = new Set(['locked', 'disabled', 'send-limit', 'denied']);

/**
 * Returns the routes of the pages before the second factor. `bank-login.ts` handles their forms.
 */
export function loginPages(smsOtp: BankOtp): Router {
  const router = Router();

  router.get('/', (req, res) => {
    const notice = readQueryNotice(req, { 'logged-out': ['info', 'notice.loggedOut'] });
    res.render('home', { notice, demoPassword: DEMO_PASSWORD });
  });

  router.get('/login', (req, res) => {
    if (req.user) return res.redirect(303, '/account');
    const status = smsOtp.status(req);
    // The session still names a pending login that has expired.
    const isTimedOut = status.pending === null && req.session.smsOtp?.pending !== undefined;
    const timedOut: Notice = { kind: 'error', text: translateFor(req)('notice.timedOut') };
    res.render('login', {
      notice: toNotice(req, status) ?? (isTimedOut ? timedOut : null),
      username: takeName(req),
      waiting: CLOSED.has(status.notice) ? null : status.pending,
    });
  });

  // The footer links to this page, for users who add a number.
  router.get('/privacy', (_req, res) => {
    const wayOut = { href: '/', key: 'error.firstPage' };
    res.render('message', { title: 'privacy.title', text: 'privacy.text', wayOut });
  });
  return router;
}
