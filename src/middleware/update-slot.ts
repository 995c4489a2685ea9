import type { Request } from 'express';
import type { PendingState } from '../core/context';
import { factorOf, MESSAGE, toEnding } from '../core/addresses';
import type { MiddlewareContext } from './context';
import type { PendingSlot, SmsOtpSession } from './session-data';

/**
 * The most writes of a slot. Two writes correct what two other requests have saved meanwhile, and a
 * third is enough.
 */
const MOST_WRITES = 3;

/**
 * Changes the slot if it is as expected. express-session reads and saves a session as a whole, so a
 * concurrent request may restore what has ended meanwhile. After each write, the pending login of
 * the session is therefore compared with the store. One that has ended is taken out again. One that
 * another request has begun, or for which it has sent a message, is shown, even if the session was
 * to wait for nothing.
 *
 * @returns `kept`: the slot was changed, and what it waits for is active. `passed`: a code of that
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
    // A joined login goes on without the session that leaves it.
    waited = current.pending?.isJoined === true ? undefined : current.pending;
    return change(current);
  });
  let result: SlotUpdate = written === null ? 'gone' : 'kept';

  for (let writes = 1; written !== null && writes < MOST_WRITES; writes += 1) {
    const kept: PendingSlot | undefined = written.pending;
    const known = kept ?? waited;
    if (known === undefined) break;

    // If the store fails, keep what was written: `store-failing` reports the failure.
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

/** What the store has under the id that a session knows, and what the session must show instead. */
interface FoundPending {
  readonly own: PendingState | 'passed' | null;
  /** Null: the session already shows the newest. */
  readonly newer: PendingState | null;
}

async function look(
  { findPending, findNewest }: UpdateContext,
  req: Request,
  known: PendingSlot,
): Promise<FoundPending> {
  const own = await findPending(known.pendingId);
  // Do not look for a newer pending login if this one is a login, because each login begins a new
  // session, or if its message was sent, because the session keeps showing that message.
  const isOnly = known.purpose === 'login' || (isActive(own) && own.otp !== null);
  const newest = isOnly ? null : await findNewest(req);
  if (!isActive(own)) return { own, newer: newest };

  // The session waits without a message, and another of its requests has sent one.
  if (newest?.otp != null && newest.pending.pendingId !== known.pendingId)
    return { own, newer: newest };
  return { own, newer: isShown(known, own) ? null : own };
}

function isActive(found: FoundPending['own']): found is PendingState {
  return found !== null && found !== 'passed';
}

/** The result of a change of the slot. */
export type SlotUpdate = 'kept' | 'passed' | 'over' | 'gone';

type UpdateContext = Pick<MiddlewareContext, 'slot' | 'findPending' | 'findNewest' | 'maxAttempts'>;

/** Returns the slot of a session that waits for nothing. */
export function withoutPending({ pending: _ended, ...rest }: SmsOtpSession): SmsOtpSession {
  return rest;
}

/** Returns whether two slots wait for the same message of the same pending login. */
export function isSamePending(
  one: PendingSlot | undefined,
  other: Pick<PendingSlot, 'pendingId' | 'otpId'> | undefined,
): boolean {
  return one?.pendingId === other?.pendingId && one?.otpId === other?.otpId;
}

/**
 * Returns whether the slot may stay as it is. A login whose OTP was taken over by another one stays
 * shown: its code is refused as wrong.
 */
function isShown(shown: PendingSlot, state: PendingState): boolean {
  const { otp } = state;
  return state.pending.purpose === shown.purpose && (otp === null || otp.otpId === shown.otpId);
}

/** Returns what the session waits for after another request has sent a message for it. */
function follow(
  written: PendingSlot,
  { pending, otp }: PendingState,
  maxAttempts: number,
): PendingSlot {
  const {
    reason: _reason,
    failureStatus: _status,
    transaction: _approved,
    factor: before = MESSAGE,
    ...same
  } = written;
  const { purpose, pendingUntil, transaction } = pending;
  const { methods: _ofStepUp, ...other } = same;
  const kept = purpose === written.purpose ? same : other;
  const factor = otp === null ? before : factorOf(otp);
  return {
    ...kept,
    ...(factor !== MESSAGE && { factor }),
    pendingId: pending.pendingId,
    otpId: otp?.otpId ?? null,
    purpose,
    isSent: otp !== null,
    expiresAt: otp?.expiresAt ?? pendingUntil,
    pendingUntil,
    phoneEnding: otp === null ? kept.phoneEnding : toEnding(otp.to),
    attemptsLeft: maxAttempts,
    factors: otp === null ? kept.factors : [...new Set([factor, ...kept.factors])],
    ...(transaction && { transaction }),
  };
}
