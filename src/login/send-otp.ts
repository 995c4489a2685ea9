import { NoAnswerError } from '../errors';
import type { LimitName } from '../limits/limits';
import type { PolicyContext } from '../limits/policy';
import type { Generated } from '../protocol/otp';
import type { Challenge, Purpose, Transaction } from '../stores/store';
import { chargeSend, giveBackSend } from './charge-send';
import type { LoginContext } from './context';
import type { PhoneChoice, Refusal } from './outcome';
import { choosePhone, maskPhone, type NewPhone } from './phones';
import {
  createPolicyContext,
  emitChargeDenials,
  isDenial,
  planCharges,
  runSendPolicies,
  settlePolicies,
} from './run-policies';
import { withTiming } from './events';
import { toUserIdText } from './users';

/** Whom a code is sent to, and why. */
export interface SendRequest {
  readonly user: Express.User;
  readonly purpose: Purpose;
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  /** The code this session already waits for. */
  readonly current: { readonly otpId: string; readonly pendingId: string } | undefined;
  /** The challenge a resend replaces; its pending login goes on. */
  readonly previous: Challenge | undefined;
  /** The number that the form chose, untouched. */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
  /** Purpose `transaction` only. */
  readonly transaction?: Transaction | undefined;
  readonly isRequired: () => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
}

/** The outcome of the decision. `already-sent`: the session's code is live and the next one may not be sent yet. */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly challenge: Challenge;
      readonly resendAt: number | null;
      readonly phones: readonly PhoneChoice[];
    }
  | { readonly kind: 'already-sent' }
  | { readonly kind: 'not-required' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type SendOtp = (request: SendRequest) => Promise<SendResult>;

/** The shortest life of a code that the gateway makes; a pending login takes no new code in its last seconds. OTP spec §8. */
const SHORTEST_VALIDITY_SECONDS = 120;

/**
 * Makes the decision to send. Refusals are values. The returned function
 * @throws {SmsOtpError} for errors of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(login: LoginContext): SendOtp {
  const { gateway, store, policies, settings } = login;

  return withTiming(login, 'send', sendOtp);

  async function sendOtp(request: SendRequest): Promise<SendResult> {
    const { user, purpose, address, previous, transaction, newPhone } = request;
    const identity = toUserIdText(login.getUserId(user));
    const subject = { userId: identity.userId, purpose, address };
    const refuse = (
      refusal: Refusal,
      policy: string | null = null,
      limit: LimitName | null = null,
    ): SendResult => {
      login.emit({ type: 'denied', ...subject, reason: refusal.reason, policy, limit });
      return { kind: 'refused', refusal };
    };

    // 1 is it required
    if (!(await request.isRequired())) return { kind: 'not-required' };

    // 2 the number
    const chosen = await choosePhone(login, request);
    if ('reason' in chosen) return refuse({ reason: chosen.reason });
    const { mobile, isConfirmed, phones } = chosen;

    // 3 the policies, and the message
    const context = await createPolicyContext(login, { user, ...subject, mobile });
    const denial = await runSendPolicies(login, context);
    if (denial !== null) return refuse(denial.refusal, denial.policy);
    const times = startSend(previous);
    const locale = await request.getLocale(user);
    const country = async (): Promise<string | null> => (await context.origin()).country;
    const messageContext = { user, purpose, locale, country, ...(transaction && { transaction }) };
    const message = await login.buildMessage(messageContext, times.validitySeconds);

    // What the client itself refuses is refused before anything is charged.
    const slot = await gateway.admit('generate');
    try {
      // 4 charge the send: the limits and the policies' counters, all or nothing
      const planned = await planCharges(policies, context);
      if (isDenial(planned)) return refuse(planned.refusal, planned.policy);
      const charge = await chargeSend(login, { ...context, isConfirmed }, planned);
      emitChargeDenials(context, charge, login.emit);
      if (!charge.isCharged) {
        const { refusal, refusedBy, limit, isInGap } = charge;
        if (isInGap && (await isWaiting(request, context))) return { kind: 'already-sent' };
        return refuse(refusal, refusedBy?.policy.name, limit);
      }

      // 5 the gateway makes the code and sends it
      const { text, sender } = message;
      const { validitySeconds, ...kept } = times;
      let generated: Generated;
      try {
        generated = await gateway.otp.generate({ mobile, sender, validitySeconds, message: text }, slot);
        settlePolicies(login, context, { kind: 'sent', cost: costOf(generated) });
      } catch (error) {
        // What the policies have reserved is free again, or uncertain.
        settlePolicies(login, context, {
          kind: error instanceof NoAnswerError && error.mayHaveArrived ? 'unknown' : 'not-sent',
        });
        await giveBackSend(login, charge, error);
        throw error;
      }

      // 6 remember the challenge
      const challenge: Challenge = {
        version: 1,
        otpId: generated.id,
        ...identity,
        purpose,
        mobile,
        isNewNumber: charge.isNewNumber,
        maxAttempts: settings.maxAttempts,
        ...kept,
        expiresAt: findExpiry(times, generated),
        transaction,
        replaces: newPhone?.replaces,
      };
      await store.challenges.begin(challenge, Math.ceil((challenge.pendingUntil - login.now()) / 1000));
      const sent = { maskedPhone: maskPhone(mobile), sends: times.sends, cost: costOf(generated) };
      login.emit({ type: 'sent', ...subject, ...sent, country: await country() });
      return {
        kind: 'sent',
        challenge,
        resendAt: findResendTime(login, challenge, charge.waitSeconds),
        phones,
      };
    } finally {
      slot.release();
    }
  }

  /** Opens a pending login, or goes on with one. The clock of a code starts before the gateway is asked. */
  function startSend(previous: Challenge | undefined): SendTimes {
    const sentAt = login.now();
    const pendingUntil = previous?.pendingUntil ?? sentAt + settings.pendingLoginSeconds * 1000;
    const secondsLeft = Math.floor((pendingUntil - sentAt) / 1000);
    return {
      pendingId: previous?.pendingId ?? login.randomId(),
      sends: (previous?.sends ?? 0) + 1,
      sentAt,
      pendingUntil,
      // The app's callbacks take time: a send that was just in time may be a little nearer to the end by now.
      validitySeconds: Math.max(
        SHORTEST_VALIDITY_SECONDS,
        Math.min(settings.codeValiditySeconds, secondsLeft),
      ),
    };
  }

  /** Returns true when the session waits for a live code of the same user and purpose: a double click, a reload, a step back. */
  async function isWaiting(
    { current, previous, transaction, newPhone }: SendRequest,
    { userId, mobile, purpose }: PolicyContext,
  ): Promise<boolean> {
    if (current === undefined || previous !== undefined) return false;
    const live = await store.challenges.find(current.otpId);
    if (live?.pendingId !== current.pendingId) return false;
    return (
      live.userId === userId &&
      live.mobile === mobile &&
      live.purpose === purpose &&
      live.replaces === newPhone?.replaces &&
      live.transaction?.amount === transaction?.amount &&
      live.transaction?.payee === transaction?.payee &&
      live.expiresAt > login.now()
    );
  }
}

/** The times of one send. A resend keeps the pending login's id and end. */
interface SendTimes extends Pick<Challenge, 'pendingId' | 'sends' | 'sentAt' | 'pendingUntil'> {
  readonly validitySeconds: number;
}

/** What the gateway says of the code's life can only shorten ours. */
function findExpiry({ sentAt, pendingUntil, validitySeconds }: SendTimes, generated: Generated): number {
  const reported = generated.variant === 'A' ? generated.validitySeconds : null;
  const lifeSeconds = Math.min(validitySeconds, reported ?? validitySeconds);
  return Math.min(sentAt + lifeSeconds * 1000, pendingUntil);
}

function costOf(generated: Generated): string | null {
  return generated.variant === 'B' ? generated.cost : null;
}

/** Returns when the next code may be requested, or null when this pending login has none left. */
export function findResendTime(
  { settings, now }: Pick<LoginContext, 'settings' | 'now'>,
  challenge: Challenge,
  waitSeconds: number,
): number | null {
  const resendAt = now() + waitSeconds * 1000;
  const lastSendAt = challenge.pendingUntil - SHORTEST_VALIDITY_SECONDS * 1000;
  return challenge.sends < settings.maxSends && resendAt <= lastSendAt ? resendAt : null;
}
