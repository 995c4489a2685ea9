import type { Admission } from '../client/gateway-client';
import type { PolicyContext } from '../limits/policy';
import type { OutgoingMessage } from '../messages/build-message';
import type { Generated, GenerateInput } from '../protocol/otp';
import type { Challenge, Purpose, Transaction } from '../stores/store';
import { chargeSend } from './charge-send';
import { mayHaveArrived } from './code-verifiers';
import type { LoginContext } from './context';
import type { PhoneChoice, Refusal } from './outcome';
import { choosePhone, maskPhone, type NewPhone } from './phones';
import {
  askSendPolicies,
  isPlan,
  planCharges,
  type SendContext,
  settlePolicies,
  tellCharges,
  toPolicyContext,
} from './run-policies';
import { withTiming } from './time-decision';
import { toUserIdText, type UserIdText } from './users';

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
function startSend({ settings, now, randomId }: LoginContext, previous: Challenge | undefined): SendTimes {
  const sentAt = now();
  const pendingUntil = previous?.pendingUntil ?? sentAt + settings.pendingLoginSeconds * 1000;
  const secondsLeft = Math.floor((pendingUntil - sentAt) / 1000);
  return {
    pendingId: previous?.pendingId ?? randomId(),
    sends: (previous?.sends ?? 0) + 1,
    sentAt,
    pendingUntil,
    // The app's callbacks take time: a send that was just in time may stand a little nearer to the end by now.
    validitySeconds: Math.max(SHORTEST_VALIDITY_SECONDS, Math.min(settings.codeValiditySeconds, secondsLeft)),
  };
}

/** The record of a code that is out. What the gateway says of its life can only shorten ours. */
function toChallenge(
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
  { settings, now }: LoginContext,
  challenge: Challenge,
  waitSeconds: number,
): number | null {
  const resendAt = now() + waitSeconds * 1000;
  const lastSendAt = challenge.pendingUntil - SHORTEST_VALIDITY_SECONDS * 1000;
  return challenge.sends < settings.maxSends && resendAt <= lastSendAt ? resendAt : null;
}

/** What became of a send that the policies have allowed. `policy`: the rule whose counter refused, null for our own limits. */
export type Delivery =
  | { readonly kind: 'sent'; readonly challenge: Challenge; readonly resendAt: number | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly policy: string | null };

/** Charges the send, has the gateway make and send the code, and remembers the challenge. */
async function deliverCode(
  parts: LoginContext,
  context: SendContext,
  source: ChallengeSource,
  { text, sender }: OutgoingMessage,
): Promise<Delivery> {
  const { gateway, settings, store } = parts;
  // What the client itself refuses is refused before anything is charged.
  const admission = await gateway.admit('generate');
  try {
    // 4 charge the send
    const planned = await planCharges(parts.policies, context);
    if (!isPlan(planned)) return { kind: 'refused', ...planned };
    const charge = await chargeSend(parts, context, planned);
    tellCharges(context, charge, parts.emit);
    if (!charge.isCharged) {
      return { kind: 'refused', refusal: charge.refusal, policy: charge.refusedBy?.policy.name ?? null };
    }

    // 5 the gateway makes the code and sends it
    const { mobile, times } = source;
    const order = { mobile, sender, validitySeconds: times.validitySeconds, message: text };
    const generated = await generate(parts, context, order, admission);

    // 6 remember the challenge
    const { isNewNumber, waitSeconds } = charge;
    const { maxAttempts } = settings;
    const challenge = toChallenge(source, { maxAttempts, isNewNumber }, generated);
    await store.challenges.begin(challenge, Math.ceil((challenge.pendingUntil - parts.now()) / 1000));
    const { userId, purpose, address } = context;
    const { country } = await context.origin();
    const sent = { maskedPhone: maskPhone(mobile), sends: times.sends, cost: costOf(generated), country };
    parts.emit({ type: 'sent', userId, purpose, address, ...sent });
    return { kind: 'sent', challenge, resendAt: findResendTime(parts, challenge, waitSeconds) };
  } finally {
    admission.release();
  }
}

/** Asks the gateway, and tells the policies what became of it: what they have reserved is spent, free again, or uncertain. */
async function generate(
  parts: LoginContext,
  context: PolicyContext,
  order: GenerateInput,
  admission: Admission,
): Promise<Generated> {
  try {
    const generated = await parts.gateway.otp.generate(order, admission);
    settlePolicies(parts, context, { kind: 'sent', cost: costOf(generated) });
    return generated;
  } catch (error) {
    settlePolicies(parts, context, { kind: mayHaveArrived(error) ? 'unknown' : 'not-sent' });
    throw error;
  }
}

function costOf(generated: Generated): string | null {
  return generated.variant === 'B' ? generated.cost : null;
}

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
  /** The number that the form chose, untouched. */
  readonly phoneId?: unknown;
  /** Purpose `enroll` only. */
  readonly newPhone?: NewPhone | undefined;
  /** Purpose `transaction` only. */
  readonly transaction?: Transaction | undefined;
  readonly isRequired: () => Promise<boolean>;
  readonly getLocale: (user: Express.User) => Promise<string | undefined>;
}

/** What the decision came to. `already-sent`: the session's code is live and the next one may not be sent yet. */
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

/**
 * The decision to send. Refusals are values.
 * @throws {SmsOtpError} for accidents of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(parts: LoginContext): (request: SendRequest) => Promise<SendResult> {
  const { store } = parts;

  return withTiming(parts, 'send', sendOtp);

  async function sendOtp(request: SendRequest): Promise<SendResult> {
    const { user, purpose, address, previous, transaction } = request;
    const identity = toUserIdText(parts.getUserId(user));
    const { userId } = identity;
    const subject = { userId, purpose, address };
    const refuse = (refusal: Refusal, policy: string | null = null): SendResult => {
      parts.emit({ type: 'denied', ...subject, reason: refusal.reason, policy });
      return { kind: 'refused', refusal };
    };

    // 1 is it required
    if (!(await request.isRequired())) return { kind: 'not-required' };

    // 2 the number
    const { phoneId, newPhone } = request;
    const chosen = await choosePhone(parts, { user, previous, phoneId, newPhone });
    if ('reason' in chosen) return refuse({ reason: chosen.reason });
    const { mobile, phones } = chosen;

    // 3 the policies
    const context = await toPolicyContext(parts, { user, ...subject, mobile });
    const denial = await askSendPolicies(parts, context);
    if (denial !== null) return refuse(denial.refusal, denial.policy);
    const times = startSend(parts, previous);
    const locale = await request.getLocale(user);
    const message = await parts.buildMessage(
      {
        user,
        purpose,
        locale,
        country: async () => (await context.origin()).country,
        ...(transaction && { transaction }),
      },
      times.validitySeconds,
    );

    // 4 to 6 charge the send, let the gateway make and send the code, remember the challenge
    const source = { identity, times, purpose, mobile, transaction, replaces: newPhone?.replaces };
    const delivery = await deliverCode(parts, context, source, message);
    if (delivery.kind === 'sent') {
      const { challenge, resendAt } = delivery;
      return { kind: 'sent', challenge, resendAt, phones };
    }
    const { refusal, policy } = delivery;
    const isTooSoon = policy === null && refusal.reason === 'resend-too-soon';
    if (isTooSoon && (await isWaiting(request, context))) return { kind: 'already-sent' };
    return refuse(refusal, policy);
  }

  /** True when the session waits for a live code of the same user and purpose: a double click, a reload, a step back. */
  async function isWaiting(
    { current, previous, transaction, newPhone }: SendRequest,
    { userId, mobile, purpose }: PolicyContext,
  ): Promise<boolean> {
    if (current === undefined || previous !== undefined) return false;
    const live = await store.challenges.find(current.otpId);
    if (live?.pendingId !== current.pendingId) return false;
    const isSame = live.userId === userId && live.mobile === mobile && live.purpose === purpose;
    return (
      isSame &&
      live.replaces === newPhone?.replaces &&
      isSameTransaction(live.transaction, transaction) &&
      live.expiresAt > parts.now()
    );
  }
}

function isSameTransaction(one: Transaction | undefined, other: Transaction | undefined): boolean {
  return one?.amount === other?.amount && one?.payee === other?.payee;
}
