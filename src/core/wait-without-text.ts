import { toAddressBlocks } from '../limits/address-block';
import { chargeBrowser } from '../limits/attempts';
import { OTHER_BROWSERS } from '../limits/buckets';
import { chargeRows, type Counted, waitOf } from '../limits/charge';
import type { LimitRow } from '../limits/rows';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin } from '../stores/store';
import { admitsOtherFactors } from './accepted-factors';
import type { BegunPending, Core } from './context';
import type { PhoneChoice, Refusal } from './outcome';
import type { UserIdText } from './users';

/**
 * The shortest life of a code that the gateway makes; a pending login takes no new code in its last
 * seconds. OTP spec §8.
 */
export const SHORTEST_VALIDITY_SECONDS = 120;

/** The user to whom a message goes, and what else this user can do. */
export interface Recipient {
  readonly identity: UserIdText;
  /** Which of the user's browsers it is counted for. */
  readonly bucket: string;
  /** Empty when the user has no number. */
  readonly mobile: string;
  readonly phones: readonly PhoneChoice[];
  /** The factors, besides messages, that this user can use now. */
  readonly factors: readonly string[];
}

/** Why no message goes out. */
export interface NoMessage {
  /** Null when another factor comes first. */
  readonly refusal: Refusal | null;
  /** Seconds until a message may be asked for; null when that is not known. */
  readonly waitSeconds: number | null;
  /** The HTTP status of the error that kept the message from going out; null: there was none. */
  readonly status: number | null;
}

/** A login or step-up that is pending without a message. */
export interface Waiting extends Pick<Recipient, 'phones' | 'mobile' | 'factors'> {
  readonly kind: 'waiting';
  readonly pending: PendingLogin;
  readonly otp: null;
  /** Whether another request has begun it. */
  readonly isJoined: boolean;
  /** Whether that request is sending its message. */
  readonly isOnItsWay: boolean;
  readonly refusal: Refusal | null;
  readonly status: number | null;
  /** When a message may be asked for; null when none can be had. */
  readonly resendAt: number | null;
}

/** Why a pending login does not go on without a message. */
export type NotWaiting =
  /** The user has no other factor, and no code can be requested later. */
  | { readonly kind: 'nothing-to-do' }
  /** Too many logins have waited without a message. */
  | { readonly kind: 'limited'; readonly refusal: Refusal }
  /** Another request has ended it, such as one of this session that has sent a message. */
  | { readonly kind: 'ended' };

/**
 * Lets a pending login go on without a message, and counts that.
 * @throws {StoreError} `ERR_STORE`
 */
export async function waitWithoutText(
  core: Core,
  begun: BegunPending,
  recipient: Recipient,
  noMessage: NoMessage,
  address: string | undefined,
): Promise<Waiting | NotWaiting> {
  const { pending } = begun.state;
  if (!admitsOtherFactors(pending.purpose)) return { kind: 'nothing-to-do' };

  const waiting = toWaiting(core, begun, recipient, noMessage);
  if (waiting.factors.length === 0) return { kind: 'nothing-to-do' };
  if (begun.isJoined) return waiting;

  const { refusedBy } = await chargeWait(core, pending, address);
  if (refusedBy !== null) return { kind: 'limited', refusal: toRefusal(refusedBy) };
  return (await isStillActive(core, pending)) ? waiting : { kind: 'ended' };
}

/** Another request of this session may have ended it. Every login has a session of its own. */
async function isStillActive({ store }: Core, pending: PendingLogin): Promise<boolean> {
  if (pending.purpose === 'login') return true;
  return (await store.pendingLogins.findActive(pending.pendingId)) !== null;
}

/** Describes a login that waits. Without a factor there is nothing to wait for. */
export function toWaiting(
  core: Core,
  { state, isJoined }: BegunPending,
  recipient: Recipient,
  { refusal, waitSeconds, status }: NoMessage,
): Waiting {
  const { pending } = state;
  const { mobile, phones, factors } = recipient;
  const resendAt = mobile === '' ? null : findResendTime(core, state, waitSeconds);
  const usable = resendAt === null ? factors : ['sms', ...factors];
  const shown = { mobile, phones, factors: usable, refusal, status, resendAt };
  return { kind: 'waiting', pending, otp: null, isJoined, isOnItsWay: false, ...shown };
}

async function chargeWait(core: Core, pending: PendingLogin, address: string | undefined) {
  const { store, limits } = core;
  const { userId: user, bucket } = pending;
  const addresses = toAddressBlocks(address);
  const ownAddresses = await core.userBlocks(user, address);

  return chargeBrowser(bucket, (one) => {
    const about = { user, bucket: one, addresses, ownAddresses };
    // Other browsers wait even while they are locked: their codes are refused then.
    const guards = one === OTHER_BROWSERS ? [] : limits.guardsOf(about);
    return chargeRows(store.counters, [...guards, ...limits.rowsOf('wait', about)]);
  });
}

function toRefusal(refusing: Counted<LimitRow>): Refusal {
  return { reason: 'send-limit', retryAfterSeconds: Math.max(1, waitOf(refusing)) };
}

/**
 * Returns when the next code may be requested, or null when this pending login has none left.
 * @param waitSeconds Null: not known.
 */
export function findResendTime(
  { settings, now }: Pick<Core, 'settings' | 'now'>,
  { pending, sends }: Pick<PendingState, 'pending' | 'sends'>,
  waitSeconds: number | null,
): number | null {
  if (waitSeconds === null) return null;
  const resendAt = now() + waitSeconds * 1000;
  const lastSendAt = pending.pendingUntil - SHORTEST_VALIDITY_SECONDS * 1000;
  return sends < settings.maxSends && resendAt <= lastSendAt ? resendAt : null;
}
