import type { Generated } from '../protocol/otp-answers';
import type { Challenge, Purpose } from '../stores/store';
import type { LoginParts } from './login-parts';
import type { UserIdText } from './user-id';

/** A pending login takes no new code in its last seconds: the gateway makes none that lives shorter. OTP spec §8. */
const LAST_SEND_BEFORE_END_MS = 120_000;

/** The times of one send. A resend keeps the pending login's id and end. */
export interface SendTimes {
  readonly pendingId: string;
  readonly sends: number;
  readonly sentAt: number;
  readonly pendingUntil: number;
  readonly validitySeconds: number;
}

/** What a challenge is made of. */
export interface ChallengeSource extends UserIdText, SendTimes {
  readonly purpose: Purpose;
  readonly mobile: string;
  readonly isNewNumber: boolean;
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
    validitySeconds: Math.min(settings.pinValiditySeconds, secondsLeft),
  };
}

/** The record of a code that is out. What the gateway says of its life can only shorten ours. */
export function toChallenge(source: ChallengeSource, maxAttempts: number, generated: Generated): Challenge {
  const { validitySeconds, ...record } = source;
  const told = generated.variant === 'A' ? generated.validitySeconds : null;
  const lifeSeconds = Math.min(validitySeconds, told ?? validitySeconds);
  return {
    version: 1,
    otpId: generated.id,
    maxAttempts,
    ...record,
    expiresAt: source.sentAt + lifeSeconds * 1000,
  };
}

/** When the next code may be asked for, or null when this pending login has none left. */
export function findResendTime(
  { settings, now }: LoginParts,
  challenge: Challenge,
  gapSeconds: number,
): number | null {
  const resendAt = now() + gapSeconds * 1000;
  const isPossible =
    challenge.sends < settings.maxSends && resendAt <= challenge.pendingUntil - LAST_SEND_BEFORE_END_MS;
  return isPossible ? resendAt : null;
}
