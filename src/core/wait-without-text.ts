import { toAddressBlocks } from '../limits/address-block';
import { chargeDespiteLock } from '../limits/attempts';
import { type Counted, waitOf } from '../limits/charge';
import type { LimitRow } from '../limits/rows';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin } from '../stores/store';
import { admitsOtherFactors } from './accepted-factors';
import type { BegunPending, Core } from './context';
import type { CodeChoice, Refusal } from './outcome';
import type { Method } from '../method';
import type { UserIdText } from './users';

/**
 * The shortest lifetime of a code that the gateway makes, so a pending login sends no new code in
 * its last seconds. OTP spec §8.
 */
export const SHORTEST_VALIDITY_SECONDS = 120;

/** The user to whom a message is sent, and the user's other factors. */
export interface Recipient {
  readonly identity: UserIdText;
  /** The browser for which it is counted. */
  readonly bucket: string;
  /** The address to which a code is sent; empty if the user has none. */
  readonly to: string;
  /** The factor that sends it. */
  readonly factor: Method;
  readonly phones: readonly CodeChoice[];
  /** The factors by which this user can get a code now. */
  readonly senders: readonly string[];
  /** The other factors that this user can use now. */
  readonly factors: readonly string[];
}

/** Why no message is sent. */
export interface NoMessage {
  /** Null if another factor comes first. */
  readonly refusal: Refusal | null;
  /** Seconds until a message may be requested; null if that is not known. */
  readonly waitSeconds: number | null;
  /**
   * The HTTP status of the error because of which no message was sent; null: there was no error.
   */
  readonly status: number | null;
}

/** A login or step-up that is pending without a message. */
export interface Waiting extends Pick<Recipient, 'phones' | 'to' | 'factor' | 'factors'> {
  readonly kind: 'waiting';
  readonly pending: PendingLogin;
  readonly otp: null;
  /** Whether another request began it. */
  readonly isJoined: boolean;
  /** Whether that request is sending its message now. */
  readonly isOnItsWay: boolean;
  readonly refusal: Refusal | null;
  readonly status: number | null;
  /** When a message may be requested; null if none can be requested. */
  readonly resendAt: number | null;
}

/** Why a pending login cannot go on without a message. */
export type NotWaiting =
  /** The user has no other factor, and no code can be requested later. */
  | { readonly kind: 'nothing-to-do' }
  /** Too many logins have waited without a message. */
  | { readonly kind: 'limited'; readonly refusal: Refusal }
  /** Another request has ended it, for example one of this session that has sent a message. */
  | { readonly kind: 'ended' };

/**
 * Counts a pending login that goes on without a message, and returns what it waits for.
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

/**
 * Returns whether no other request of this session has ended the pending login. A login always
 * stays: it has its own session.
 */
async function isStillActive({ store }: Core, pending: PendingLogin): Promise<boolean> {
  if (pending.purpose === 'login') return true;
  return (await store.pendingLogins.findActive(pending.pendingId)) !== null;
}

/**
 * Describes a login that is pending without a message. An empty `factors` means that the user can
 * do nothing.
 */
function toWaiting(
  core: Core,
  { state, isJoined }: BegunPending,
  recipient: Recipient,
  { refusal, waitSeconds, status }: NoMessage,
): Waiting {
  const { pending } = state;
  const { to, factor, phones, senders, factors } = recipient;
  const resendAt = to === '' ? null : findResendTime(core, state, waitSeconds);
  const usable = resendAt === null ? factors : [...senders, ...factors];
  const shown = { to, factor, phones, factors: usable, refusal, status, resendAt };
  return { kind: 'waiting', pending, otp: null, isJoined, isOnItsWay: false, ...shown };
}

async function chargeWait(core: Core, pending: PendingLogin, address: string | undefined) {
  const { store, limits } = core;
  const { userId: user, bucket } = pending;
  const addresses = toAddressBlocks(address);
  const ownAddresses = await core.userBlocks(user, address);

  // Unknown browsers may wait even while they are locked: their codes are refused later.
  const parts = { counters: store.counters, limits };
  return chargeDespiteLock(parts, 'wait', { user, bucket, addresses, ownAddresses });
}

function toRefusal(refusing: Counted<LimitRow>): Refusal {
  return { reason: 'send-limit', retryAfterSeconds: Math.max(1, waitOf(refusing)) };
}

/**
 * Returns when the next code may be requested, or null if this pending login has none left.
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
