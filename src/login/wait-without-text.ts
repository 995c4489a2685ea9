import { toAddressBlocks } from '../limits/address-block';
import { chargeBrowser } from '../limits/attempts';
import { OTHER_BROWSERS, placeOf } from '../limits/buckets';
import { chargeRows, type Counted, waitOf } from '../limits/charge';
import type { LimitRow } from '../limits/rows';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin, Purpose } from '../stores/store';
import { admitsOtherFactors } from './code-verifiers';
import type { Core } from './context';
import type { PhoneChoice, Refusal } from './outcome';
import { toUserIdText, type UserIdText } from './users';
import type { Visit } from './visit';

/**
 * The shortest life of a code that the gateway makes; a pending login takes no new code in its last
 * seconds. OTP spec §8.
 */
export const SHORTEST_VALIDITY_SECONDS = 120;

/** Whom a text goes to, and what else this user can do. */
export interface Recipient {
  readonly identity: UserIdText;
  /** Which of the user's browsers it is counted for. */
  readonly bucket: string;
  /** Empty when the user has no number. */
  readonly mobile: string;
  readonly phones: readonly PhoneChoice[];
  /** The factors, besides texts, that this user can use now. */
  readonly factors: readonly string[];
}

/** A login or step-up for which no text goes out. The number is the one a later text goes to. */
interface WithoutText extends Recipient {
  readonly request: {
    readonly purpose: Purpose;
    readonly visit: Visit;
    readonly previous?: PendingState | undefined;
    readonly isResend?: boolean;
  };
  /** Why no text goes out; null when another factor comes first. */
  readonly refusal: Refusal | null;
  /** Seconds until a text may be asked for; null when that is not known. */
  readonly waitSeconds: number | null;
  /** The HTTP status of the error that kept the text from going out; null when there was none. */
  readonly status: number | null;
}

/** A pending login that has begun without a text. */
export interface Waiting extends Pick<WithoutText, 'phones' | 'mobile' | 'refusal' | 'status'> {
  readonly kind: 'waiting';
  readonly pending: PendingLogin;
  readonly otp: null;
  /** When a text may be asked for; null when none can be had. */
  readonly resendAt: number | null;
  /** What this user can do now. */
  readonly factors: readonly string[];
}

/** Why no pending login begins without a text. */
export type NotWaiting =
  /** The user has no other factor, and no code can be requested later. */
  | { readonly kind: 'nothing-to-do' }
  /** Too many logins have begun without a text. */
  | { readonly kind: 'limited'; readonly refusal: Refusal }
  /** A code has already been sent for this pending login. */
  | { readonly kind: 'sent-already' };

/**
 * Creates the step that starts a pending login without sending a code. The returned function
 * @throws {StoreError} `ERR_STORE`
 */
export function createBeginWithoutText(
  core: Core,
): (asked: WithoutText) => Promise<Waiting | NotWaiting> {
  const { store, limits, userBlocks } = core;

  return async function beginWithoutText(asked) {
    const { request, factors, mobile } = asked;
    const { purpose, previous } = request;
    if (!admitsOtherFactors(purpose) || request.isResend === true) return { kind: 'nothing-to-do' };
    const begun = previous?.pending ?? toPendingLogin(asked);
    const { pendingUntil } = begun;
    const resendAt =
      mobile === '' ? null : findResendTime(core, { pendingUntil, sends: 0 }, asked.waitSeconds);
    if (factors.length === 0 && resendAt === null) return { kind: 'nothing-to-do' };
    const { bucket, refusedBy } = await chargeWait(begun, request.visit.address);
    if (refusedBy !== null) return { kind: 'limited', refusal: toRefusal(refusedBy) };
    const waiting = { ...begun, bucket };
    // One that began before the user was looked at goes on, unless its browser counts as one of the
    // others by now: the attempts of that one are used up.
    const goesOn = previous !== undefined && begun.bucket === bucket;
    const isBegun =
      goesOn || (await store.pendingLogins.begin(waiting, placeOf(purpose, bucket), null));
    if (!isBegun) return { kind: 'sent-already' };
    const { phones, refusal, status } = asked;
    const usable = resendAt === null ? factors : ['sms', ...factors];
    const shown = { mobile, resendAt, phones, factors: usable, refusal, status };
    return { kind: 'waiting', pending: waiting, otp: null, ...shown };
  };

  async function chargeWait(
    { userId, bucket }: Pick<PendingLogin, 'userId' | 'bucket'>,
    address: string | undefined,
  ) {
    const addresses = toAddressBlocks(address);
    const ownAddresses = await userBlocks(userId, address);

    return chargeBrowser(bucket, (one) => {
      const about = { user: userId, bucket: one, addresses, ownAddresses };
      // Other browsers wait even while they are locked: their codes are refused then.
      const guards = one === OTHER_BROWSERS ? [] : limits.guardsOf(about);
      return chargeRows(store.counters, [...guards, ...limits.rowsOf('wait', about)]);
    });
  }

  function toPendingLogin({ request, identity, bucket, mobile }: WithoutText): PendingLogin {
    const { purpose, visit } = request;
    return createPendingLogin(core, visit, { ...identity, purpose, bucket, mobile });
  }
}

/**
 * Begins a login before its device or its user is looked at, so that what ends all logins of the
 * user in the meantime ends this one too. It is not counted: what waits in it later is.
 * @throws {StoreError} `ERR_STORE`
 */
export async function beginLogin(
  core: Core,
  user: Express.User,
  visit: Visit,
): Promise<PendingState> {
  const identity = toUserIdText(core.getUserId(user));
  const bucket = await core.browsers.findBucket(visit.browserCookie, identity.userId);
  const purpose = 'login';
  const begun = createPendingLogin(core, visit, { ...identity, purpose, bucket, mobile: '' });
  await core.store.pendingLogins.begin(begun, placeOf(purpose, bucket), null);
  return { pending: begun, sends: 0, otp: null, previous: null };
}

/** A pending login that begins. */
interface NewPending
  extends
    UserIdText,
    Pick<PendingLogin, 'purpose' | 'bucket' | 'mobile' | 'transaction' | 'replaces'> {}

/** Makes a pending login that begins now. No other file decides when one ends. */
export function createPendingLogin(
  { now, randomId, settings }: Pick<Core, 'now' | 'randomId' | 'settings'>,
  visit: Visit,
  begun: NewPending,
): PendingLogin {
  // A login renews the session. Everything else keeps it, and two requests of it begin one.
  const pendingId = begun.purpose === 'login' ? randomId() : visit.toPendingId();
  const startedAt = now();
  const pendingUntil = startedAt + settings.pendingLoginSeconds * 1000;
  return { version: 1, pendingId, ...begun, startedAt, pendingUntil };
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
  { pendingUntil, sends }: Pick<PendingLogin, 'pendingUntil'> & Pick<PendingState, 'sends'>,
  waitSeconds: number | null,
): number | null {
  if (waitSeconds === null) return null;
  const resendAt = now() + waitSeconds * 1000;
  const lastSendAt = pendingUntil - SHORTEST_VALIDITY_SECONDS * 1000;
  return sends < settings.maxSends && resendAt <= lastSendAt ? resendAt : null;
}
