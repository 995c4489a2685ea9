import { Router } from 'express';
import type { PendingStatus, Reason, SmsOtp } from 'passport-sms-otp';
import { toNotice } from '../notices';

/** The pages that ask for the password and for the code; `server.ts` answers their forms. */
export function loginPages(smsOtp: SmsOtp, now: () => number): Router {
  const router = Router();

  router.get('/login', (req, res) => {
    if (req.user) {
      res.redirect(303, '/account');
      return;
    }
    const { notice, pending } = smsOtp.status(req);
    const reason = 'wrong-password' in req.query ? 'wrong-password' : notice;
    res.render('login', { notice: toNotice(reason), isCodeWaiting: pending !== null });
  });

  router.get('/login/pin', (req, res) => {
    const { notice, pending } = smsOtp.status(req);
    if (pending) res.render('pin', { notice: toNotice(notice), ...describePending(pending, notice, now()) });
    else if (notice) res.render('pin-ended', { notice: toNotice(notice) });
    else res.redirect(303, req.user ? '/account' : '/login');
  });

  return router;
}

/** After these the text on the phone is worth nothing, though a new one may be had. */
const endsCode: ReadonlySet<Reason | null> = new Set(['too-many-attempts', 'expired', 'unconfirmed']);

/** Durations instead of times: the clock of the browser may be wrong. */
function describePending(pending: PendingStatus, notice: Reason | null, nowMs: number): object {
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  return {
    purpose: pending.purpose,
    maskedPhone: pending.maskedPhone,
    minutesLeft: endsCode.has(notice) ? 0 : Math.ceil(secondsUntil(pending.expiresAt) / 60),
    canResend: pending.resendAt !== null,
    resendSeconds: pending.resendAt === null ? 0 : secondsUntil(pending.resendAt),
  };
}
