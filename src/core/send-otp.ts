import { type GatewayError, readFields } from '../errors';
import { createOutageWatch } from '../limits/refunds';
import { createNearWatch } from '../limits/near-limits';
import type { PendingState } from '../stores/pending-logins';
import { admitsOtherFactors, isAccepted } from './accepted-factors';
import type { BegunPending, Core } from './context';
import { withTiming } from './emit';
import type { Refusal } from './outcome';
import { findLetIn } from './let-in';
import { type BeginPending, endUnused } from './pending';
import { choosePhone } from './phones';
import { findPreferred } from './preferred-factor';
import { type MessageRecipient, type MessageSender, sendMessage } from './send-message';
import {
  deny,
  type NotSent,
  type RefusedSend,
  type SendRequest,
  type SendResult,
} from './send-result';
import type { ListFactors } from './user-factors';
import { toUserIdText, type UserIdText } from './users';
import {
  findResendTime,
  type NoMessage,
  toWaiting,
  type Waiting,
  waitWithoutText,
} from './wait-without-text';

export type SendOtp = (request: SendRequest) => Promise<SendResult>;

/**
 * Makes the decision to send. Refusals are values. The returned function
 * @throws {SmsOtpError} for errors of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(
  core: Core,
  beginPending: BeginPending,
  listFactors: ListFactors,
): SendOtp {
  const outages = createOutageWatch();
  const sender: Sender = { core, beginPending, listFactors, outages, findNear: createNearWatch() };

  return withTiming(core, 'send', (request) =>
    request.previous === undefined
      ? sendFirst(sender, request)
      : resend(sender, request, request.previous),
  );
}

/** What all sends of one instance share. */
interface Sender extends MessageSender {
  readonly beginPending: BeginPending;
  readonly listFactors: ListFactors;
}

/** Begins a pending login before anything else, and ends it again where it is of no use. */
async function sendFirst(sender: Sender, request: SendRequest): Promise<SendResult> {
  const { core } = sender;
  // The caller that has begun it ends it, too.
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
  sender: Sender,
  request: SendRequest,
  begun: BegunPending,
): Promise<SendResult> {
  const { core } = sender;
  // 1 may the user in without a code
  const letIn = request.purpose === 'login' ? await findLetIn(core, request, begun) : null;
  if (letIn !== null) return letIn;

  // 2 the number, and what else this user can do
  const recipient = await findRecipient(sender, request, begun.state);
  if ('kind' in recipient) return recipient;
  const otherFactor = await waitForOtherFactor(sender, request, begun, recipient);
  if (otherFactor !== null) return otherFactor;

  // 3 the message
  if (begun.isJoined) return joinMessage(core, request, begun, recipient);
  const result = await trySend(sender, request, begun.state, recipient);
  if (result.kind === 'not-sent') reportNotSent(core, request, recipient, result.error);
  if (result.kind !== 'not-sent' && result.kind !== 'refused') return result;

  // 4 no message went out
  return waitInstead(sender, request, begun, recipient, result);
}

/** Sends another message for a pending login, which stays as it was where that fails. */
async function resend(
  sender: Sender,
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
  sender: Sender,
  request: SendRequest,
  state: PendingState,
  recipient: MessageRecipient,
): Promise<SendResult | NotSent> {
  return recipient.mobile === ''
    ? refuseWithoutPhone(sender.core, request, recipient)
    : sendMessage(sender, request, state, recipient);
}

/** Finds the number, the browser and the other factors of a user. */
async function findRecipient(
  { core, listFactors }: Sender,
  request: SendRequest,
  { pending }: PendingState,
): Promise<MessageRecipient | RefusedSend> {
  const { user, purpose, methods } = request;
  const identity = toUserIdText(core.getUserId(user));
  const { userId } = identity;
  const chosen = isAccepted(methods, 'sms') ? await choosePhone(core, request) : NO_PHONE;
  if ('reason' in chosen && chosen.reason === 'user-gone')
    return denySend(core, request, identity, { reason: 'user-gone' });

  const { mobile, isConfirmed, phones } =
    'reason' in chosen ? { mobile: '', isConfirmed: false, phones: [] } : chosen;
  const unusable = 'found' in chosen ? chosen : undefined;
  const listed = admitsOtherFactors(purpose) ? await listFactors(user, userId) : [];
  const factors = listed.filter((factor) => isAccepted(methods, factor));
  const { bucket } = pending;
  return { identity, bucket, mobile, isConfirmed, unusable, phones, factors };
}

/** The number is not asked for where no message is to go out. */
const NO_PHONE = { reason: 'no-phone' } as const;

function denySend(
  core: Core,
  { purpose, visit: { address } }: SendRequest,
  { userId }: UserIdText,
  refusal: Refusal,
  why?: Parameters<typeof deny>[3],
): RefusedSend {
  return deny(core, { userId, purpose, address }, refusal, why);
}

/** Waits without a message where another factor comes first. Null: the message does. */
async function waitForOtherFactor(
  sender: Sender,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): Promise<SendResult | null> {
  const { user, visit, methods } = request;
  if (!isAccepted(methods, 'sms')) return waitWithoutSms(sender.core, request, begun, recipient);
  const getPreferred = (): unknown => visit.getPreferredFactor(user);
  if ((await findPreferred(recipient.factors, getPreferred)) === null) return null;
  if (await hasMessage(sender.core, request)) return { kind: 'already-sent', refusal: TOO_SOON };

  const nothingFailed = { refusal: null, waitSeconds: 0, status: null };
  const { address } = visit;
  const waiting = await waitWithoutText(sender.core, begun, recipient, nothingFailed, address);
  if (waiting.kind === 'waiting') return waiting;
  return waiting.kind === 'ended' ? refuseEnded(sender.core, request, recipient) : null;
}

/** Another request of this session has sent a message meanwhile, and its code is accepted. */
function refuseEnded(core: Core, request: SendRequest, recipient: MessageRecipient): RefusedSend {
  return denySend(core, request, recipient.identity, TOO_SOON);
}

const TOO_SOON: Refusal = { reason: 'resend-too-soon' };

/** Returns whether the session waits for a code of the same purpose that is out. */
async function hasMessage({ store }: Core, request: SendRequest): Promise<boolean> {
  const { pending } = request.visit;
  // Every login has a session of its own.
  const mayHave = request.purpose !== 'login' && pending?.purpose === request.purpose;
  if (!mayHave || pending.otpId === null) return false;

  const found = await store.pendingLogins.findActive(pending.pendingId);
  return found !== null && found.otp !== null;
}

/** A step-up that accepts no code by message waits for one of the user's factors. */
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

/** The request that began the login sends its message, or has sent it. */
function joinMessage(
  core: Core,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
): SendResult {
  if (recipient.mobile === '') {
    const refused = refuseWithoutPhone(core, request, recipient);
    const waiting = toWaiting(core, begun, recipient, toNoMessage(refused));
    return waiting.factors.length === 0 ? refused : waiting;
  }

  const { state, isJoined } = begun;
  const { pending, otp } = state;
  const resendAt = findResendTime(core, state, core.settings.resendCooldownSeconds);
  const factors = ['sms', ...recipient.factors];
  const shown = { pending, isJoined, resendAt, phones: recipient.phones, factors };
  if (otp !== null) return { kind: 'sent', ...shown, otp, mobile: otp.mobile };

  const nothingFailed = { refusal: null, status: null };
  const { mobile } = recipient;
  return { kind: 'waiting', ...shown, otp, mobile, isOnItsWay: true, ...nothingFailed };
}

function refuseWithoutPhone(
  core: Core,
  request: SendRequest,
  { identity, unusable }: MessageRecipient,
): RefusedSend {
  const found = unusable && { found: unusable.found };
  return denySend(core, request, identity, { reason: 'no-phone' }, found);
}

/** Tells the developer why a message was not sent. The page says only that it was not. */
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

/** Names the cause of an error, without the words of an app's own gateway: they may be any. */
function toCause(error: GatewayError): string {
  const { gatewayCode, httpStatus, cause } = readFields(error);
  return [error.code, gatewayCode, httpStatus, readFields(cause).code].join(' ');
}

/** A resend that fails leaves the pending login as it was: a code that is out stays good. */
function toFailedResend(core: Core, previous: PendingState, result: NotSent): RefusedSend {
  const resendAt = findResendTime(core, previous, result.waitSeconds);
  const failed = { status: result.error.status, resendAt };
  return { kind: 'refused', refusal: toRefusal(result), failed };
}

/** A right password leads to a pending login, whatever becomes of the message. */
async function waitInstead(
  { core }: Sender,
  request: SendRequest,
  begun: BegunPending,
  recipient: MessageRecipient,
  result: RefusedSend | NotSent,
): Promise<Waiting | RefusedSend> {
  const noMessage = toNoMessage(result);
  const { address } = request.visit;
  const waiting = await waitWithoutText(core, begun, recipient, noMessage, address);
  if (waiting.kind === 'waiting') return waiting;
  if (result.kind === 'not-sent') throw result.error;
  if (recipient.unusable?.thrown !== undefined) throw recipient.unusable.thrown.error;

  // The user could go on without a message, if logins had not waited that way too often.
  if (waiting.kind === 'limited' && noMessage.waitSeconds === null)
    return denySend(core, request, recipient.identity, waiting.refusal, { limit: 'without-text' });
  return result;
}

/** Returns why no message is out, when one may be asked for, and the HTTP status of the error. */
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
