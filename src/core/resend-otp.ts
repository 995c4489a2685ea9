import type { LimitName } from '../limits/table';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin } from '../stores/store';
import { isOnlySender, listSenders } from './choose-address';
import type { Core } from './context';
import { withTiming } from './emit';
import type { Refusal } from './outcome';
import {
  deny,
  type FailedResend,
  type SendRequest,
  type SendResult,
  toDenied,
} from './send-result';
import { findUser } from './users';
import { refuse, type Refused } from './refuse-code';
import type { PendingCode, Visit } from './visit';
import { findResendTime } from './wait-without-text';

/** A request for another code. */
export type ResendRequest = Pick<SendRequest, 'visit' | 'phoneId'>;

export type ResendResult = Exclude<SendResult, { readonly kind: 'refused' }> | RefusedResend;

type RefusedResend = Refused & { readonly failed?: FailedResend };

/** Creates the decision to send another code for the same pending login. */
export function createResendOtp(
  core: Core,
  sendOtp: (request: SendRequest) => Promise<SendResult>,
): (request: ResendRequest) => Promise<ResendResult> {
  return withTiming(core, 'resend', async (request: ResendRequest): Promise<ResendResult> => {
    const { visit, phoneId } = request;
    // 1 Is there a pending login?
    const previous = await findPrevious(core, visit.pending);
    if (previous === null) return refuse('no-pending-login', true);
    const { pending } = previous;

    // 2 Is a code by message accepted, and does the login have a send left?
    const methods = visit.pending?.methods;
    if (listSenders(core, pending.purpose, methods).length === 0)
      return refuse('second-factor-required');
    if (findResendTime(core, previous, 0) === null)
      return refuseResend(core, visit, pending, noSendLeft(core, pending), 'per-login');

    // 3 Load the user
    const user = await findUser(core, pending, visit.currentUser);
    if (user === null) {
      const refused = refuseResend(core, visit, pending, { reason: 'user-gone' });
      return end(core, pending, refused);
    }

    // 4 Send the code
    const { purpose, replaces, transaction } = pending;
    const { otp } = previous;
    if (purpose === 'enroll' && otp === null) return refuse('no-pending-login', true);
    const newPhone = purpose === 'enroll' && otp ? { mobile: otp.to, replaces } : undefined;
    const same = { user, purpose, visit, previous, newPhone, transaction, methods };
    const result = await sendOtp({ ...same, phoneId });
    return result.kind === 'refused' ? endRefused(core, pending, result, methods) : result;
  });
}

/**
 * Returns the pending login of a session. Null: it has ended, or the session has another one by
 * now.
 */
async function findPrevious(
  core: Core,
  pending: PendingCode | undefined,
): Promise<PendingState | null> {
  if (pending === undefined || pending.pendingUntil <= core.now()) return null;
  const live = await core.store.pendingLogins.findActive(pending.pendingId);
  return live?.pending.purpose === pending.purpose ? live : null;
}

function noSendLeft({ now }: Core, { pendingUntil }: PendingLogin): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil((pendingUntil - now()) / 1000));
  return { reason: 'send-limit', retryAfterSeconds };
}

function refuseResend(
  core: Core,
  { address }: Visit,
  { userId, purpose }: PendingLogin,
  refusal: Refusal,
  limit: LimitName | null = null,
): Refused {
  deny(core, { userId, purpose, address }, toDenied(refusal, { limit }));
  return { kind: 'refused', refusal, endsPending: false };
}

function endRefused(
  core: Core,
  pending: PendingLogin,
  { refusal, failed }: Extract<SendResult, { readonly kind: 'refused' }>,
  methods: readonly string[] | undefined,
): Promise<ResendResult> | ResendResult {
  // Do not let the page offer a message that a lock refuses until this login ends.
  const isOnly = isOnlySender(core, pending.purpose, methods);
  const isLocked = refusal.reason === 'disabled' || (refusal.reason === 'locked' && isOnly);
  const refused: RefusedResend = {
    kind: 'refused',
    refusal,
    endsPending: refusal.reason === 'no-pending-login',
    ...(failed && { failed }),
    ...(isLocked && { resendAt: null }),
  };
  return refusal.reason === 'user-gone' ? end(core, pending, refused) : refused;
}

/** Ends a pending login whose user or number no longer exists. */
async function end(
  { store }: Core,
  { pendingId }: PendingLogin,
  refused: Refused,
): Promise<Refused> {
  await store.pendingLogins.end(pendingId);
  return { ...refused, endsPending: true };
}
