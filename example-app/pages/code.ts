import { Router } from 'express';
import type { PendingStatus, Purpose, Reason } from 'passport-sms-otp';
import { toNotice, toNoticeBesideCountdown } from '../notices';
import { TRUSTED_DAYS, type BankOtp } from '../server';

/** The route of the code form, by purpose. The purpose itself is decided by the challenge, whatever the route. */
const ACTIONS: Readonly<Record<Purpose, string>> = {
  login: '/login/pin',
  'step-up': '/login/pin',
  transaction: '/transfer/pin',
  enroll: '/settings/phones/pin',
};

/** The page that asks for a code, for every purpose, or for another way where no text went out. */
export function codePages(smsOtp: BankOtp, now: () => number): Router {
  const router = Router();

  router.get('/login/pin', (req, res) => {
    const status = smsOtp.status(req);
    const { notice, pending } = status;
    if (pending) {
      const shown = pending.resendAt === null ? toNotice(status) : toNoticeBesideCountdown(status);
      res.render('code', { notice: shown, ...describePending(pending, notice, now()) });
    } else if (notice) res.render('code-ended', { notice: toNotice(status) });
    else res.redirect(303, req.user ? '/account' : '/login');
  });

  return router;
}

/** After these the texted code is worthless, though a new one may be requested. */
const endsCode: ReadonlySet<Reason | null> = new Set(['too-many-attempts', 'expired', 'unconfirmed']);

/** These are about what was typed; the others say why no text went out. */
const refusesCode: ReadonlySet<Reason | null> = new Set(['malformed-code', 'wrong-code', 'too-many-attempts']);

/** Returns durations instead of times, because the clock of the browser may be wrong. */
function describePending(pending: PendingStatus, notice: Reason | null, nowMs: number): object {
  const { purpose, isSent, maskedPhone, transaction, attemptsLeft, factors } = pending;
  const secondsUntil = (time: number): number => Math.max(0, Math.ceil((time - nowMs) / 1000));
  const isDead = attemptsLeft === 0 || endsCode.has(notice);
  return {
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
    takesRecoveryCode: factors.includes('recovery-code'),
    minutesLeft: isDead ? 0 : Math.ceil(secondsUntil(pending.expiresAt) / 60),
    isRefused: refusesCode.has(notice),
    // Said after a wrong code only: before, it would be one more thing to read.
    triesLeft: notice === 'wrong-code' && !isDead ? attemptsLeft : null,
    canResend: pending.resendAt !== null,
    resendSeconds: pending.resendAt === null ? 0 : secondsUntil(pending.resendAt),
  };
}
