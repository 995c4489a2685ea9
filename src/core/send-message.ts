import { isGatewayError } from '../errors';
import type { OtpText, Permit, TextedOtp } from '../gateway';
import { createOutageWatch, type OutageWatch } from '../limits/refunds';
import { provenCounter } from '../limits/table';
import type { PendingState } from '../stores/pending-logins';
import type { PendingLogin, SentOtp } from '../stores/store';
import { isSameDestination, maskAddress, MESSAGE, readRecipient } from './addresses';
import {
  chargeSend,
  findSendRefusal,
  type RefusedCharge,
  refundUnusable,
  type ReportNear,
  type SendCharge,
  toSendOutcome,
} from './charge-send';
import type { Core } from './context';
import { reportFollowUp } from './follow-up';
import type { Refusal } from './outcome';
import type {
  FeatureRow,
  MessageFacts,
  MessageOutcome,
  MessageRule,
  RefusedMessage,
  SentFactor,
  UserAddress,
} from './feature';
import { type NoMessageNow, warnOfUnknownRange } from './phones';
import {
  type Denied,
  type NotSent,
  type SendRequest,
  type SendResult,
  toDenied,
} from './send-result';
import { findResendTime, type Recipient, SHORTEST_VALIDITY_SECONDS } from './wait-without-text';

/** What all messages of one instance share. */
export interface MessageParts {
  readonly core: Core;
  /** One for the gateway of each factor, made with its first message. */
  readonly outages: Map<string, OutageWatch>;
  readonly reportNear: ReportNear;
}

/** The user to whom a message goes. */
export interface MessageRecipient extends Recipient, Pick<UserAddress, 'isConfirmed'> {
  /** Null: the user has no address. */
  readonly sender: SentFactor | null;
  /** Why the user's address is not known now; undefined: it is known, or the user has none. */
  readonly unusable: NoMessageNow | undefined;
}

/** A user who has an address. */
type ReachableRecipient = MessageRecipient & { readonly sender: SentFactor };

/** Returns whether the user has an address. */
export function isReachable(recipient: MessageRecipient): recipient is ReachableRecipient {
  return recipient.sender !== null;
}

/** A message that is about to be sent. */
interface Message {
  readonly request: SendRequest;
  readonly recipient: ReachableRecipient;
  readonly facts: MessageFacts;
  /** The rules of the features, in their order. */
  readonly rules: readonly MessageRule[];
  /** Watches for outages of the gateway that sends it. */
  readonly outages: OutageWatch;
}

/** Sends a code to an address, and attaches its OTP to the pending login. */
export async function sendMessage(
  parts: MessageParts,
  request: SendRequest,
  state: PendingState,
  recipient: ReachableRecipient,
): Promise<SendResult | Denied | NotSent> {
  const { core } = parts;
  // 3 Ask the features, and write the message
  const facts = await readFacts(core, request, recipient);
  const rules = core.features.flatMap((feature) => feature.beforeMessage?.(facts) ?? []);
  const outages = watchOf(parts, facts);
  const message: Message = { request, recipient, facts, rules, outages };
  const refused = (await checkFree(core, message)) ?? (await checkPaid(core, message));
  if (refused !== null) return refused;
  const times = startSend(core, request, state);
  const otp = await writeMessage(core, message, times);

  // 4 Reserve a call of the gateway: if the client itself refuses it, nothing is counted
  const permit = await admit(recipient.sender);
  if ('kind' in permit) return permit;
  try {
    // Count the message in the limits and in the features' counters: in all or in none
    const charge = await chargeMessage(parts, message);
    if ('kind' in charge) return charge;

    // 5 Let the gateway make the code and send it
    const generated = await generate(core, message, otp, charge, permit);
    if ('kind' in generated) return generated;

    // 6 Attach the OTP to the pending login
    return await attach(core, message, { times, charge, generated });
  } finally {
    permit.release();
  }
}

/** Collects the facts of a message, with the keys that count its recipient. */
async function readFacts(
  core: Core,
  { user, purpose, visit }: SendRequest,
  { identity, bucket, to, factor, isConfirmed }: MessageRecipient,
): Promise<MessageFacts> {
  const { userId } = identity;
  const { key, allKeys, number } = await readRecipient(core, factor, to);
  return {
    user,
    userId,
    purpose,
    bucket,
    address: visit.address,
    factor,
    to,
    isConfirmed,
    numberKey: key,
    provenKeys: allKeys.map((one) => provenCounter(userId, one).key),
    number,
  };
}

async function checkFree(core: Core, message: Message): Promise<Denied | null> {
  const refused = await findRefused(message.rules.map(({ check }) => check));
  const { number } = message.facts;
  if (number !== null && refused?.refusal.reason !== 'country-not-allowed')
    warnOfUnknownRange(core, await number.origin());
  return refused && denyByRule(message, refused);
}

/** Calls the checks one after the other until one refuses. */
async function findRefused(
  checks: readonly MessageRule['check'][],
): Promise<RefusedMessage | null> {
  for (const check of checks) {
    const refused = await check();
    if (refused !== null) return refused;
  }
  return null;
}

async function denyByRule({ facts }: Message, { refusal, by }: RefusedMessage): Promise<Denied> {
  const isOfCountry = ['country-not-allowed', 'unknown-range'].includes(refusal.reason);
  const about = isOfCountry && { country: await findCountry(facts) };
  return toDenied(refusal, { policy: by, ...about });
}

/** Returns the country of the number that gets a message. Null if it has none, or is no number. */
async function findCountry({ number }: MessageFacts): Promise<string | null> {
  return number === null ? null : (await number.origin()).country;
}

/** Runs the checks that cost money, only if the limits would admit the message. */
async function checkPaid(core: Core, message: Message): Promise<SendResult | Denied | null> {
  const checks = message.rules.flatMap((rule) => rule.checkPaid ?? []);
  if (checks.length === 0) return null;

  const rows = await listRows(message);
  if ('refusal' in rows) return denyByRule(message, rows);
  const refused = await findSendRefusal(core, message.facts, message.recipient, rows);
  if (refused !== null) return refuseCharge(core, message, refused);

  const denied = await findRefused(checks);
  return denied && denyByRule(message, denied);
}

/** Returns the counters of all features in which a message is counted. */
async function listRows({ rules }: Message): Promise<readonly FeatureRow[] | RefusedMessage> {
  const rows: FeatureRow[] = [];
  for (const rule of rules) {
    const listed = await rule.listRows();
    if ('refusal' in listed) return listed;
    rows.push(...listed);
  }
  return rows;
}

/** The pending login of one send, and its times. */
interface SendTimes {
  readonly pending: PendingLogin;
  readonly sends: number;
  readonly sentAt: number;
  readonly validitySeconds: number;
}

/** Fixes the times of a send before the gateway is asked: the lifetime of a code begins here. */
function startSend(core: Core, request: SendRequest, { pending, sends }: PendingState): SendTimes {
  const isResend = request.previous !== undefined;
  const sentAt = isResend ? core.now() : pending.startedAt;
  const secondsLeft = Math.floor((pending.pendingUntil - sentAt) / 1000);
  const wanted = Math.min(core.settings.codeValiditySeconds, secondsLeft);
  return {
    pending,
    sends: sends + 1,
    sentAt,
    // Callbacks of the app take time, so a send that was just in time may be slightly late by now.
    validitySeconds: Math.max(SHORTEST_VALIDITY_SECONDS, wanted),
  };
}

async function writeMessage(
  core: Core,
  { request, recipient, facts }: Message,
  { validitySeconds }: SendTimes,
): Promise<OtpText> {
  const { user, purpose, visit, transaction } = request;
  const locale = await visit.getLocale(user);
  const country = (): Promise<string | null> => findCountry(facts);
  const about = { user, purpose, locale, country, transaction };
  const { text, sender } = await core.buildMessage(about, validitySeconds);
  return { to: recipient.to, sender, validitySeconds, message: text };
}

/** Reserves a call of the gateway. */
async function admit({ delivery }: SentFactor): Promise<Permit | NotSent> {
  try {
    return await delivery.gateway.admit('generate');
  } catch (error) {
    return toNotSent(error, 0);
  }
}

/**
 * Converts an error of the gateway into a result.
 * @throws any other error.
 */
function toNotSent(error: unknown, waitSeconds: number): NotSent {
  if (!isGatewayError(error)) throw error;
  const busySeconds = 'retryAfterSeconds' in error ? (error.retryAfterSeconds ?? 0) : 0;
  return { kind: 'not-sent', error, waitSeconds: Math.max(waitSeconds, busySeconds) };
}

/** A send that was counted. */
type Charged = Extract<SendCharge, { readonly isCharged: true }>;

async function chargeMessage(
  { core, reportNear }: MessageParts,
  message: Message,
): Promise<Charged | SendResult | Denied> {
  const { facts, recipient, outages } = message;
  const rows = await listRows(message);
  if ('refusal' in rows) return denyByRule(message, rows);
  const charge = await chargeSend(core, facts, recipient, rows, outages);
  if (!charge.isCharged) return refuseCharge(core, message, charge);
  reportNear(facts, charge.rows);
  return charge;
}

/** Returns the watch for outages of the gateway that sends a message. */
function watchOf({ outages }: MessageParts, { factor }: MessageFacts): OutageWatch {
  const watch = outages.get(factor) ?? createOutageWatch();
  outages.set(factor, watch);
  return watch;
}

async function refuseCharge(
  core: Core,
  message: Message,
  charge: RefusedCharge,
): Promise<SendResult | Denied> {
  const { refusal, by, limit, isInGap } = charge;
  if (isInGap && (await isWaiting(core, message, refusal)))
    return { kind: 'already-sent', refusal };
  return toDenied(refusal, { policy: by, limit });
}

/**
 * Returns true if the session waits for an active pending login of the same request (user, address,
 * purpose, transaction), as after a double click, a reload or a step back. A login without a
 * message must last until the message may be requested. If another login has replaced the OTP that
 * the session shows, the answer is false: that code is no longer right.
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
  const { userId, to, factor, purpose } = message.facts;
  return (
    pending.userId === userId &&
    // Without an OTP the pending login is not bound to an address.
    (otp === null || isSameDestination(otp, { to, factor })) &&
    pending.purpose === purpose &&
    pending.replaces === newPhone?.replaces &&
    pending.transaction?.amount === transaction?.amount &&
    pending.transaction?.payee === transaction?.payee
  );
}

async function generate(
  core: Core,
  { rules, recipient, outages }: Message,
  otp: OtpText,
  charge: Charged,
  permit: Permit,
): Promise<TextedOtp | NotSent> {
  try {
    const generated = await recipient.sender.delivery.gateway.generate(otp, permit);
    outages.record(false);
    tell(core, rules, { kind: 'sent', cost: generated.cost ?? null });
    return generated;
  } catch (error) {
    const outcome = toSendOutcome(error);
    const isLost = outcome === 'may-be-sent';
    outages.record(isLost);
    tell(core, rules, { kind: isLost ? 'unknown' : 'not-sent' });
    return toNotSent(error, await charge.refund(outcome));
  }
}

/** Passes the outcome of a message to the features. An error in one of them changes nothing. */
function tell({ warn }: Core, rules: readonly MessageRule[], outcome: MessageOutcome): void {
  for (const { after } of rules) {
    try {
      after(outcome);
    } catch (error) {
      // The message has already been sent or refused.
      reportFollowUp(warn, error);
    }
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
  { recipient, facts }: Message,
  { times, charge, generated }: DeliveredMessage,
): Promise<SendResult | Denied> {
  const { pending } = times;
  const { to, factor, phones, senders } = recipient;
  const otp: SentOtp = {
    version: 1,
    otpId: generated.id,
    bucket: charge.bucket,
    ...(factor !== MESSAGE && { factor }),
    to,
    numberKey: facts.numberKey,
    isNewNumber: charge.isNewNumber,
    sentAt: times.sentAt,
    expiresAt: findExpiry(times, generated),
  };
  const isKept = await keep(core, pending, otp);
  await emitSent(core, facts, { times, charge, generated });
  // The pending login ended while the message was being sent.
  if (!isKept) return toDenied({ reason: 'no-pending-login' });

  const resendAt = findResendTime(core, times, charge.waitSeconds);
  const factors = [...senders, ...recipient.factors];
  return { kind: 'sent', pending, isJoined: false, otp, to, factor, resendAt, phones, factors };
}

/** Returns when a code expires. The lifetime that the gateway reports can only shorten ours. */
function findExpiry({ sentAt, pending, validitySeconds }: SendTimes, generated: TextedOtp): number {
  const lifeSeconds = Math.min(validitySeconds, generated.validitySeconds ?? validitySeconds);
  return Math.min(sentAt + lifeSeconds * 1000, pending.pendingUntil);
}

/**
 * Attaches the OTP of a message that was sent. If that fails, the user cannot use its code, so the
 * message is refunded.
 */
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
  facts: MessageFacts,
  { times: { sends }, charge: { usedUp }, generated }: DeliveredMessage,
): Promise<void> {
  const { userId, purpose, address, to, factor: method } = facts;
  const subject = { userId, purpose, address };
  const country = await findCountry(facts);
  const sent = { method, maskedPhone: maskAddress(to), sends, cost: generated.cost ?? null };
  core.emit({ type: 'sent', ...subject, ...sent, country });
  if (usedUp !== null) core.emit({ type: 'sends-used-up', ...subject, sends: usedUp });
}
