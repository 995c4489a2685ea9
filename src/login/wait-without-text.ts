import { toAddressBlock } from '../limits/address-block';
import { guessCounters, OTHER_BROWSERS, readOnly } from '../limits/failures';
import type { Limits } from '../limits/options';
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

/**
 * Makes the part of `sendOtp` that begins a pending login without a text. The returned function
 * returns null when there is nothing this user could do, or when too many logins have begun that
 * way.
 * @throws {StoreError} `ERR_STORE`
 */
export function createWaitWithoutText(
  login: LoginContext,
): (asked: WithoutText) => Promise<Waiting | null> {
  const { store, settings } = login;

  return async function waitWithoutText(asked) {
    const { request, factors, refusal, phones, status } = asked;
    const { purpose, previous, address } = request;
    if (!admitsOtherFactors(purpose) || previous !== undefined) return null;
    const challenge = toChallenge(asked);
    const resendAt =
      asked.mobile === '' ? null : findResendTime(login, challenge, asked.waitSeconds);
    if (factors.length === 0 && resendAt === null) return null;
    const bucket = await chargeWait(challenge, toAddressBlock(address));
    if (bucket === null) return null;
    const { pendingLoginSeconds } = settings;
    const waiting = { ...challenge, bucket };
    const isBegun: unknown = await store.challenges.begin(waiting, pendingLoginSeconds, {
      supersedes: 'any',
    });
    // The session waits for a text that is out already.
    if (isBegun === false) return null;
    const usable = resendAt === null ? factors : ['sms', ...factors];
    return {
      kind: 'waiting',
      challenge: waiting,
      resendAt,
      phones,
      factors: usable,
      refusal,
      status,
    };
  };

  /**
   * Returns the bucket of the login, or null when it is refused. A known browser that is full
   * counts as one of the others.
   */
  async function chargeWait(
    { userId, bucket }: Pick<Challenge, 'userId' | 'bucket'>,
    block: string,
  ): Promise<string | null> {
    const { limits } = settings;
    const guards =
      bucket === OTHER_BROWSERS ? [] : readOnly(guessCounters(limits, userId, bucket, 'sms'));
    const counters = [...guards, ...withoutTextCounters(limits, userId, block)];
    const { refusedBy } = await store.counters.charge(counters);
    if (refusedBy === null) return bucket;
    return refusedBy < guards.length ? chargeWait({ userId, bucket: OTHER_BROWSERS }, block) : null;
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

/**
 * Counts logins begun without a text, by user and address block, and by address block. No block has
 * a space in it.
 */
function withoutTextCounters(
  { withoutText }: Limits,
  userId: string,
  block: string,
): readonly Counter[] {
  const { max, maxPerAddress, perSeconds: windowSeconds } = withoutText;
  return [
    { key: `without-text:${block} ${userId}`, windowSeconds, max },
    { key: `without-text:${block}`, windowSeconds, max: maxPerAddress },
  ];
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
