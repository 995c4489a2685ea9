import { isGatewayError } from '../errors';
import type { OtpText, Permit, TextedOtp } from '../gateway';
import type { OutageWatch } from '../limits/refunds';
import type { createNearWatch } from '../limits/near-limits';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin, SentOtp } from '../stores/store';
import {
  chargeSend,
  findSendRefusal,
  type RefusedCharge,
  refundUnusable,
  reportNearLimits,
  type SendCharge,
  toSendOutcome,
} from './charge-send';
import type { Core, UserPhone } from './context';
import type { Refusal } from './outcome';
import { maskPhone, type NoMessageNow, warnOfUnknownRange } from './phones';
import {
  createPolicyContext,
  type PolicyDenial,
  emitChargeDenials,
  isDenial,
  needsLookup,
  planCharges,
  runSendPolicies,
  type SendContext,
  settlePolicies,
} from '../features/policies/run-policies';
import {
  deny,
  type NotSent,
  type RefusedSend,
  type SendRequest,
  type SendResult,
} from './send-result';
import { findResendTime, type Recipient, SHORTEST_VALIDITY_SECONDS } from './wait-without-text';

/** What all messages of one instance share. */
export interface MessageSender {
  readonly core: Core;
  readonly outages: OutageWatch;
  readonly findNear: ReturnType<typeof createNearWatch>;
}

/** The user to whom a message goes. */
export interface MessageRecipient extends Recipient, Pick<UserPhone, 'isConfirmed'> {
  /** Why there is no number now; undefined: there is one, or the user has none. */
  readonly unusable: NoMessageNow | undefined;
}

/** A message that is about to be sent. */
interface Message {
  readonly request: SendRequest;
  readonly recipient: MessageRecipient;
  readonly context: SendContext;
}

/** Sends a code to a number, and attaches its OTP to the pending login. */
export async function sendMessage(
  sender: MessageSender,
  request: SendRequest,
  state: PendingState,
  recipient: MessageRecipient,
): Promise<SendResult | NotSent> {
  const { core } = sender;
  // 1 the policies, and the words of the message
  const context = await toPolicyContext(core, request, recipient);
  const message: Message = { request, recipient, context };
  const refused =
    (await checkPolicies(core, message, 'free')) ?? (await checkLookups(core, message));
  if (refused !== null) return refused;
  const times = startSend(core, request, state);
  const otp = await writeMessage(core, message, times);

  // 2 a call that the client itself refuses is refused before anything is charged
  const permit = await admit(core);
  if ('kind' in permit) return permit;
  try {
    // 3 charge the send: the limits and the policies' counters, all or nothing
    const charge = await chargeMessage(sender, message);
    if ('kind' in charge) return charge;

    // 4 the gateway makes the code and sends it
    const generated = await generate(sender, message, otp, charge, permit);
    if ('kind' in generated) return generated;

    // 5 attach the OTP to the pending login
    return await attach(core, message, { times, charge, generated });
  } finally {
    permit.release();
  }
}

function toPolicyContext(
  core: Core,
  { user, purpose, visit: { address } }: SendRequest,
  recipient: MessageRecipient,
): Promise<SendContext> {
  const { userId } = recipient.identity;
  return createPolicyContext(core, { ...recipient, user, userId, purpose, address });
}

async function checkPolicies(
  core: Core,
  message: Message,
  round: 'free' | 'lookups',
): Promise<RefusedSend | null> {
  const { context } = message;
  const denial = await runSendPolicies(core, context, round);
  if (denial?.refusal.reason !== 'country-not-allowed')
    warnOfUnknownRange(core, await context.origin());
  return denial && refuseByPolicy(core, message, denial);
}

async function refuseByPolicy(
  core: Core,
  { context }: Message,
  { refusal, policy }: PolicyDenial,
): Promise<RefusedSend> {
  const isOfCountry = ['country-not-allowed', 'unknown-range'].includes(refusal.reason);
  const about = isOfCountry && { country: (await context.origin()).country };
  return deny(core, context, refusal, { policy, ...about });
}

/** A lookup is paid for only if the limits would admit the send: a refused one costs nothing. */
async function checkLookups(core: Core, message: Message): Promise<SendResult | null> {
  const { context, recipient } = message;
  if (!needsLookup(core.policies, context)) return null;
  const planned = await planCharges(core.policies, context);
  if (isDenial(planned)) return refuseByPolicy(core, message, planned);
  const refused = await findSendRefusal(core, context, recipient, planned);
  if (refused !== null) return refuseCharge(core, message, refused);
  return checkPolicies(core, message, 'lookups');
}

/** The pending login of one send, and its times. */
interface SendTimes {
  readonly pending: PendingLogin;
  readonly sends: number;
  readonly sentAt: number;
  readonly validitySeconds: number;
}

/** The clock of a code starts before the gateway is asked. */
function startSend(core: Core, request: SendRequest, { pending, sends }: PendingState): SendTimes {
  const isResend = request.previous !== undefined;
  const sentAt = isResend ? core.now() : pending.startedAt;
  const secondsLeft = Math.floor((pending.pendingUntil - sentAt) / 1000);
  const wanted = Math.min(core.settings.codeValiditySeconds, secondsLeft);
  return {
    pending,
    sends: sends + 1,
    sentAt,
    // The app's callbacks take time: a send that was just in time may be a little nearer to the
    // end by now.
    validitySeconds: Math.max(SHORTEST_VALIDITY_SECONDS, wanted),
  };
}

async function writeMessage(
  core: Core,
  { request, recipient, context }: Message,
  { validitySeconds }: SendTimes,
): Promise<OtpText> {
  const { user, purpose, visit, transaction } = request;
  const locale = await visit.getLocale(user);
  const country = async (): Promise<string | null> => (await context.origin()).country;
  const about = { user, purpose, locale, country, transaction };
  const { text, sender } = await core.buildMessage(about, validitySeconds);
  return { mobile: recipient.mobile, sender, validitySeconds, message: text };
}

/** Reserves a call of the gateway. */
async function admit({ gateway }: Core): Promise<Permit | NotSent> {
  try {
    return await gateway.admit('generate');
  } catch (error) {
    return toNotSent(error, 0);
  }
}

/** @throws what is not an error of the gateway. */
function toNotSent(error: unknown, waitSeconds: number): NotSent {
  if (!isGatewayError(error)) throw error;
  const busySeconds = 'retryAfterSeconds' in error ? (error.retryAfterSeconds ?? 0) : 0;
  return { kind: 'not-sent', error, waitSeconds: Math.max(waitSeconds, busySeconds) };
}

/** A send that was charged. */
type Charged = Extract<SendCharge, { readonly isCharged: true }>;

async function chargeMessage(
  { core, outages, findNear }: MessageSender,
  message: Message,
): Promise<Charged | SendResult> {
  const { context, recipient } = message;
  const planned = await planCharges(core.policies, context);
  if (isDenial(planned)) return refuseByPolicy(core, message, planned);
  const charge = await chargeSend(core, context, recipient, planned, outages);
  if (!charge.isCharged) return refuseCharge(core, message, charge);
  emitChargeDenials(context, charge, core.emit);
  reportNearLimits(core, context, findNear(charge.rows));
  return charge;
}

async function refuseCharge(
  core: Core,
  message: Message,
  charge: RefusedCharge,
): Promise<SendResult> {
  const { refusal, refusedBy, limit, isInGap } = charge;
  emitChargeDenials(message.context, charge, core.emit);
  if (isInGap && (await isWaiting(core, message, refusal)))
    return { kind: 'already-sent', refusal };
  const policy = refusedBy?.policy.name ?? null;
  return deny(core, message.context, refusal, { policy, limit });
}

/**
 * Returns true when the session waits for an active pending login of the same request (user,
 * number, purpose, transaction): a double click, a reload, a step back. One without a message must
 * live until the message may be asked for. If another login has taken the OTP that the session
 * shows, the answer would promise a code that is no longer right.
 */
async function isWaiting(
  core: Core,
  message: Message,
  { retryAfterSeconds = 0 }: Refusal,
): Promise<boolean> {
  const { visit, previous } = message.request;
  if (visit.pending === undefined || previous !== undefined) return false;
  const live = await core.store.pendingLogins.findActive(visit.pending.pendingId);
  if (live === null) return false;

  const { otp } = live;
  const isOpen =
    otp === null
      ? visit.pending.otpId === null && findResendTime(core, live, retryAfterSeconds) !== null
      : otp.expiresAt > core.now();
  return isOpen && isSameRequest(live, message);
}

function isSameRequest({ pending, otp }: PendingState, message: Message): boolean {
  const { transaction, newPhone } = message.request;
  const { userId, mobile, purpose } = message.context;
  return (
    pending.userId === userId &&
    // Without an OTP it may be of any number.
    (otp === null || otp.mobile === mobile) &&
    pending.purpose === purpose &&
    pending.replaces === newPhone?.replaces &&
    pending.transaction?.amount === transaction?.amount &&
    pending.transaction?.payee === transaction?.payee
  );
}

async function generate(
  { core, outages }: MessageSender,
  { context }: Message,
  otp: OtpText,
  charge: Charged,
  permit: Permit,
): Promise<TextedOtp | NotSent> {
  try {
    const generated = await core.gateway.generate(otp, permit);
    outages.record(false);
    settlePolicies(core, context, { kind: 'sent', cost: generated.cost ?? null });
    return generated;
  } catch (error) {
    const outcome = toSendOutcome(error);
    const isLost = outcome === 'may-be-sent';
    outages.record(isLost);
    // The sums that the policies have reserved are free again, or uncertain.
    settlePolicies(core, context, { kind: isLost ? 'unknown' : 'not-sent' });
    return toNotSent(error, await charge.refund(outcome));
  }
}

/** A message that the gateway has sent. */
interface DeliveredMessage {
  readonly times: SendTimes;
  readonly charge: Charged;
  readonly generated: TextedOtp;
}

async function attach(
  core: Core,
  { recipient, context }: Message,
  { times, charge, generated }: DeliveredMessage,
): Promise<SendResult> {
  const { pending } = times;
  const { mobile, phones } = recipient;
  const otp: SentOtp = {
    version: 1,
    otpId: generated.id,
    bucket: charge.bucket,
    mobile,
    numberKey: context.numberKey,
    isNewNumber: charge.isNewNumber,
    sentAt: times.sentAt,
    expiresAt: findExpiry(times, generated),
  };
  const isKept = await keep(core, pending, otp);
  await emitSent(core, context, { times, charge, generated });
  // The pending login has ended while the message was sent.
  if (!isKept) return deny(core, context, { reason: 'no-pending-login' });

  const resendAt = findResendTime(core, times, charge.waitSeconds);
  const factors = ['sms', ...recipient.factors];
  return { kind: 'sent', pending, isJoined: false, otp, mobile, resendAt, phones, factors };
}

/** The lifetime that the gateway reports can only shorten ours. */
function findExpiry({ sentAt, pending, validitySeconds }: SendTimes, generated: TextedOtp): number {
  const lifeSeconds = Math.min(validitySeconds, generated.validitySeconds ?? validitySeconds);
  return Math.min(sentAt + lifeSeconds * 1000, pending.pendingUntil);
}

/** The message is out: when its OTP cannot be kept, the user cannot use it. */
async function keep(core: Core, pending: PendingLogin, otp: SentOtp): Promise<boolean> {
  const { pendingId, userId } = pending;
  const endsPrevious = !core.settings.acceptsEarlierCode;
  try {
    return await core.store.pendingLogins.attach(pendingId, otp, endsPrevious);
  } catch (error) {
    await refundUnusable(core, { userId, bucket: otp.bucket });
    throw error;
  }
}

async function emitSent(
  core: Core,
  { userId, purpose, address, mobile, origin }: SendContext,
  { times: { sends }, charge: { usedUp }, generated }: DeliveredMessage,
): Promise<void> {
  const subject = { userId, purpose, address };
  const { country } = await origin();
  const sent = { maskedPhone: maskPhone(mobile), sends, cost: generated.cost ?? null };
  core.emit({ type: 'sent', ...subject, ...sent, country });
  if (usedUp !== null) core.emit({ type: 'sends-used-up', ...subject, sends: usedUp });
}
