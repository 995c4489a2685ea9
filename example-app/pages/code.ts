import { Router } from 'express';
import type { PendingStatus, Purpose, Reason } from 'passport-sms-otp';
import { toNotice } from '../notices';
import { TRUSTED_DAYS, type BankOtp } from '../server';

/** The route of the code form, by purpose. The purpose itself is decided by the challenge, whatever the route. */
const ACTIONS: Readonly<Record<Purpose, string>> = {
  login: '/login/pin',
  'step-up': '/login/pin',
  transaction: '/transfer/pin',
  enroll: '/settings/phones/pin',
};

/** The page that asks for a code, for every purpose. */
export function codePages(smsOtp: BankOtp, now: () => number): Router {
  const router = Router();

  router.get('/login/pin', (req, res) => {
    const { notice, pending } = smsOtp.status(req);
    if (pending) res.render('code', { notice: toNotice(notice), ...describePending(pending, notice, now()) });
    else if (notice) res.render('code-ended', { notice: toNotice(notice) });
    else res.redirect(303, req.user ? '/account' : '/login');
  });

  return router;
}

/** After these the texted code is worthless, though a new one may be requested. */
const endsCode: ReadonlySet<Reason | null> = new Set(['too-many-attempts', 'expired', 'unconfirmed']);

/** Returns durations instead of times, because the clock of the browser may be wrong. */
function describePending(pending: PendingStatus, notice: Reason | null, nowMs: number): object {
  const { purpose, maskedPhone, transaction } = pending;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  return {
    purpose,
    action: ACTIONS[purpose],
    digits: maskedPhone.slice(-2),
    transaction,
    trustedDays: TRUSTED_DAYS,
    // Two numbers that end in the same digits cannot be told apart.
    otherPhones: (pending.phones ?? [])
      .filter((phone) => phone.maskedPhone !== maskedPhone)
      .map((phone) => ({ phoneId: phone.phoneId, digits: phone.maskedPhone.slice(-2) })),
    takesRecoveryCode: purpose === 'login' || purpose === 'step-up',
    minutesLeft: endsCode.has(notice) ? 0 : Math.ceil(secondsUntil(pending.expiresAt) / 60),
    canResend: pending.resendAt !== null,
    resendSeconds: pending.resendAt === null ? 0 : secondsUntil(pending.resendAt),
  };
}
