import { type GatewayError, readFields } from '../errors';
import { createOutageWatch } from '../limits/refunds';
import { createNearWatch } from '../limits/near-limits';
import type { PendingState } from '../stores/pending-logins';
import { admitsOtherFactors, isAccepted } from './code-verifiers';
import type { ListFactors, Core } from './context';
import { withTiming } from './events';
import type { Refusal } from './outcome';
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
import { toUserIdText, type UserIdText } from './users';
import { createBeginWithoutText, findResendTime } from './wait-without-text';

export type SendOtp = (request: SendRequest) => Promise<SendResult>;

/**
 * Makes the decision to send. Refusals are values. The returned function
 * @throws {SmsOtpError} for errors of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(core: Core, listFactors: ListFactors): SendOtp {
  const sender: Sender = {
    core,
    listFactors,
    outages: createOutageWatch(),
    findNear: createNearWatch(),
    beginWithoutText: createBeginWithoutText(core),
  };
  return withTiming(core, 'send', (request) => sendOtp(sender, request));
}

/** What all sends of one instance share. */
interface Sender extends MessageSender {
  readonly listFactors: ListFactors;
  readonly beginWithoutText: ReturnType<typeof createBeginWithoutText>;
}

async function sendOtp(sender: Sender, request: SendRequest): Promise<SendResult> {
  const { core } = sender;
  const { user, purpose, visit } = request;
  const identity = toUserIdText(core.getUserId(user));
  // 1 is it required
  const isFirst = purpose === 'login' && request.isResend !== true;
  if (isFirst && !(await visit.isRequired(user))) return { kind: 'not-required' };

  // 2 the number, and what else this user can do
  const recipient = await findRecipient(sender, request, identity);
  if ('kind' in recipient) return recipient;
  const otherFactor = await waitForOtherFactor(sender, request, recipient);
  if (otherFactor !== null) return otherFactor;

  // 3 the message
  const result =
    recipient.mobile === ''
      ? refuseWithoutPhone(core, request, recipient)
      : await sendMessage(sender, request, recipient);
  if (result.kind !== 'not-sent' && result.kind !== 'refused') return result;
  if (result.kind === 'not-sent') {
    reportNotSent(core, request, identity, result.error);
    if (request.isResend === true && request.previous !== undefined)
      return toFailedResend(core, request.previous, result);
  }

  // 4 no message went out
  return waitInstead(sender, request, recipient, result);
}

/** Finds the number, the browser and the other factors of a user. */
async function findRecipient(
  { core, listFactors }: Sender,
  request: SendRequest,
  identity: UserIdText,
): Promise<MessageRecipient | RefusedSend> {
  const { user, purpose, previous, visit, methods } = request;
  const { userId } = identity;
  const chosen = isAccepted(methods, 'sms') ? await choosePhone(core, request) : NO_PHONE;
  if ('reason' in chosen && chosen.reason === 'user-gone')
    return denySend(core, request, identity, { reason: 'user-gone' });

  const { mobile, isConfirmed, phones } =
    'reason' in chosen ? { mobile: '', isConfirmed: false, phones: [] } : chosen;
  const unusable = 'found' in chosen ? chosen : undefined;
  const listed = admitsOtherFactors(purpose) ? await listFactors(user, userId) : [];
  const factors = listed.filter((factor) => isAccepted(methods, factor));
  const bucket =
    previous?.pending.bucket ?? (await core.browsers.findBucket(visit.browserCookie, userId));
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

/** Begins without a message where another factor comes first. Null: the message does. */
async function waitForOtherFactor(
  sender: Sender,
  request: SendRequest,
  recipient: MessageRecipient,
): Promise<SendResult | null> {
  const { user, visit, methods } = request;
  if (!isAccepted(methods, 'sms')) return waitWithoutSms(sender, request, recipient);
  if (request.isResend === true) return null;
  const getPreferred = (): unknown => visit.getPreferredFactor(user);
  if ((await findPreferred(recipient.factors, getPreferred)) === null) return null;

  const nothingFailed = { refusal: null, waitSeconds: 0, status: null };
  const begun = await sender.beginWithoutText({ request, ...recipient, ...nothingFailed });
  if (begun.kind === 'waiting') return begun;
  if (begun.kind !== 'sent-already') return null;
  return answerSentAlready(sender.core, request, recipient.identity);
}

/** Begins a step-up that accepts no texted code: it waits for one of the user's factors. */
async function waitWithoutSms(
  { core, beginWithoutText }: Sender,
  request: SendRequest,
  recipient: MessageRecipient,
): Promise<SendResult> {
  const { pending } = request.visit;
  const { identity, factors } = recipient;
  if (factors.length === 0)
    return denySend(core, request, identity, { reason: 'second-factor-required' });
  // The code of a message that is out would let no one pass, and would keep this from beginning.
  if (pending !== undefined && pending.otpId !== null)
    await core.store.pendingLogins.end(pending.pendingId);

  const nothingFailed = { refusal: null, waitSeconds: null, status: null };
  const begun = await beginWithoutText({ request, ...recipient, ...nothingFailed });
  if (begun.kind === 'waiting') return begun;
  if (begun.kind === 'limited')
    return denySend(core, request, identity, begun.refusal, { limit: 'without-text' });
  // Another request of this session has sent a message meanwhile.
  return denySend(core, request, identity, { reason: 'resend-too-soon' });
}

/** Another request of this session has sent the message. */
function answerSentAlready(core: Core, request: SendRequest, identity: UserIdText): SendResult {
  const refusal: Refusal = { reason: 'resend-too-soon' };
  // This request has nothing to wait in yet.
  if (request.visit.pending === undefined) return denySend(core, request, identity, refusal);
  return { kind: 'already-sent', refusal };
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
  identity: UserIdText,
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
function toFailedResend(
  core: Core,
  { sends, pending: { pendingUntil } }: PendingState,
  result: NotSent,
): RefusedSend {
  const resendAt = findResendTime(core, { pendingUntil, sends }, result.waitSeconds);
  const failed = { status: result.error.status, resendAt };
  return { kind: 'refused', refusal: toNoMessage(result).refusal, failed };
}

/** A right password leads to a pending login, whatever becomes of the message. */
async function waitInstead(
  { core, beginWithoutText }: Sender,
  request: SendRequest,
  recipient: MessageRecipient,
  result: RefusedSend | NotSent,
): Promise<SendResult> {
  const noMessage = toNoMessage(result);
  const begun = await beginWithoutText({ request, ...recipient, ...noMessage });
  if (begun.kind === 'waiting') return begun;
  if (result.kind === 'not-sent') throw result.error;
  if (recipient.unusable?.thrown !== undefined) throw recipient.unusable.thrown.error;
  // The user could go on without a message, if logins had not begun that way too often.
  if (begun.kind === 'limited' && noMessage.waitSeconds === null)
    return denySend(core, request, recipient.identity, begun.refusal, { limit: 'without-text' });
  return result;
}

/** Returns why no message is out, when one may be asked for, and the HTTP status of the error. */
function toNoMessage(result: RefusedSend | NotSent) {
  if (result.kind === 'refused') {
    const { refusal } = result;
    return { refusal, waitSeconds: refusal.retryAfterSeconds ?? null, status: null };
  }
  const { error, waitSeconds } = result;
  const wait = waitSeconds > 0 && { retryAfterSeconds: waitSeconds };
  const refusal: Refusal = { reason: 'not-sent', ...wait };
  return { refusal, waitSeconds, status: error.status };
}
