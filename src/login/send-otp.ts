import { type GatewayError, isGatewayError, readFields } from '../errors';
import type { OtpText, Permit, TextedOtp } from '../gateway';
import { createOutageWatch } from '../limits/refunds';
import { createNearWatch } from '../limits/near-limits';
import type { PolicyContext } from '../limits/policy';
import { placeOf } from '../limits/buckets';
import type { LiveLogin } from '../stores/pending-logins';
import type { PendingLogin, Purpose, SentText, Transaction } from '../stores/store';
import {
  chargeSend,
  findSendRefusal,
  refundUnusable,
  reportNearLimits,
  type SendCharge,
  toSendOutcome,
} from './charge-send';
import { admitsOtherFactors } from './code-verifiers';
import type { ListFactors, LoginContext, UserPhone } from './context';
import type { PhoneChoice, Refusal } from './outcome';
import {
  choosePhone,
  maskPhone,
  type NewPhone,
  type NoMessageNow,
  warnOfUnknownRange,
} from './phones';
import {
  createPolicyContext,
  type Denial as PolicyDenial,
  emitChargeDenials,
  isDenial,
  needsLookup,
  planCharges,
  runSendPolicies,
  type SendContext,
  settlePolicies,
} from './run-policies';
import { type LoginEvent, withTiming } from './events';
import { toUserIdText, type UserIdText } from './users';
import {
  createBeginWithoutText,
  createPendingLogin,
  findResendTime,
  type NotWaiting,
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
  /** The cookie of known browsers, unchecked. A pending login that has begun keeps its bucket. */
  readonly browserCookie: string | undefined;
  /** What this session already waits for, and the text it shows. */
  readonly current: { readonly pendingId: string; readonly otpId: string | null } | undefined;
  /** The pending login that the text is for; undefined: it begins with the text. */
  readonly previous: LiveLogin | undefined;
  /** Whether a text was asked for again: then nothing waits in its place. */
  readonly isResend: boolean;
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
 * The outcome of the decision. `already-sent`: the session's pending login is live and the next
 * text may not be sent yet, as the refusal says. `waiting`: no text went out, and the pending login
 * has begun all the same.
 */
export type SendResult =
  | {
      readonly kind: 'sent';
      readonly login: PendingLogin;
      readonly text: SentText;
      /** The number that was texted. */
      readonly mobile: string;
      readonly resendAt: number | null;
      readonly phones: readonly PhoneChoice[];
      /** What this user can do now. */
      readonly factors: readonly string[];
    }
  | Waiting
  | { readonly kind: 'already-sent'; readonly refusal: Refusal }
  | { readonly kind: 'not-required' }
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      /** The gateway has failed at a resend: the pending login is as it was. */
      readonly failed?: FailedResend;
    };

/** The HTTP status of the error, and when a text may be asked for; null when none can be had. */
export interface FailedResend {
  readonly status: number;
  readonly resendAt: number | null;
}

/** The gateway, or what stands before it, has kept the text from going out. */
interface NotSent {
  readonly kind: 'not-sent';
  readonly error: GatewayError;
  /** Seconds until another text may be asked for. */
  readonly waitSeconds: number;
}

/** Why a text did not go out, as the event says it. */
type Denial = Omit<
  Extract<LoginEvent, { readonly type: 'denied' }>,
  'type' | 'userId' | 'purpose' | 'address'
>;

type RefusedSend = Extract<SendResult, { readonly kind: 'refused' }>;

export type SendOtp = (request: SendRequest) => Promise<SendResult>;

/**
 * Makes the decision to send. Refusals are values. The returned function
 * @throws {SmsOtpError} for errors of gateway and store, and what the app's own callbacks throw.
 */
export function createSendOtp(login: LoginContext, listFactors: ListFactors): SendOtp {
  const { gateway, store, policies, settings } = login;
  const beginWithoutText = createBeginWithoutText(login);
  const outages = createOutageWatch();
  const findNear = createNearWatch();

  return withTiming(login, 'send', sendOtp);

  async function sendOtp(request: SendRequest): Promise<SendResult> {
    const identity = toUserIdText(login.getUserId(request.user));
    // 1 is it required
    if (!(await request.isRequired())) return { kind: 'not-required' };

    // 2 the number, and what else this user can do
    const recipient = await findRecipient(request, identity);
    if ('kind' in recipient) return recipient;
    const first = await beginWithOtherFactor(request, recipient);
    if (first?.kind === 'waiting') return first;
    if (first?.kind === 'sent-already') {
      const refusal: Refusal = { reason: 'resend-too-soon' };
      // Another request of this session has sent it, and this one has nothing to wait in yet.
      if (request.current === undefined) return refuse(request, identity.userId, refusal);
      return { kind: 'already-sent', refusal };
    }

    // 3 to 6 the text
    const result =
      recipient.mobile === ''
        ? refuseWithoutPhone(request, recipient)
        : await sendText(request, recipient);
    if (result.kind === 'not-sent') {
      reportNotSent(request, identity.userId, result.error);
      const { isResend, previous } = request;
      if (isResend && previous !== undefined) return toFailedResend(previous, result);
    } else if (result.kind !== 'refused') return result;
    return waitInstead(request, recipient, result);
  }

  async function findRecipient(
    request: SendRequest,
    identity: UserIdText,
  ): Promise<TextRecipient | RefusedSend> {
    const { user, purpose, previous, browserCookie } = request;
    const { userId } = identity;
    const chosen = await choosePhone(login, request);
    if ('reason' in chosen && chosen.reason === 'user-gone')
      return refuse(request, userId, { reason: 'user-gone' });
    const { mobile, isConfirmed, phones } =
      'reason' in chosen ? { mobile: '', isConfirmed: false, phones: [] } : chosen;
    const unusable = 'found' in chosen ? chosen : undefined;
    const factors = admitsOtherFactors(purpose) ? await listFactors(user, userId) : [];
    const bucket =
      previous?.login.bucket ?? (await login.browsers.findBucket(browserCookie, userId));
    return { identity, bucket, mobile, isConfirmed, unusable, phones, factors };
  }

  function refuseWithoutPhone(
    request: SendRequest,
    { identity, unusable }: TextRecipient,
  ): RefusedSend {
    const found = unusable && { found: unusable.found };
    return refuse(request, identity.userId, { reason: 'no-phone' }, found);
  }

  /** Begins without a text where another factor comes first. Null: the text does. */
  async function beginWithOtherFactor(
    request: SendRequest,
    recipient: TextRecipient,
  ): Promise<Waiting | NotWaiting | null> {
    const { factors } = recipient;
    if (factors.length === 0) return null;
    const preferred: unknown = await request.getPreferredFactor?.(request.user);
    // A name that this user cannot use now counts as the text.
    if (!factors.some((factor) => factor === preferred)) return null;
    const asked = { request, ...recipient, refusal: null, waitSeconds: 0, status: null };
    return beginWithoutText(asked);
  }

  /** A right password leads to a pending login, whatever becomes of the text. */
  async function waitInstead(
    request: SendRequest,
    recipient: TextRecipient,
    result: RefusedSend | NotSent,
  ): Promise<SendResult> {
    const noText = toNoText(result);
    const begun = await beginWithoutText({ request, ...recipient, ...noText });
    const { userId } = recipient.identity;
    if (begun.kind === 'waiting') return begun;
    if (result.kind === 'not-sent') throw result.error;
    if (recipient.unusable?.thrown !== undefined) throw recipient.unusable.thrown.error;
    // The user could go on without a text, if logins had not begun that way too often.
    if (begun.kind === 'limited' && noText.waitSeconds === null)
      return refuse(request, userId, begun.refusal, { limit: 'without-text' });
    return result;
  }

  /** A resend that fails leaves the pending login as it was: a code that is out stays good. */
  function toFailedResend({ sends, login: pendingLogin }: LiveLogin, result: NotSent): RefusedSend {
    const resendAt = findResendTime(login, { ...pendingLogin, sends }, result.waitSeconds);
    const failed = { status: result.error.status, resendAt };
    return { kind: 'refused', refusal: toNoText(result).refusal, failed };
  }

  function refuse(
    request: SendRequest,
    userId: string,
    refusal: Refusal,
    why: Partial<Denial> = {},
  ): RefusedSend {
    emitDenied(request, userId, { policy: null, limit: null, ...why, reason: refusal.reason });
    return { kind: 'refused', refusal };
  }

  /** Tells the developer why a message was not sent. The page says only that it was not. */
  function reportNotSent(request: SendRequest, userId: string, error: GatewayError): void {
    const { code, message } = error;
    const rule = { reason: 'not-sent', policy: null, limit: null } as const;
    emitDenied(request, userId, { ...rule, error: { code, message } });
    login.warn(
      'SMS_OTP_NOT_SENT',
      `A code was not sent. ${message}. If the option gateway has a baseUrl, ` +
        'run npx passport-sms-otp doctor to find the cause',
      toCause(error),
    );
  }

  function emitDenied({ purpose, address }: SendRequest, userId: string, why: Denial): void {
    login.emit({ type: 'denied', userId, purpose, address, ...why });
  }

  async function refuseByPolicy(
    request: SendRequest,
    { userId, origin }: SendContext,
    { refusal, policy }: PolicyDenial,
  ): Promise<RefusedSend> {
    const isOfCountry = ['country-not-allowed', 'unknown-range'].includes(refusal.reason);
    const about = isOfCountry && { country: (await origin()).country };
    return refuse(request, userId, refusal, { policy, ...about });
  }

  async function sendText(
    request: SendRequest,
    recipient: TextRecipient,
  ): Promise<SendResult | NotSent> {
    const { user, purpose, address, transaction } = request;
    const { userId } = recipient.identity;

    // 3 the policies, and the message
    const asked = { ...recipient, user, userId, purpose, address };
    const context = await createPolicyContext(login, asked);
    const refused =
      (await checkPolicies(request, context, 'free')) ??
      (await checkLookups(request, context, recipient));
    if (refused !== null) return refused;
    const times = startSend(request, recipient);
    const { validitySeconds } = times;
    const locale = await request.getLocale(user);
    const country = async (): Promise<string | null> => (await context.origin()).country;
    const messageContext = { user, purpose, locale, country, transaction };
    const { text, sender } = await login.buildMessage(messageContext, validitySeconds);

    // A call that the client itself refuses is refused before anything is charged.
    const permit = await admit();
    if ('kind' in permit) return permit;
    try {
      // 4 charge the send: the limits and the policies' counters, all or nothing
      const charge = await chargeText(request, context, recipient);
      if ('kind' in charge) return charge;
      // 5 the gateway makes the code and sends it
      const message = { mobile: recipient.mobile, sender, validitySeconds, message: text };
      const generated = await generate(context, message, charge, permit);
      if ('kind' in generated) return generated;
      // 6 begin the pending login, or attach the text to it
      return await remember(request, recipient, { context, times, charge, generated });
    } finally {
      permit.release();
    }
  }

  async function checkPolicies(
    request: SendRequest,
    context: SendContext,
    round: 'free' | 'lookups',
  ): Promise<RefusedSend | null> {
    const denial = await runSendPolicies(login, context, round);
    if (denial?.refusal.reason !== 'country-not-allowed')
      warnOfUnknownRange(login, await context.origin());
    return denial && refuseByPolicy(request, context, denial);
  }

  /** A lookup is paid for only if the limits would admit the send: a refused one costs nothing. */
  async function checkLookups(
    request: SendRequest,
    context: SendContext,
    recipient: TextRecipient,
  ): Promise<SendResult | null> {
    if (!needsLookup(policies, context)) return null;
    const planned = await planCharges(policies, context);
    if (isDenial(planned)) return refuseByPolicy(request, context, planned);
    const refusedCharge = await findSendRefusal(login, context, recipient, planned);
    if (refusedCharge !== null) return refuseCharge(request, context, refusedCharge);
    return checkPolicies(request, context, 'lookups');
  }

  /** Reserves a call of the gateway. */
  async function admit(): Promise<Permit | NotSent> {
    try {
      return await gateway.admit('generate');
    } catch (error) {
      return toNotSent(error, 0);
    }
  }

  async function chargeText(
    request: SendRequest,
    context: SendContext,
    { bucket, isConfirmed }: TextRecipient,
  ): Promise<Charged | SendResult> {
    const planned = await planCharges(policies, context);
    if (isDenial(planned)) return refuseByPolicy(request, context, planned);
    const charge = await chargeSend(login, context, { bucket, isConfirmed }, planned, outages);
    if (!charge.isCharged) return refuseCharge(request, context, charge);
    emitChargeDenials(context, charge, login.emit);
    reportNearLimits(login, context, findNear(charge.rows));
    return charge;
  }

  async function refuseCharge(
    request: SendRequest,
    context: SendContext,
    charge: RefusedCharge,
  ): Promise<SendResult> {
    emitChargeDenials(context, charge, login.emit);
    const { refusal, refusedBy, limit, isInGap } = charge;
    if (isInGap && (await isWaiting(request, context, refusal)))
      return { kind: 'already-sent', refusal };
    return refuse(request, context.userId, refusal, {
      policy: refusedBy?.policy.name ?? null,
      limit,
    });
  }

  async function generate(
    context: SendContext,
    asked: OtpText,
    charge: Charged,
    permit: Permit,
  ): Promise<TextedOtp | NotSent> {
    try {
      const generated = await gateway.generate(asked, permit);
      outages.record(false);
      settlePolicies(login, context, { kind: 'sent', cost: generated.cost ?? null });
      return generated;
    } catch (error) {
      const outcome = toSendOutcome(error);
      const isLost = outcome === 'may-be-sent';
      outages.record(isLost);
      // What the policies have reserved is free again, or uncertain.
      settlePolicies(login, context, { kind: isLost ? 'unknown' : 'not-sent' });
      return toNotSent(error, await charge.refund(outcome));
    }
  }

  async function remember(
    request: SendRequest,
    { identity, mobile, phones, factors }: TextRecipient,
    { context, times, charge, generated }: TextedCode,
  ): Promise<SendResult> {
    const { purpose, address } = request;
    const { userId } = identity;
    const text: SentText = {
      version: 1,
      otpId: generated.id,
      bucket: charge.bucket,
      mobile,
      numberKey: context.numberKey,
      isNewNumber: charge.isNewNumber,
      sentAt: times.sentAt,
      expiresAt: findExpiry(times, generated),
    };
    const pendingLogin = toBegun(request, times.login, text);
    const isKept = await keep(request, pendingLogin, text);
    const subject = { userId, purpose, address };
    const { country } = await context.origin();
    const sent = {
      maskedPhone: maskPhone(mobile),
      sends: times.sends,
      cost: generated.cost ?? null,
    };
    login.emit({ type: 'sent', ...subject, ...sent, country });
    if (charge.usedUp !== null)
      login.emit({ type: 'sends-used-up', ...subject, sends: charge.usedUp });
    // The pending login has ended while the text was sent.
    if (!isKept) return refuse(request, userId, { reason: 'no-pending-login' });
    const { pendingUntil } = pendingLogin;
    const { sends } = times;
    const resendAt = findResendTime(login, { pendingUntil, sends }, charge.waitSeconds);
    const shown = { mobile, resendAt, phones, factors: ['sms', ...factors] };
    return { kind: 'sent', login: pendingLogin, text, ...shown };
  }

  /** The text is out: when it cannot be kept, nobody can use it. */
  async function keep(
    { previous }: SendRequest,
    pendingLogin: PendingLogin,
    text: SentText,
  ): Promise<boolean> {
    const { pendingId, userId, purpose, bucket } = pendingLogin;
    try {
      return previous === undefined
        ? await store.pendingLogins.begin(pendingLogin, placeOf(purpose, bucket), text)
        : await store.pendingLogins.attach(pendingId, text);
    } catch (error) {
      await refundUnusable(login, { userId, bucket: text.bucket });
      throw error;
    }
  }

  /**
   * Opens a pending login, or goes on with one. The clock of a code starts before the gateway is
   * asked.
   */
  function startSend(request: SendRequest, recipient: TextRecipient): SendTimes {
    const { previous } = request;
    const pendingLogin = previous?.login ?? toPendingLogin(request, recipient);
    const sentAt = previous === undefined ? pendingLogin.startedAt : login.now();
    const secondsLeft = Math.floor((pendingLogin.pendingUntil - sentAt) / 1000);
    return {
      login: pendingLogin,
      sends: (previous?.sends ?? 0) + 1,
      sentAt,
      // The app's callbacks take time: a send that was just in time may be a little nearer to the
      // end by now.
      validitySeconds: Math.max(
        SHORTEST_VALIDITY_SECONDS,
        Math.min(settings.codeValiditySeconds, secondsLeft),
      ),
    };
  }

  function toPendingLogin(
    { purpose, pendingId, transaction, newPhone }: SendRequest,
    { identity, bucket, mobile }: TextRecipient,
  ): PendingLogin {
    const about = { purpose, bucket, mobile, transaction, replaces: newPhone?.replaces };
    return createPendingLogin(login, { ...identity, ...about, pendingId });
  }

  /**
   * Returns true when the session waits for a live pending login of the same request (user, number,
   * purpose, transaction): a double click, a reload, a step back. One without a text must live
   * until the text may be asked for; where another login has taken the text that the session shows,
   * the answer would promise a code that no longer fits.
   */
  async function isWaiting(
    request: SendRequest,
    context: PolicyContext,
    { retryAfterSeconds = 0 }: Refusal,
  ): Promise<boolean> {
    const { current } = request;
    if (current === undefined) return false;
    const live = await store.pendingLogins.find(current.pendingId);
    if (live === null || live === 'passed') return false;
    const { login: pendingLogin, text, sends } = live;
    const { pendingUntil } = pendingLogin;
    const isOpen =
      text === null
        ? current.otpId === null &&
          findResendTime(login, { pendingUntil, sends }, retryAfterSeconds) !== null
        : text.expiresAt > login.now();
    return isOpen && isSameRequest(live, request, context);
  }
}

/** A login that begins with its text is counted for the same browser as the text. */
function toBegun(
  { previous }: SendRequest,
  pendingLogin: PendingLogin,
  { bucket }: SentText,
): PendingLogin {
  return previous === undefined ? { ...pendingLogin, bucket } : pendingLogin;
}

function isSameRequest(
  { login: pendingLogin, text }: LiveLogin,
  { transaction, newPhone }: SendRequest,
  { userId, mobile, purpose }: PolicyContext,
): boolean {
  const before = text?.mobile ?? pendingLogin.mobile;
  return (
    pendingLogin.userId === userId &&
    // Empty: it began before the user's numbers were read.
    (before === mobile || before === '') &&
    pendingLogin.purpose === purpose &&
    pendingLogin.replaces === newPhone?.replaces &&
    pendingLogin.transaction?.amount === transaction?.amount &&
    pendingLogin.transaction?.payee === transaction?.payee
  );
}

/** Whom a text goes to. */
interface TextRecipient extends Recipient, Pick<UserPhone, 'isConfirmed'> {
  /** Why there is no number now; undefined: there is one, or the user has none. */
  readonly unusable: NoMessageNow | undefined;
}

/** A send that was charged. */
type Charged = Extract<SendCharge, { readonly isCharged: true }>;

/** A send that a limit, or the counter of a policy, has refused. */
type RefusedCharge = Exclude<SendCharge, Charged>;

/** A text that the gateway has sent. */
interface TextedCode {
  readonly context: SendContext;
  readonly times: SendTimes;
  readonly charge: Charged;
  readonly generated: TextedOtp;
}

/** Returns why no text is out, when one may be asked for, and the HTTP status of the error. */
function toNoText(result: RefusedSend | NotSent) {
  if (result.kind === 'refused') {
    const { refusal } = result;
    return { refusal, waitSeconds: refusal.retryAfterSeconds ?? null, status: null };
  }
  const { error, waitSeconds } = result;
  const wait = waitSeconds > 0 && { retryAfterSeconds: waitSeconds };
  const refusal: Refusal = { reason: 'not-sent', ...wait };
  return { refusal, waitSeconds, status: error.status };
}

/** Names the cause of an error, without the words of an app's own gateway: they may be any. */
function toCause(error: GatewayError): string {
  const { gatewayCode, httpStatus, cause } = readFields(error);
  return [error.code, gatewayCode, httpStatus, readFields(cause).code].join(' ');
}

/** @throws what is not an error of the gateway. */
function toNotSent(error: unknown, waitSeconds: number): NotSent {
  if (!isGatewayError(error)) throw error;
  const busySeconds = 'retryAfterSeconds' in error ? (error.retryAfterSeconds ?? 0) : 0;
  return { kind: 'not-sent', error, waitSeconds: Math.max(waitSeconds, busySeconds) };
}

/** The pending login of one send, and its times. */
interface SendTimes {
  /** The one that a resend goes on with, or a new one. */
  readonly login: PendingLogin;
  readonly sends: number;
  readonly sentAt: number;
  readonly validitySeconds: number;
}

/** What the gateway says of the code's life can only shorten ours. */
function findExpiry(
  { sentAt, login: { pendingUntil }, validitySeconds }: SendTimes,
  generated: TextedOtp,
): number {
  const lifeSeconds = Math.min(validitySeconds, generated.validitySeconds ?? validitySeconds);
  return Math.min(sentAt + lifeSeconds * 1000, pendingUntil);
}
