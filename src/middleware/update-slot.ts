import type { Request } from 'express';
import type { PendingState } from '../login/context';
import { toPhoneEnding } from '../login/phones';
import type { MiddlewareContext } from './context';
import type { PendingSlot, SmsOtpSession } from './session-data';

/** Two writes put right what two other requests have saved in between; a third is enough. */
const MOST_WRITES = 3;

/**
 * Changes the slot while it still is as expected. express-session reads and saves a session as a
 * whole, so a request that is under way at the same moment may save what has ended in between. What
 * the session waits for is therefore compared with the store after each write: a pending login that
 * is over is taken out again, and one that another request has given a text shows that text, also
 * where the session was to wait for nothing.
 *
 * @returns `kept`: it was changed, and what it waits for is not over. `passed`: a code of that
 * pending login was right in another request. `over`: it has ended. `gone`: the session has ended,
 * or its slot was not as expected.
 * @throws {StoreError} `ERR_STORE`
 */
export async function updateSlot(
  { slot, findPending, maxAttempts }: UpdateContext,
  req: Request,
  isStill: (slot: SmsOtpSession) => boolean,
  change: (slot: SmsOtpSession) => SmsOtpSession,
): Promise<SlotUpdate> {
  let waited: PendingSlot | undefined;
  let written = await slot.update(req, isStill, (current) => {
    waited = current.pending;
    return change(current);
  });
  let result: SlotUpdate = written === null ? 'gone' : 'kept';
  for (let writes = 1; written !== null && writes < MOST_WRITES; writes += 1) {
    const kept: PendingSlot | undefined = written.pending;
    const known = kept ?? waited;
    if (known === undefined) break;
    // What was written stays, and `store-failing` reports the failure.
    const live = await findPending(known.pendingId).catch(() => undefined);
    if (live === undefined) break;
    const isLive = live !== null && live !== 'passed';
    const newer = isLive && !isShown(known, live) ? live : null;
    if (live === 'passed') result = 'passed';
    if (newer === null && (isLive || kept === undefined)) break;
    if (live === null) result = 'over';
    written = await slot.update(
      req,
      (current) => isSamePending(current.pending, kept),
      (current) =>
        newer === null
          ? withoutPending(current)
          : { ...current, pending: follow(known, newer, maxAttempts) },
    );
  }
  return result;
}

/** What a session waits for after a change of its slot. */
export type SlotUpdate = 'kept' | 'passed' | 'over' | 'gone';

type UpdateContext = Pick<MiddlewareContext, 'slot' | 'findPending' | 'maxAttempts'>;

/** Returns the slot of a session that waits for nothing. */
export function withoutPending({ pending: _ended, ...rest }: SmsOtpSession): SmsOtpSession {
  return rest;
}

/** Returns whether two slots wait for the same text of the same pending login. */
export function isSamePending(
  one: PendingSlot | undefined,
  other: Pick<PendingSlot, 'pendingId' | 'otpId'> | undefined,
): boolean {
  return one?.pendingId === other?.pendingId && one?.otpId === other?.otpId;
}

/** A login whose text was taken by another one goes on showing it: its code is refused as wrong. */
function isShown({ otpId, purpose }: PendingSlot, { pending, otp }: PendingState): boolean {
  return pending.purpose === purpose && (otp === null || otp.otpId === otpId);
}

/** Returns what the session waits for when another request has given its pending login a text. */
function follow(
  written: PendingSlot,
  { pending, otp }: PendingState,
  maxAttempts: number,
): PendingSlot {
  const { reason: _reason, failureStatus: _status, transaction: _approved, ...same } = written;
  const { purpose, pendingUntil, transaction } = pending;
  const { methods: _ofStepUp, ...other } = same;
  const kept = purpose === written.purpose ? same : other;
  return {
    ...kept,
    otpId: otp?.otpId ?? null,
    purpose,
    isSent: otp !== null,
    expiresAt: otp?.expiresAt ?? pendingUntil,
    pendingUntil,
    phoneEnding: toPhoneEnding(otp?.mobile ?? pending.mobile),
    attemptsLeft: maxAttempts,
    factors: otp === null ? kept.factors : [...new Set(['sms', ...kept.factors])],
    ...(transaction && { transaction }),
  };
}
