import type { Generated } from '../protocol/otp-answers';
import type { Challenge, Purpose, Transaction } from '../stores/store';
import type { LoginParts } from './login-parts';
import type { UserIdText } from './user-id';

/** The shortest life of a code that the gateway makes; a pending login takes no new code in its last seconds. OTP spec §8. */
const SHORTEST_VALIDITY_SECONDS = 120;

/** The times of one send. A resend keeps the pending login's id and end. */
export interface SendTimes {
  readonly pendingId: string;
  readonly sends: number;
  readonly sentAt: number;
  readonly pendingUntil: number;
  readonly validitySeconds: number;
}

/** What a challenge is made of, but for what the charge and the gateway have said. */
export interface ChallengeSource {
  readonly identity: UserIdText;
  readonly times: SendTimes;
  readonly purpose: Purpose;
  readonly mobile: string;
  readonly transaction: Transaction | undefined;
  readonly replaces: string | undefined;
}

/** Opens a pending login, or goes on with one. The clock of a code starts before the gateway is asked. */
export function startSend(
  { settings, now, randomId }: LoginParts,
  previous: Challenge | undefined,
): SendTimes {
  const sentAt = now();
  const pendingUntil = previous?.pendingUntil ?? sentAt + settings.pendingSeconds * 1000;
  const secondsLeft = Math.floor((pendingUntil - sentAt) / 1000);
  return {
    pendingId: previous?.pendingId ?? randomId(),
    sends: (previous?.sends ?? 0) + 1,
    sentAt,
    pendingUntil,
    // The app's callbacks take time: a send that was just in time may stand a little nearer to the end by now.
    validitySeconds: Math.max(SHORTEST_VALIDITY_SECONDS, Math.min(settings.pinValiditySeconds, secondsLeft)),
  };
}

/** The record of a code that is out. What the gateway says of its life can only shorten ours. */
export function toChallenge(
  { identity, times, purpose, mobile, transaction, replaces }: ChallengeSource,
  { maxAttempts, isNewNumber }: Pick<Challenge, 'maxAttempts' | 'isNewNumber'>,
  generated: Generated,
): Challenge {
  const { pendingId, sends, sentAt, pendingUntil, validitySeconds } = times;
  const told = generated.variant === 'A' ? generated.validitySeconds : null;
  const lifeSeconds = Math.min(validitySeconds, told ?? validitySeconds);
  return {
    version: 1,
    otpId: generated.id,
    pendingId,
    userId: identity.userId,
    userIdType: identity.userIdType,
    purpose,
    mobile,
    isNewNumber,
    sends,
    maxAttempts,
    sentAt,
    expiresAt: Math.min(sentAt + lifeSeconds * 1000, pendingUntil),
    pendingUntil,
    transaction,
    replaces,
  };
}

/** When the next code may be asked for, or null when this pending login has none left. */
export function findResendTime(
  { settings, now }: LoginParts,
  challenge: Challenge,
  waitSeconds: number,
): number | null {
  const resendAt = now() + waitSeconds * 1000;
  const lastSendAt = challenge.pendingUntil - SHORTEST_VALIDITY_SECONDS * 1000;
  return challenge.sends < settings.maxSends && resendAt <= lastSendAt ? resendAt : null;
}
