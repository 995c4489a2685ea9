import type { ListFactors } from '../account/factors';
import type { Permit } from '../client/gateway-client';
import { type GatewayError, isGatewayError, NoAnswerError } from '../errors';
import type { LimitName } from '../limits/limits';
import type { PolicyContext } from '../limits/policy';
import type { Generated } from '../protocol/otp';
import type { Challenge, Purpose, Transaction } from '../stores/store';
import { chargeSend, giveBackSend } from './charge-send';
import { admitsOtherFactors } from './code-verifiers';
import type { LoginContext, UserPhone } from './context';
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
import {
  createWaitWithoutText,
  findResendTime,
  type Recipient,
  SHORTEST_VALIDITY_SECONDS,
  type Waiting,
} from './wait-without-text';

/** Whom a code is sent to, and why. */
export interface SendRequest {
  readonly user: Express.User;
  readonly purpose: Purpose;
  /** The client's address as Express gives it. */
  readonly address: string | undefined;
  /** The cookie of known browsers, unchecked. A resend keeps the bucket of its challenge. */
  readonly browserCookie: string | undefined;
  /** The code this session already waits for. */
  readonly current: { readonly otpId: string; readonly pendingId: string } | undefined;
  /** The challenge a resend replaces; its pending login goes on. */
  readonly previous: Challenge | undefined;
  /** The id of the pending login that begins. Left out: a new one. */
  readonly pendingId?: string | undefined;
  /** The number that the form chose, untouched. */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
  /** Purpose `transaction` only. */
  readonly transaction?: Transaction | undefined;
  readonly isRequired: () => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
  /** The factor that comes first, untouched. Left out: the text. */
  readonly getPreferredFactor?: (user: Express.User) => Promise<unknown>;
}

/**
 * The outcome of the decision. `already-sent`: the session's challenge is live and the next text
 * may not be sent yet, as the refusal says. `waiting`: no text went out, and the pending login has
 * begun all the same.
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly challenge: Challenge;
      readonly resendAt: number | null;
      readonly phones: readonly PhoneChoice[];
      /** What this user can do now. */
      readonly factors: readonly string[];
    }
  | Waiting
  | { readonly kind: 'already-sent'; readonly refusal: Refusal }
  | { readonly kind: 'not-required' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The gateway, or what stands before it, has kept the text from going out. */
interface NotSent {
  readonly kind: 'not-sent';
  readonly error: GatewayError;
  /** Seconds until another text may be asked for. */
  readonly waitSeconds: number;
}

export type SendOtp = (request: SendRequest) => Promise<SendResult>;

/**
 * Makes the decision to send. Refusals are values. The returned function
 * @throws {SmsOtpError} for errors of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(login: LoginContext, listFactors: ListFactors): SendOtp {
  const { gateway, store, policies, settings } = login;
  const waitWithoutText = createWaitWithoutText(login);

  return withTiming(login, 'send', sendOtp);

  async function sendOtp(request: SendRequest): Promise<SendResult> {
    const { user, purpose, address } = request;
    const identity = toUserIdText(login.getUserId(user));
    const { userId } = identity;

    // 1 is it required
    if (!(await request.isRequired())) return { kind: 'not-required' };

    // 2 the number, and what else this user can do
    const chosen = await choosePhone(login, request);
    if ('reason' in chosen && chosen.reason === 'user-gone')
      return refuse(request, userId, { reason: 'user-gone' });
    const { mobile, isConfirmed, phones } =
      'reason' in chosen ? { mobile: '', isConfirmed: false, phones: [] } : chosen;
    const factors = admitsOtherFactors(purpose) ? await listFactors(user, userId) : [];
    const bucket =
      request.previous?.bucket ?? (await login.browsers.findBucket(request.browserCookie, userId));
    const recipient = { identity, bucket, mobile, isConfirmed, phones, factors };
    const wait = { request, ...recipient, status: null };
    if (factors.length > 0 && (await isAnotherFirst(request, factors))) {
      const waiting = await waitWithoutText({ ...wait, refusal: null, waitSeconds: 0 });
      const { perSeconds } = settings.limits.withoutText;
      const refusal: Refusal = { reason: 'send-limit', retryAfterSeconds: perSeconds };
      return waiting ?? refuse(request, userId, refusal, null, 'without-text');
    }

    const result =
      mobile === ''
        ? refuse(request, userId, { reason: 'no-phone' })
        : await sendText(request, recipient);
    // A right password leads to a pending login, whatever becomes of the text.
    if (result.kind === 'refused') {
      const { refusal } = result;
      const waitSeconds = refusal.retryAfterSeconds ?? null;
      return (await waitWithoutText({ ...wait, refusal, waitSeconds })) ?? result;
    }
    if (result.kind !== 'not-sent') return result;
    const { error, waitSeconds } = result;
    const refusal: Refusal = {
      reason: 'not-sent',
      ...(waitSeconds > 0 && { retryAfterSeconds: waitSeconds }),
    };
    const waiting = await waitWithoutText({ ...wait, refusal, waitSeconds, status: error.status });
    if (waiting === null) throw error;
    login.emit({
      type: 'denied',
      userId,
      purpose,
      address,
      reason: 'not-sent',
      policy: null,
      limit: null,
    });
    return waiting;
  }

  /** A name that this user cannot use now counts as the text. */
  async function isAnotherFirst(
    { user, getPreferredFactor }: SendRequest,
    factors: readonly string[],
  ): Promise<boolean> {
    const preferred: unknown = await getPreferredFactor?.(user);
    return factors.some((factor) => factor === preferred);
  }

  function refuse(
    { purpose, address }: SendRequest,
    userId: string,
    refusal: Refusal,
    policy: string | null = null,
    limit: LimitName | null = null,
  ): Extract<SendResult, { readonly kind: 'refused' }> {
    login.emit({ type: 'denied', userId, purpose, address, reason: refusal.reason, policy, limit });
    return { kind: 'refused', refusal };
  }

  async function sendText(
    request: SendRequest,
    {
      identity,
      bucket,
      mobile,
      isConfirmed,
      phones,
      factors,
    }: Recipient & Pick<UserPhone, 'isConfirmed'>,
  ): Promise<SendResult | NotSent> {
    const { user, purpose, address, previous, transaction, newPhone } = request;
    const subject = { userId: identity.userId, purpose, address };

    // 3 the policies, and the message
    const context = await createPolicyContext(login, { user, ...subject, mobile });
    const denial = await runSendPolicies(login, context);
    if (denial !== null) return refuse(request, subject.userId, denial.refusal, denial.policy);
    const times = startSend(request);
    const locale = await request.getLocale(user);
    const country = async (): Promise<string | null> => (await context.origin()).country;
    const messageContext = { user, purpose, locale, country, transaction };
    const message = await login.buildMessage(messageContext, times.validitySeconds);

    // What the client itself refuses is refused before anything is charged.
    const slot = await admit();
    if ('kind' in slot) return slot;
    try {
      // 4 charge the send: the limits and the policies' counters, all or nothing
      const planned = await planCharges(policies, context);
      if (isDenial(planned))
        return refuse(request, subject.userId, planned.refusal, planned.policy);
      const charge = await chargeSend(login, context, { bucket, isConfirmed }, planned);
      emitChargeDenials(context, charge, login.emit);
      if (!charge.isCharged) {
        const { refusal, refusedBy, limit, isInGap } = charge;
        if (isInGap && (await isWaiting(request, context, refusal))) {
          return { kind: 'already-sent', refusal };
        }
        return refuse(request, subject.userId, refusal, refusedBy?.policy.name ?? null, limit);
      }

      // 5 the gateway makes the code and sends it
      const { text, sender } = message;
      const { validitySeconds, ...kept } = times;
      let generated: Generated;
      try {
        generated = await gateway.otp.generate(
          { mobile, sender, validitySeconds, message: text },
          slot,
        );
        settlePolicies(login, context, { kind: 'sent', cost: costOf(generated) });
      } catch (error) {
        // What the policies have reserved is free again, or uncertain.
        settlePolicies(login, context, {
          kind: error instanceof NoAnswerError && error.mayHaveArrived ? 'unknown' : 'not-sent',
        });
        return toNotSent(error, await giveBackSend(login, charge, error));
      }

      // 6 remember the challenge
      const challenge: Challenge = {
        version: 1,
        otpId: generated.id,
        ...identity,
        purpose,
        isSent: true,
        bucket: charge.bucket,
        mobile,
        numberKey: context.numberKey,
        isNewNumber: charge.isNewNumber,
        maxAttempts: settings.maxAttempts,
        ...kept,
        expiresAt: findExpiry(times, generated),
        transaction,
        replaces: newPhone?.replaces,
      };
      const ttlSeconds = Math.ceil((challenge.pendingUntil - login.now()) / 1000);
      const supersedes = previous === undefined ? 'any' : 'live';
      const isBegun: unknown = await store.challenges.begin(challenge, ttlSeconds, { supersedes });
      const sent = { maskedPhone: maskPhone(mobile), sends: times.sends, cost: costOf(generated) };
      login.emit({ type: 'sent', ...subject, ...sent, country: await country() });
      if (charge.usedUp !== null)
        login.emit({ type: 'sends-used-up', ...subject, sends: charge.usedUp });
      // The pending login has ended while the text was sent.
      if (isBegun === false) return refuse(request, subject.userId, { reason: 'no-pending-login' });
      return {
        kind: 'sent',
        challenge,
        resendAt: findResendTime(login, challenge, charge.waitSeconds),
        phones,
        factors: ['sms', ...factors],
      };
    } finally {
      slot.release();
    }
  }

  /** Reserves a call of the gateway. */
  async function admit(): Promise<Permit | NotSent> {
    try {
      return await gateway.admit('generate');
    } catch (error) {
      return toNotSent(error, 0);
    }
  }

  /**
   * Opens a pending login, or goes on with one. The clock of a code starts before the gateway is
   * asked.
   */
  function startSend({ previous, pendingId }: SendRequest): SendTimes {
    const sentAt = login.now();
    const pendingUntil = previous?.pendingUntil ?? sentAt + settings.pendingLoginSeconds * 1000;
    const secondsLeft = Math.floor((pendingUntil - sentAt) / 1000);
    return {
      pendingId: previous?.pendingId ?? pendingId ?? login.randomId(),
      sends: (previous?.sends ?? 0) + 1,
      sentAt,
      pendingUntil,
      // The app's callbacks take time: a send that was just in time may be a little nearer to the
      // end by now.
      validitySeconds: Math.max(
        SHORTEST_VALIDITY_SECONDS,
        Math.min(settings.codeValiditySeconds, secondsLeft),
      ),
    };
  }

  /**
   * Returns true when the session waits for a live challenge of the same request (user, number,
   * purpose, transaction): a double click, a reload, a step back. One without a text must live
   * until the text may be asked for.
   */
  async function isWaiting(
    { current, transaction, newPhone }: SendRequest,
    { userId, mobile, purpose }: PolicyContext,
    { retryAfterSeconds = 0 }: Refusal,
  ): Promise<boolean> {
    if (current === undefined) return false;
    const live = await store.challenges.find(current.otpId);
    if (live?.challenge.pendingId !== current.pendingId) return false;
    const { challenge, hasLiveCode } = live;
    const isOpen = challenge.isSent
      ? hasLiveCode && challenge.expiresAt > login.now()
      : findResendTime(login, challenge, retryAfterSeconds) !== null;
    return (
      isOpen &&
      challenge.userId === userId &&
      challenge.mobile === mobile &&
      challenge.purpose === purpose &&
      challenge.replaces === newPhone?.replaces &&
      challenge.transaction?.amount === transaction?.amount &&
      challenge.transaction?.payee === transaction?.payee
    );
  }
}

/** @throws what is not an error of the gateway. */
function toNotSent(error: unknown, waitSeconds: number): NotSent {
  if (!isGatewayError(error)) throw error;
  const busySeconds = 'retryAfterSeconds' in error ? (error.retryAfterSeconds ?? 0) : 0;
  return { kind: 'not-sent', error, waitSeconds: Math.max(waitSeconds, busySeconds) };
}

/** The times of one send. A resend keeps the pending login's id and end. */
interface SendTimes extends Pick<Challenge, 'pendingId' | 'sends' | 'sentAt' | 'pendingUntil'> {
  readonly validitySeconds: number;
}

/** What the gateway says of the code's life can only shorten ours. */
function findExpiry(
  { sentAt, pendingUntil, validitySeconds }: SendTimes,
  generated: Generated,
): number {
  const reported = generated.variant === 'A' ? generated.validitySeconds : null;
  const lifeSeconds = Math.min(validitySeconds, reported ?? validitySeconds);
  return Math.min(sentAt + lifeSeconds * 1000, pendingUntil);
}

function costOf(generated: Generated): string | null {
  return generated.variant === 'B' ? generated.cost : null;
}
