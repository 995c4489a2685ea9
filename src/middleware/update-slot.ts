import type { Request } from 'express';
import { toPhoneEnding } from '../login/phones';
import type { Challenge } from '../stores/store';
import type { MiddlewareContext } from './context';
import type { PendingSlot, SmsOtpSession } from './session-data';

/** More than one pending login has texts. */
const MOST_WRITES = 6;

/**
 * Changes the slot while it still is as expected. express-session reads and saves a session as a
 * whole, so a request that is under way at the same moment may save what has ended in between. What
 * the session waits for is therefore compared with the store after each write: a pending login that
 * is over is taken out again, a newer text is put in its place, also where the session was to wait
 * for nothing.
 *
 * @returns `over`: nothing was changed, or what it was to wait for is over. `login-ended`: nothing
 * was changed.
 * @throws {StoreError} `ERR_STORE`
 */
export async function updateSlot(
  { slot, logins, findChallenge }: Pick<MiddlewareContext, 'slot' | 'logins' | 'findChallenge'>,
  req: Request,
  isStill: (slot: SmsOtpSession) => boolean,
  change: (slot: SmsOtpSession) => SmsOtpSession,
): Promise<'written' | 'over' | 'login-ended'> {
  if (!(await logins.isStillLive(req))) return 'login-ended';
  let waited: PendingSlot | undefined;
  let written = await slot.update(req, isStill, (current) => {
    waited = current.pending;
    return change(current);
  });
  let isOver = written === null;
  for (let writes = 1; written !== null && writes < MOST_WRITES; writes += 1) {
    const kept: PendingSlot | undefined = written.pending;
    const known = kept ?? waited;
    if (known === undefined) break;
    // What was written stays, and `store-failing` reports the failure.
    const live = await findChallenge(known.otpId).catch(() => undefined);
    if (live === undefined) break;
    const newer = live === null || live.challenge.otpId === known.otpId ? null : live.challenge;
    if (newer === null && (live !== null || kept === undefined)) break;
    isOver = live === null;
    written = await slot.update(
      req,
      (current) => current.pending?.otpId === kept?.otpId,
      (current) =>
        newer === null ? withoutPending(current) : { ...current, pending: follow(known, newer) },
    );
  }
  return isOver ? 'over' : 'written';
}

/** Returns the slot of a session that waits for nothing. */
export function withoutPending({ pending: _ended, ...rest }: SmsOtpSession): SmsOtpSession {
  return rest;
}

/**
 * Returns what the session waits for when a newer challenge has taken the place of the one that was
 * written.
 */
function follow(written: PendingSlot, challenge: Challenge): PendingSlot {
  const { reason: _reason, failureStatus: _status, transaction: _approved, ...kept } = written;
  const { otpId, purpose, isSent, mobile, expiresAt, pendingUntil, maxAttempts, transaction } =
    challenge;
  return {
    ...kept,
    otpId,
    purpose,
    isSent,
    expiresAt,
    pendingUntil,
    phoneEnding: toPhoneEnding(mobile),
    attemptsLeft: maxAttempts,
    factors: isSent ? [...new Set(['sms', ...kept.factors])] : kept.factors,
    ...(transaction && { transaction }),
  };
}
