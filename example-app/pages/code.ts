import { Router } from 'express';
import type { PendingStatus, Purpose, Reason } from 'passport-sms-otp';
import { toNotice } from '../notices';
import { TRUSTED_DAYS, type BankOtp } from '../server';

/** Who answers the code's form. What it stands for is decided by the challenge, whoever is asked. */
const ACTIONS: Readonly<Record<Purpose, string>> = {
  login: '/login/pin',
  'step-up': '/login/pin',
  transaction: '/transfer/pin',
  enroll: '/settings/phones/pin',
};

/** The page that asks for a code, whatever the code is for. */
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

/** After these the text on the phone is worth nothing, though a new one may be had. */
const endsCode: ReadonlySet<Reason | null> = new Set(['too-many-attempts', 'expired', 'unconfirmed']);

/** Durations instead of times: the clock of the browser may be wrong. */
function describePending(pending: PendingStatus, notice: Reason | null, nowMs: number): object {
  const { purpose, maskedPhone, transaction } = pending;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  return {
    purpose,
    action: ACTIONS[purpose],
    digits: maskedPhone.slice(-2),
    transaction,
    trustedDays: TRUSTED_DAYS,
    // Where two numbers end in the same digits, nobody could tell which is meant.
    otherPhones: (pending.phones ?? [])
      .filter((phone) => phone.maskedPhone !== maskedPhone)
      .map((phone) => ({ phoneId: phone.phoneId, digits: phone.maskedPhone.slice(-2) })),
    takesRecoveryCode: purpose === 'login' || purpose === 'step-up',
    minutesLeft: endsCode.has(notice) ? 0 : Math.ceil(secondsUntil(pending.expiresAt) / 60),
    canResend: pending.resendAt !== null,
    resendSeconds: pending.resendAt === null ? 0 : secondsUntil(pending.resendAt),
  };
}
