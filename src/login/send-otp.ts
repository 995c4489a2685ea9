import type { PolicyContext } from '../policies/policy';
import type { Challenge, Purpose, Transaction } from '../stores/store';
import { startSend } from './challenge-record';
import { choosePhone, type NewPhone } from './choose-phone';
import { deliverCode } from './deliver-code';
import type { LoginParts } from './login-parts';
import type { PhoneChoice, Refusal } from './outcome';
import { askSendPolicies, toPolicyContext } from './send-policies';
import { timeDecision } from './time-decision';
import { toUserIdText } from './user-id';

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
  /** Purpose `enrol` only. */
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
export function createSendOtp(parts: LoginParts): (request: SendRequest) => Promise<SendResult> {
  const { store } = parts;

  return timeDecision(parts, 'send', sendOtp);

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
