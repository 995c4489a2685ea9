import { toAddressBlocks } from '../limits/address-block';
import { chargeBrowser, guessGuards } from '../limits/attempts';
import { type Counted, chargeRows } from '../limits/charge';
import { withoutTextCounters } from '../limits/sends';
import { OTHER_BROWSERS, sideOf } from '../limits/user-keys';
import type { Challenge, Counter, Purpose } from '../stores/store';
import { admitsOtherFactors } from './code-verifiers';
import type { LoginContext } from './context';
import type { PhoneChoice, Refusal } from './outcome';
import type { UserIdText } from './users';

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
    readonly previous: Challenge | undefined;
    readonly pendingId?: string | undefined;
    readonly address: string | undefined;
  };
  /** Why no text goes out; null when another factor comes first. */
  readonly refusal: Refusal | null;
  /** Seconds until a text may be asked for; null when that is not known. */
  readonly waitSeconds: number | null;
  /** The HTTP status of the error that kept the text from going out; null when there was none. */
  readonly status: number | null;
}

/** A pending login that has begun without a text. */
export interface Waiting extends Pick<WithoutText, 'phones' | 'refusal' | 'status'> {
  readonly kind: 'waiting';
  readonly challenge: Challenge;
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
  login: LoginContext,
): (asked: WithoutText) => Promise<Waiting | NotWaiting> {
  const { store, settings, browsers, userBlocks } = login;

  return async function beginWithoutText(asked) {
    const { request, factors, refusal, phones, status } = asked;
    const { purpose, previous } = request;
    if (!admitsOtherFactors(purpose) || previous !== undefined) return { kind: 'nothing-to-do' };
    const challenge = toChallenge(asked);
    const resendAt =
      asked.mobile === '' ? null : findResendTime(login, challenge, asked.waitSeconds);
    if (factors.length === 0 && resendAt === null) return { kind: 'nothing-to-do' };
    const { bucket, refusedBy } = await chargeWait(challenge, request.address);
    if (refusedBy !== null) return { kind: 'limited', refusal: toRefusal(refusedBy) };
    const { pendingLoginSeconds } = settings;
    const waiting = { ...challenge, bucket };
    const isBegun = await store.challenges.begin(waiting, pendingLoginSeconds, {
      supersedes: 'any',
    });
    if (isBegun === false) return { kind: 'sent-already' };
    const usable = resendAt === null ? factors : ['sms', ...factors];
    return {
      kind: 'waiting',
      challenge: waiting,
      ...{ resendAt, phones, factors: usable, refusal, status },
    };
  };

  async function chargeWait(
    { userId, bucket }: Pick<Challenge, 'userId' | 'bucket'>,
    address: string | undefined,
  ) {
    const { limits } = settings;
    const ofUser = await userBlocks(userId, address);
    const ofAddress = toAddressBlocks(address);
    return chargeBrowser(bucket, (one) =>
      chargeRows<WaitRow>(store.counters, [
        // Other browsers wait even while they are locked: their codes are refused then.
        ...(one === OTHER_BROWSERS
          ? []
          : guessGuards({ limits, hasKnownBrowsers: browsers.isOn }, userId, one)),
        ...withoutTextCounters(limits, sideOf(one), ofUser, ofAddress).map((counter) => ({
          limit: 'without-text' as const,
          counter,
        })),
      ]),
    );
  }

  /** The id is our own: it is never handed to the gateway. */
  function toChallenge({ request, identity, bucket, mobile }: WithoutText): Challenge {
    const { purpose, pendingId = login.randomId() } = request;
    const sentAt = login.now();
    const pendingUntil = sentAt + settings.pendingLoginSeconds * 1000;
    return {
      version: 1,
      otpId: login.randomId(),
      pendingId,
      ...identity,
      purpose,
      isSent: false,
      bucket,
      mobile,
      numberKey: '',
      isNewNumber: false,
      sends: 0,
      maxAttempts: settings.maxAttempts,
      sentAt,
      expiresAt: pendingUntil,
      pendingUntil,
    };
  }
}

interface WaitRow {
  readonly limit: 'failures' | 'lock' | 'without-text';
  readonly counter: Counter;
}

function toRefusal({ count }: Counted<WaitRow>): Refusal {
  return { reason: 'send-limit', retryAfterSeconds: Math.max(1, count.resetSeconds ?? 1) };
}

/**
 * Returns when the next code may be requested, or null when this pending login has none left.
 * @param waitSeconds Null: not known.
 */
export function findResendTime(
  { settings, now }: Pick<LoginContext, 'settings' | 'now'>,
  challenge: Challenge,
  waitSeconds: number | null,
): number | null {
  if (waitSeconds === null) return null;
  const resendAt = now() + waitSeconds * 1000;
  const lastSendAt = challenge.pendingUntil - SHORTEST_VALIDITY_SECONDS * 1000;
  return challenge.sends < settings.maxSends && resendAt <= lastSendAt ? resendAt : null;
}
