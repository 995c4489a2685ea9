import { type GatewayError, readFields } from '../errors';
import type { PendingState } from '../stores/pending-logins';
import type { SentOtp } from '../stores/store';
import { admitsOtherFactors, isAccepted } from './accepted-factors';
import { factorOf, MESSAGE } from './addresses';
import { chooseAddress, listSenders } from './choose-address';
import type { BegunPending, Core } from './context';
import { withTiming } from './emit';
import type { Refusal } from './outcome';
import { findLetIn } from './let-in';
import { createNearReport, findLock } from './charge-send';
import { type BeginPending, endUnused } from './pending';
import { findPreferred } from './preferred-factor';
import { isReachable, type MessageRecipient, type MessageParts, sendMessage } from './send-message';
import {
  type Denied,
  type DeniedSend,
  deny,
  type NotSent,
  type RefusedSend,
  type SendRequest,
  type SendResult,
  toDenied,
} from './send-result';
import type { ListFactors } from './user-factors';
import { toUserIdText } from './users';
import { findResendTime, type NoMessage, waitWithoutText } from './wait-without-text';

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
  const reportNear = createNearReport(core);
  const parts: SendParts = { core, beginPending, listFactors, outages: new Map(), reportNear };

  return withTiming(core, 'send', async (request) => {
    const result =
      request.previous === undefined
        ? await sendFirst(parts, request)
        : await resend(parts, request, request.previous);
    return result.kind === 'denied' ? deny(core, toSubject(core, request), result) : result;
  });
}

/** Names the user in the events of a send. */
function toSubject({ getUserId }: Core, { user, purpose, visit }: SendRequest): DeniedSend {
  return { userId: toUserIdText(getUserId(user)).userId, purpose, address: visit.address };
}

/** The shared context of all sends of one instance. */
interface SendParts extends MessageParts {
  readonly beginPending: BeginPending;
  readonly listFactors: ListFactors;
}

/** 1 Begins a pending login, unless the caller has. Ends it if it is not used. */
async function sendFirst(parts: SendParts, request: SendRequest): Promise<SendResult | Denied> {
  const { core } = parts;
  // The caller that began this login also ends it.
  if (request.begun !== undefined) return decide(parts, request, request.begun);
  const begun = await parts.beginPending(request);
  if (begun.kind === 'refused') return begun;

  try {
    const result = await decide(parts, request, begun);
    if (!USES_BEGUN.includes(result.kind)) await endUnused(core, begun);
    return result;
  } catch (error) {
    await endUnused(core, begun);
    throw error;
  }
}

/** The results after which a pending login that has begun goes on. */
const USES_BEGUN: readonly (SendResult | Denied)['kind'][] = ['sent', 'waiting', 'let-in'];

async function decide(
  parts: SendParts,
  request: SendRequest,
  begun: BegunPending,
): Promise<SendResult | Denied> {
  const { core } = parts;
  // 2 Can the user be let in without a code?
  const letIn = request.purpose === 'login' ? await findLetIn(core, request, begun) : null;
  if (letIn !== null) return letIn;

  // Find the address, and the user's other factors
  const recipient = await findRecipient(parts, request, begun.state);
  if ('kind' in recipient) return recipient;
  const otherFactor = await waitForOtherFactor(core, request, begun, recipient);
  if (otherFactor !== null) return otherFactor;

  // 3 to 6 Send the message
  const result = await trySend(parts, request, begun, recipient);
  if (!isUnsent(result)) return result;

  // If no message was sent, the login can go on with another factor
  reportNotSent(core, request, result);
  return waitInstead(core, request, begun, recipient, result);
}

/** Sends another message for a pending login. If that fails, the pending login stays as it was. */
async function resend(
  parts: SendParts,
  request: SendRequest,
  previous: PendingState,
): Promise<SendResult | Denied> {
  const recipient = await findRecipient(parts, request, previous);
  if ('kind' in recipient) return recipient;

  const own: BegunPending = { kind: 'begun', state: previous, isJoined: false };
  const result = await trySend(parts, request, own, recipient);
  if (result.kind !== 'not-sent') return result;
  reportNotSent(parts.core, request, result);
  return toFailedResend(parts.core, previous, result);
}

/** Sends a message, or joins the login of another request, which sends it. */
async function trySend(
  parts: SendParts,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult | Denied | NotSent> {
  if (!isReachable(recipient)) return denyWithoutAddress(recipient);
  return begun.isJoined
    ? joinMessage(parts.core, begun, recipient)
    : sendMessage(parts, request, begun.state, recipient);
}

function denyWithoutAddress({ unusable }: MessageRecipient): Denied {
  return toDenied({ reason: 'no-phone' }, unusable && { found: unusable.found });
}

function isUnsent(result: SendResult | Denied | NotSent): result is Denied | NotSent {
  return result.kind === 'denied' || result.kind === 'not-sent';
}

/** Finds the address, the browser and the other factors of a user. */
async function findRecipient(
  { core, listFactors }: SendParts,
  request: SendRequest,
  { pending }: PendingState,
): Promise<MessageRecipient | Denied> {
  const { user, purpose, methods } = request;
  const identity = toUserIdText(core.getUserId(user));
  const { userId } = identity;
  const chosen = await chooseAddress(core, request);
  if ('reason' in chosen && chosen.reason === 'user-gone') return toDenied({ reason: 'user-gone' });

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

/**
 * Waits without a message if none is accepted, or if another factor comes first. Null: the message
 * comes first.
 */
async function waitForOtherFactor(
  core: Core,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult | Denied | null> {
  const { user, purpose, visit, methods } = request;
  const isAdmitted = listSenders(core, purpose, methods).length > 0;
  if (isAdmitted) {
    const getPreferred = (): unknown => visit.getPreferredFactor(user);
    if ((await findPreferred(recipient.factors, getPreferred)) === null) return null;
    if (await hasMessage(core, request)) return { kind: 'already-sent', refusal: TOO_SOON };
  }

  const nothingFailed = { refusal: null, waitSeconds: isAdmitted ? 0 : null, status: null };
  const waiting = await waitWithoutText(core, begun, recipient, nothingFailed, visit.address);
  if (waiting.kind === 'waiting') return waiting;
  // Another request of this session has sent a message, and its code is accepted.
  if (waiting.kind === 'ended') return toDenied(TOO_SOON);
  if (isAdmitted) return null;
  return waiting.kind === 'limited'
    ? toDenied(waiting.refusal, { limit: 'without-text' })
    : toDenied({ reason: 'second-factor-required' });
}

const TOO_SOON: Refusal = { reason: 'resend-too-soon' };

/** Returns whether the session waits for a code of the same purpose that was already sent. */
async function hasMessage(core: Core, request: SendRequest): Promise<boolean> {
  // A login sends its own message: every login has its own session.
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

/**
 * Joins a login that another request began. That request sends its message, or has sent it. While
 * codes are locked it sends none, so this request goes on like one whose message was refused.
 */
async function joinMessage(
  core: Core,
  { state, isJoined }: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult | Denied> {
  const { pending, otp } = state;
  const resendAt = findResendTime(core, state, core.settings.resendCooldownSeconds);
  const factors = [...recipient.senders, ...recipient.factors];
  const shown = { pending, isJoined, resendAt, phones: recipient.phones, factors };
  if (otp !== null) return { kind: 'sent', ...shown, otp, to: otp.to, factor: factorOf(otp) };

  const { identity, bucket, to, factor } = recipient;
  const locked = await findLock(core, { user: identity.userId, method: factor }, bucket);
  if (locked !== null) return toDenied(locked.refusal, { limit: locked.limit });

  const nothingFailed = { refusal: null, status: null };
  return { kind: 'waiting', ...shown, otp, to, factor, isOnItsWay: true, ...nothingFailed };
}

/** Tells the developer why no message was sent. The page of a failure only says that none was. */
function reportNotSent(core: Core, request: SendRequest, result: Denied | NotSent): void {
  const subject = toSubject(core, request);
  if (result.kind === 'denied') {
    deny(core, subject, result);
    return;
  }

  const { code, message } = result.error;
  deny(core, subject, toDenied({ reason: 'not-sent' }, { error: { code, message } }));
  core.warn(
    'SMS_OTP_NOT_SENT',
    `A code was not sent. ${message}. If the option gateway has a baseUrl, ` +
      'run npx passport-sms-otp doctor to find the cause',
    toCause(result.error),
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
  core: Core,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
  result: Denied | NotSent,
): Promise<SendResult | Denied> {
  const noMessage = toNoMessage(result);
  const { refusal } = noMessage;
  if (await keepsCode(core, request, recipient)) return { kind: 'already-sent', refusal };

  const { address } = request.visit;
  const waiting = isOfOneFactor(recipient, noMessage)
    ? await waitWithoutText(core, begun, withoutFactor(recipient), toNow(noMessage), address)
    : await waitWithoutText(core, begun, recipient, noMessage, address);
  if (waiting.kind === 'waiting') return waiting;
  if (result.kind === 'not-sent') throw result.error;
  if (recipient.unusable?.thrown !== undefined) throw recipient.unusable.thrown.error;

  // The user could go on without a message, but too many logins have waited that way.
  if (waiting.kind === 'limited' && noMessage.waitSeconds === null)
    return toDenied(waiting.refusal, { limit: 'without-text' });
  return { kind: 'refused', refusal };
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

/** What a login waits for after its message was not sent. */
type Unsent = NoMessage & { readonly refusal: Refusal };

/** Returns why no message was sent, when one may be requested, and the HTTP status of the error. */
function toNoMessage(result: Denied | NotSent): Unsent {
  const refusal = toRefusal(result);
  if (result.kind === 'denied')
    return { refusal, waitSeconds: refusal.retryAfterSeconds ?? null, status: null };
  return { refusal, waitSeconds: result.waitSeconds, status: result.error.status };
}

function toRefusal(result: Denied | NotSent): Refusal {
  if (result.kind === 'denied') return result.refusal;
  const wait = result.waitSeconds > 0 && { retryAfterSeconds: result.waitSeconds };
  return { reason: 'not-sent', ...wait };
}
