import type { Request } from 'express';
import type { PendingState } from '../core/context';
import { toPhoneEnding } from '../core/phones';
import type { MiddlewareContext } from './context';
import type { PendingSlot, SmsOtpSession } from './session-data';

/** Two writes put right what two other requests have saved in between; a third is enough. */
const MOST_WRITES = 3;

/**
 * Changes the slot while it still is as expected. express-session reads and saves a session as a
 * whole, so a request that is under way at the same moment may save what has ended in between. What
 * the session waits for is therefore compared with the store after each write: a pending login that
 * has ended is taken out again, and one that another request has begun or given a message is shown,
 * also where the session was to wait for nothing.
 *
 * @returns `kept`: it was changed, and what it waits for is active. `passed`: a code of that
 * pending login was right in another request. `over`: it has ended. `gone`: the session has ended,
 * or its slot was not as expected.
 * @throws {StoreError} `ERR_STORE`
 */
export async function updateSlot(
  context: UpdateContext,
  req: Request,
  isStill: (slot: SmsOtpSession) => boolean,
  change: (slot: SmsOtpSession) => SmsOtpSession,
): Promise<SlotUpdate> {
  const { slot, maxAttempts } = context;
  let waited: PendingSlot | undefined;
  let written = await slot.update(req, isStill, (current) => {
    // A login that was joined goes on without the session that leaves it.
    waited = current.pending?.isJoined === true ? undefined : current.pending;
    return change(current);
  });
  let result: SlotUpdate = written === null ? 'gone' : 'kept';

  for (let writes = 1; written !== null && writes < MOST_WRITES; writes += 1) {
    const kept: PendingSlot | undefined = written.pending;
    const known = kept ?? waited;
    if (known === undefined) break;
    // What was written stays, and `store-failing` reports the failure.
    const found = await look(context, req, known).catch(() => undefined);
    if (found === undefined) break;
    const { own, newer } = found;
    if (own === 'passed') result = 'passed';
    if (newer === null && (isActive(own) || kept === undefined)) break;
    if (own === null && newer === null) result = 'over';
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

/** What the store has under the id that a session knows, and what it is to show in its place. */
interface Found {
  readonly own: PendingState | 'passed' | null;
  /** Null: what it shows is the newest. */
  readonly newer: PendingState | null;
}

async function look(
  { findPending, findNewest }: UpdateContext,
  req: Request,
  known: PendingSlot,
): Promise<Found> {
  const own = await findPending(known.pendingId);
  // Every login has a session of its own.
  const isOnly = known.purpose === 'login' || (isActive(own) && own.otp !== null);
  const newest = isOnly ? null : await findNewest(req);
  if (!isActive(own)) return { own, newer: newest };

  // It waits without a message, and another request of this session has sent one.
  if (newest?.otp != null && newest.pending.pendingId !== known.pendingId)
    return { own, newer: newest };
  return { own, newer: isShown(known, own) ? null : own };
}

function isActive(found: Found['own']): found is PendingState {
  return found !== null && found !== 'passed';
}

/** What a session waits for after a change of its slot. */
export type SlotUpdate = 'kept' | 'passed' | 'over' | 'gone';

type UpdateContext = Pick<MiddlewareContext, 'slot' | 'findPending' | 'findNewest' | 'maxAttempts'>;

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
    pendingId: pending.pendingId,
    otpId: otp?.otpId ?? null,
    purpose,
    isSent: otp !== null,
    expiresAt: otp?.expiresAt ?? pendingUntil,
    pendingUntil,
    phoneEnding: otp === null ? kept.phoneEnding : toPhoneEnding(otp.mobile),
    attemptsLeft: maxAttempts,
    factors: otp === null ? kept.factors : [...new Set(['sms', ...kept.factors])],
    ...(transaction && { transaction }),
  };
}
