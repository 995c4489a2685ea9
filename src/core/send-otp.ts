import { type GatewayError, readFields } from '../errors';
import { createNearWatch } from '../limits/near-limits';
import type { PendingState } from '../stores/pending-logins';
import type { SentOtp } from '../stores/store';
import { admitsOtherFactors, isAccepted } from './accepted-factors';
import { factorOf, MESSAGE } from './addresses';
import { chooseAddress, listSenders } from './choose-address';
import type { BegunPending, Core } from './context';
import { withTiming } from './emit';
import type { Refusal } from './outcome';
import { findLetIn } from './let-in';
import { findLock } from './charge-send';
import { type BeginPending, endUnused } from './pending';
import { findPreferred } from './preferred-factor';
import {
  isReachable,
  type MessageRecipient,
  type MessageSender,
  sendMessage,
} from './send-message';
import {
  deny,
  type NotSent,
  type RefusedSend,
  type SendRequest,
  type SendResult,
} from './send-result';
import type { ListFactors } from './user-factors';
import { toUserIdText, type UserIdText } from './users';
import { findResendTime, type NoMessage, toWaiting, waitWithoutText } from './wait-without-text';

export type SendOtp = (request: SendRequest) => Promise<SendResult>;

/**
 * Creates the decision to send a code. Refusals are values.
 * @throws {SmsOtpError} The created function: errors of the gateway and the store, and any error of
 * the app's own callbacks.
 */
export function createSendOtp(
  core: Core,
  beginPending: BeginPending,
  listFactors: ListFactors,
): SendOtp {
  const findNear = createNearWatch();
  const sender: SendParts = { core, beginPending, listFactors, outages: new Map(), findNear };

  return withTiming(core, 'send', (request) =>
    request.previous === undefined
      ? sendFirst(sender, request)
      : resend(sender, request, request.previous),
  );
}

/** The shared context of all sends of one instance. */
interface SendParts extends MessageSender {
  readonly beginPending: BeginPending;
  readonly listFactors: ListFactors;
}

/** Begins a pending login before anything else, and ends it if it is not used. */
async function sendFirst(sender: SendParts, request: SendRequest): Promise<SendResult> {
  const { core } = sender;
  // The caller that began this login also ends it.
  if (request.begun !== undefined) return decide(sender, request, request.begun);
  const begun = await sender.beginPending(request);
  if (begun.kind === 'refused') return begun;

  try {
    const result = await decide(sender, request, begun);
    const goesOn = result.kind !== 'refused' && result.kind !== 'already-sent';
    if (!goesOn) await endUnused(core, begun);
    return result;
  } catch (error) {
    await endUnused(core, begun);
    throw error;
  }
}

async function decide(
  sender: SendParts,
  request: SendRequest,
  begun: BegunPending,
): Promise<SendResult> {
  const { core } = sender;
  // 1 Can the user be let in without a code?
  const letIn = request.purpose === 'login' ? await findLetIn(core, request, begun) : null;
  if (letIn !== null) return letIn;

  // 2 Find the address, and the user's other factors
  const recipient = await findRecipient(sender, request, begun.state);
  if ('kind' in recipient) return recipient;
  const otherFactor = await waitForOtherFactor(sender, request, begun, recipient);
  if (otherFactor !== null) return otherFactor;

  // 3 Send the message
  if (begun.isJoined) return joinMessage(core, request, begun, recipient);
  const result = await trySend(sender, request, begun.state, recipient);
  if (result.kind === 'not-sent') reportNotSent(core, request, recipient, result.error);
  if (result.kind !== 'not-sent' && result.kind !== 'refused') return result;

  // 4 If no message was sent, the login can go on with another factor
  return waitInstead(sender, request, begun, recipient, result);
}

/** Sends another message for a pending login. If that fails, the pending login stays as it was. */
async function resend(
  sender: SendParts,
  request: SendRequest,
  previous: PendingState,
): Promise<SendResult> {
  const { core } = sender;
  const recipient = await findRecipient(sender, request, previous);
  if ('kind' in recipient) return recipient;

  const result = await trySend(sender, request, previous, recipient);
  if (result.kind !== 'not-sent') return result;
  reportNotSent(core, request, recipient, result.error);
  return toFailedResend(core, previous, result);
}

async function trySend(
  sender: SendParts,
  request: SendRequest,
  state: PendingState,
  recipient: MessageRecipient,
): Promise<SendResult | NotSent> {
  return isReachable(recipient)
    ? sendMessage(sender, request, state, recipient)
    : refuseWithoutPhone(sender.core, request, recipient);
}

/** Finds the address, the browser and the other factors of a user. */
async function findRecipient(
  { core, listFactors }: SendParts,
  request: SendRequest,
  { pending }: PendingState,
): Promise<MessageRecipient | RefusedSend> {
  const { user, purpose, methods } = request;
  const identity = toUserIdText(core.getUserId(user));
  const { userId } = identity;
  const chosen = await chooseAddress(core, request);
  if ('reason' in chosen && chosen.reason === 'user-gone')
    return denySend(core, request, identity, { reason: 'user-gone' });

  const listed = admitsOtherFactors(purpose) ? await listFactors(user, userId) : [];
  const factors = listed.filter((factor) => isAccepted(methods, factor));
  const { bucket } = pending;
  if ('reason' in chosen) {
    const unusable = 'found' in chosen ? chosen : undefined;
    return { ...NO_ADDRESS, identity, bucket, unusable, factors };
  }
  const { to, isConfirmed, sender, phones, senders } = chosen;
  const { method: factor } = sender;
  const unusable = undefined;
  return { identity, bucket, to, isConfirmed, sender, factor, unusable, phones, senders, factors };
}

/** Stands for the address of a user to whom no message can be sent. */
const NO_ADDRESS = {
  to: '',
  factor: MESSAGE,
  isConfirmed: false,
  sender: null,
  phones: [],
  senders: [],
} as const;

function denySend(
  core: Core,
  { purpose, visit: { address } }: SendRequest,
  { userId }: UserIdText,
  refusal: Refusal,
  why?: Parameters<typeof deny>[3],
): RefusedSend {
  return deny(core, { userId, purpose, address }, refusal, why);
}

/** Waits without a message if another factor comes first. Null: the message comes first. */
async function waitForOtherFactor(
  sender: SendParts,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult | null> {
  const { user, visit, methods } = request;
  if (listSenders(sender.core, request.purpose, methods).length === 0)
    return waitWithoutSms(sender.core, request, begun, recipient);
  const getPreferred = (): unknown => visit.getPreferredFactor(user);
  if ((await findPreferred(recipient.factors, getPreferred)) === null) return null;
  if (await hasMessage(sender.core, request)) return { kind: 'already-sent', refusal: TOO_SOON };

  const nothingFailed = { refusal: null, waitSeconds: 0, status: null };
  const { address } = visit;
  const waiting = await waitWithoutText(sender.core, begun, recipient, nothingFailed, address);
  if (waiting.kind === 'waiting') return waiting;
  return waiting.kind === 'ended' ? refuseEnded(sender.core, request, recipient) : null;
}

/**
 * Refuses a send whose pending login was ended by another request of this session, which has sent a
 * message. The code of that message is accepted.
 */
function refuseEnded(core: Core, request: SendRequest, recipient: MessageRecipient): RefusedSend {
  return denySend(core, request, recipient.identity, TOO_SOON);
}

const TOO_SOON: Refusal = { reason: 'resend-too-soon' };

/** Returns whether the session waits for a code of the same purpose that was already sent. */
async function hasMessage(core: Core, request: SendRequest): Promise<boolean> {
  // This cannot happen at a login: every login has its own session.
  return request.purpose !== 'login' && (await findSent(core, request)) !== null;
}

/** Returns the pending login of the same purpose whose sent code the session waits for. */
async function findSent(
  { store }: Core,
  { purpose, visit: { pending } }: SendRequest,
): Promise<(PendingState & { readonly otp: SentOtp }) | null> {
  if (pending?.purpose !== purpose || pending.otpId === null) return null;

  const found = await store.pendingLogins.findActive(pending.pendingId);
  const otp = found?.otp ?? null;
  return found && otp && { ...found, otp };
}

/** Waits for one of the user's factors in a step-up that accepts no code by message. */
async function waitWithoutSms(
  core: Core,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult> {
  const { identity } = recipient;
  const nothingFailed = { refusal: null, waitSeconds: null, status: null };
  const { address } = request.visit;
  const waiting = await waitWithoutText(core, begun, recipient, nothingFailed, address);
  if (waiting.kind === 'waiting') return waiting;
  if (waiting.kind === 'limited')
    return denySend(core, request, identity, waiting.refusal, { limit: 'without-text' });
  if (waiting.kind === 'ended') return refuseEnded(core, request, recipient);
  return denySend(core, request, identity, { reason: 'second-factor-required' });
}

/**
 * Joins a login that another request began. That request sends its message, or has sent it. While
 * codes are locked it sends none and ends the login, so this request is refused as well.
 */
async function joinMessage(
  core: Core,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult> {
  if (!isReachable(recipient)) {
    const refused = refuseWithoutPhone(core, request, recipient);
    const waiting = toWaiting(core, begun, recipient, toNoMessage(refused));
    return waiting.factors.length === 0 ? refused : waiting;
  }

  const { state, isJoined } = begun;
  const { pending, otp } = state;
  const resendAt = findResendTime(core, state, core.settings.resendCooldownSeconds);
  const factors = [...recipient.senders, ...recipient.factors];
  const shown = { pending, isJoined, resendAt, phones: recipient.phones, factors };
  if (otp !== null) return { kind: 'sent', ...shown, otp, to: otp.mobile, factor: factorOf(otp) };

  const { identity, bucket, to, factor } = recipient;
  const locked = await findLock(core, { user: identity.userId, method: factor }, bucket);
  if (locked !== null)
    return denySend(core, request, identity, locked.refusal, { limit: locked.limit });

  const nothingFailed = { refusal: null, status: null };
  return { kind: 'waiting', ...shown, otp, to, factor, isOnItsWay: true, ...nothingFailed };
}

function refuseWithoutPhone(
  core: Core,
  request: SendRequest,
  { identity, unusable }: MessageRecipient,
): RefusedSend {
  const found = unusable && { found: unusable.found };
  return denySend(core, request, identity, { reason: 'no-phone' }, found);
}

/** Tells the developer why a message was not sent. The page only says that it was not. */
function reportNotSent(
  core: Core,
  request: SendRequest,
  { identity }: MessageRecipient,
  error: GatewayError,
): void {
  const { code, message } = error;
  denySend(core, request, identity, { reason: 'not-sent' }, { error: { code, message } });
  core.warn(
    'SMS_OTP_NOT_SENT',
    `A code was not sent. ${message}. If the option gateway has a baseUrl, ` +
      'run npx passport-sms-otp doctor to find the cause',
    toCause(error),
  );
}

/**
 * Names the cause of an error, without the message of an app's own gateway, which may contain
 * anything.
 */
function toCause(error: GatewayError): string {
  const { gatewayCode, httpStatus, cause } = readFields(error);
  return [error.code, gatewayCode, httpStatus, readFields(cause).code].join(' ');
}

/**
 * Refuses a resend that failed. The pending login stays as it was, and a code that was already sent
 * stays valid.
 */
function toFailedResend(core: Core, previous: PendingState, result: NotSent): RefusedSend {
  const resendAt = findResendTime(core, previous, result.waitSeconds);
  const failed = { status: result.error.status, resendAt };
  return { kind: 'refused', refusal: toRefusal(result), failed };
}

/** Keeps the login pending without a message, because the password was right. */
async function waitInstead(
  { core }: SendParts,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
  result: RefusedSend | NotSent,
): Promise<SendResult> {
  if (await keepsCode(core, request, recipient))
    return { kind: 'already-sent', refusal: toRefusal(result) };

  const noMessage = toNoMessage(result);
  const { address } = request.visit;
  const waiting = isOfOneFactor(recipient, noMessage)
    ? await waitWithoutText(core, begun, withoutFactor(recipient), toNow(noMessage), address)
    : await waitWithoutText(core, begun, recipient, noMessage, address);
  if (waiting.kind === 'waiting') return waiting;
  if (result.kind === 'not-sent') throw result.error;
  if (recipient.unusable?.thrown !== undefined) throw recipient.unusable.thrown.error;

  // The user could go on without a message, but too many logins have waited that way.
  if (waiting.kind === 'limited' && noMessage.waitSeconds === null)
    return denySend(core, request, recipient.identity, waiting.refusal, { limit: 'without-text' });
  return result;
}

/** Returns whether a lock of one factor has refused, and another one can send the user a code. */
function isOfOneFactor({ senders }: MessageRecipient, { refusal }: NoMessage): boolean {
  return refusal?.reason === 'locked' && senders.length > 1;
}

function withoutFactor(recipient: MessageRecipient): MessageRecipient {
  const senders = recipient.senders.filter((sender) => sender !== recipient.factor);
  return { ...recipient, senders };
}

function toNow(noMessage: NoMessage): NoMessage {
  return { ...noMessage, waitSeconds: 0 };
}

/**
 * Returns whether this session waits for a login of the same user whose code was sent, while the
 * user's address cannot be read now. The code of that login stays valid: a new one would have none.
 */
async function keepsCode(
  core: Core,
  request: SendRequest,
  { identity, unusable, factors }: MessageRecipient,
): Promise<boolean> {
  if (request.purpose !== 'login' || unusable === undefined || factors.length === 0) return false;

  const sent = await findSent(core, request);
  if (sent?.pending.userId !== identity.userId) return false;
  return sent.otp.expiresAt > core.now();
}

/** Returns why no message was sent, when one may be requested, and the HTTP status of the error. */
function toNoMessage(result: RefusedSend | NotSent): NoMessage {
  const refusal = toRefusal(result);
  if (result.kind === 'refused')
    return { refusal, waitSeconds: refusal.retryAfterSeconds ?? null, status: null };
  return { refusal, waitSeconds: result.waitSeconds, status: result.error.status };
}

function toRefusal(result: RefusedSend | NotSent): Refusal {
  if (result.kind === 'refused') return result.refusal;
  const wait = result.waitSeconds > 0 && { retryAfterSeconds: result.waitSeconds };
  return { reason: 'not-sent', ...wait };
}
