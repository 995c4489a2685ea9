import { findNumberCountry } from '../policies/number-country';
import type { Challenge, Purpose } from '../stores/store';
import { askPolicies } from './ask-policies';
import { findResendTime, startSend, toChallenge } from './challenge-record';
import type { LoginParts } from './login-parts';
import type { Refusal } from './outcome';
import { isPhoneNumber, maskPhone } from './phone-number';
import { chargeSend } from './send-charge';
import { toUserIdText } from './user-id';

/** Whom a code is sent to, and why. */
export interface SendRequest {
  readonly user: Express.User;
  readonly purpose: Purpose;
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  /** The code this session waits for already. */
  readonly current: { readonly otpId: string; readonly pendingId: string } | undefined;
  /** The challenge a resend replaces; its pending login goes on. */
  readonly previous: Challenge | undefined;
  readonly isRequired: () => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
}

/** What the decision came to. `already-sent`: the session's code is live and the next one may not be sent yet. */
export type SendResult =
  | { readonly kind: 'sent'; readonly challenge: Challenge; readonly resendAt: number | null }
  | { readonly kind: 'already-sent' }
  | { readonly kind: 'not-required' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The decision to send. Refusals are values.
 * @throws {SmsOtpError} for accidents of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(parts: LoginParts): (request: SendRequest) => Promise<SendResult> {
  const { gateway, settings, store } = parts;

  return async function sendOtp(request) {
    const { user, purpose, address, previous } = request;
    const identity = toUserIdText(parts.getUserId(user));
    const subject = { userId: identity.userId, purpose, address };
    const refuse = (refusal: Refusal, policy: string | null = null): SendResult => {
      parts.emit({ type: 'denied', ...subject, reason: refusal.reason, policy });
      return { kind: 'refused', refusal };
    };

    // 1 is it required
    if (!(await request.isRequired())) return { kind: 'not-required' };

    // 2 the number
    const mobile = await parts.getPhone(user);
    if (!isPhoneNumber(mobile)) return refuse({ reason: 'no-phone' });
    if (previous !== undefined && previous.mobile !== mobile) return refuse({ reason: 'user-gone' });

    // 3 the policies
    const denial = await askPolicies(parts.policies, { stage: 'send', user, ...subject, mobile });
    if (denial !== null) return refuse(denial.refusal, denial.policy);
    const times = startSend(parts, previous);
    const { text, sender } = await parts.buildMessage(
      { user, purpose, locale: await request.getLocale(user), country: () => findNumberCountry(mobile) },
      times.validitySeconds,
    );

    // 4 charge the send; what the client itself refuses is refused before anything is charged
    const admission = await gateway.admit('generate');
    try {
      const charge = await chargeSend(parts, { ...subject, mobile });
      if (!charge.isCharged) {
        const isTooSoon = charge.refusal.reason === 'resend-too-soon';
        return isTooSoon && (await isWaiting(request, identity.userId, mobile))
          ? { kind: 'already-sent' }
          : refuse(charge.refusal);
      }

      // 5 the gateway makes the code and sends it
      const { validitySeconds } = times;
      const generated = await gateway.otp.generate(
        { mobile, sender, validitySeconds, message: text },
        admission,
      );

      // 6 remember the challenge
      const { isNewNumber } = charge;
      const source = { ...identity, purpose, mobile, isNewNumber, ...times };
      const challenge = toChallenge(source, settings.maxAttempts, generated);
      await store.challenges.begin(challenge, Math.ceil((challenge.pendingUntil - parts.now()) / 1000));
      const cost = generated.variant === 'B' ? generated.cost : null;
      parts.emit({ type: 'sent', ...subject, maskedPhone: maskPhone(mobile), sends: times.sends, cost });
      return { kind: 'sent', challenge, resendAt: findResendTime(parts, challenge, charge.waitSeconds) };
    } finally {
      admission.release();
    }
  };

  /** True when the session waits for a live code of the same user and purpose: a double click, a reload, a step back. */
  async function isWaiting(request: SendRequest, userId: string, mobile: string): Promise<boolean> {
    const { current, previous, purpose } = request;
    if (current === undefined || previous !== undefined) return false;
    const live = await store.challenges.find(current.otpId);
    if (live?.pendingId !== current.pendingId) return false;
    const isSame = live.userId === userId && live.mobile === mobile && live.purpose === purpose;
    return isSame && live.expiresAt > parts.now();
  }
}
