import type { Request } from 'express';
import type { Refused } from '../login/attempt';
import type { Method, Refusal } from '../login/outcome';
import type { Verified } from '../login/verify-otp';
import { confirmUser, type StrategyCallback } from './confirm-user';
import { currentUser } from './current-user';
import type { EdgeParts } from './edge-parts';
import { setRetryAfter, REPLIES } from './replies';
import { settle } from './refuse';
import type { SmsOtpSession } from './session-data';

/** How Passport, or `verify`, asked for the authentication. */
export interface AuthenticationOptions {
  readonly session?: boolean | undefined;
  /** Whether a refusal is kept for the next page. Set by `verify` when it redirects. */
  readonly keepsNotice?: boolean | undefined;
}

/** What `req.authInfo` tells of a second factor. `amr` as in RFC 8176. */
export interface SmsOtpAuthInfo {
  readonly amr: readonly string[];
  readonly method: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What `info` tells of a refusal. */
export interface SmsOtpFailureInfo extends Refusal {
  /** What Passport's `failureMessage` and `failureFlash` show. */
  readonly message: string;
}

export interface AuthenticationSuccess {
  readonly kind: 'success';
  readonly user: Express.User;
  /** `SmsOtpAuthInfo`, or what an appended function gave instead. */
  readonly info: object;
}

export interface AuthenticationFailure {
  readonly kind: 'failure';
  readonly info: SmsOtpFailureInfo;
  readonly status: number;
}

export type Authentication = AuthenticationSuccess | AuthenticationFailure;

/**
 * Judges the code of one request for the strategy, and leaves the session ready for what Passport does next: after a
 * success the mark passes through the renewal that `req.logIn` makes.
 */
export function createAuthenticate(
  parts: EdgeParts,
  callback?: StrategyCallback,
): (req: Request, options: AuthenticationOptions) => Promise<Authentication> {
  const { slot, pinField } = parts;

  return async function authenticate(req, options) {
    const { pending } = slot.read(req);
    const code = readField(req, pinField);
    const result = await parts.verifyOtp({ code, pending, currentUser: currentUser(req), address: req.ip });
    if (result.kind === 'verified') return succeed(req, options, result, pending?.otpId);
    const otpId = pending?.otpId;
    if (result.kind === 'unconfirmed') {
      await settle(slot, req, { otpId, endsPending: true, notice: 'unconfirmed' });
      throw result.error;
    }
    return turnAway(req, options, otpId, result);
  };

  async function succeed(
    req: Request,
    options: AuthenticationOptions,
    { user, userId, purpose, at }: Verified,
    otpId: string | undefined,
  ): Promise<Authentication> {
    const method = 'sms';
    const told: SmsOtpAuthInfo = { amr: ['pwd', method], method, at };
    const confirmed = await confirmUser(callback, { user, info: told });
    if (confirmed === null) {
      return turnAway(req, options, otpId, { refusal: { reason: 'denied' }, endsPending: true });
    }
    // Whoever has logged out while the code was judged stays out: a step-up keeps the session's data, the user's too.
    if (purpose === 'step-up' && !(await slot.isStillWaiting(req, otpId))) {
      return turnAway(req, options, otpId, { refusal: { reason: 'no-pending-login' }, endsPending: false });
    }
    const marked: SmsOtpSession = { version: 1, verified: { userId, method, at } };
    if (options.session === false) await settle(slot, req, { otpId, endsPending: true, notice: null });
    else slot.carryThroughRenewal(req, marked, purpose === 'step-up' ? 'all' : undefined);
    req.smsOtp = { verified: true, user: confirmed.user, method, at };
    return { kind: 'success', ...confirmed };
  }

  async function turnAway(
    req: Request,
    options: AuthenticationOptions,
    otpId: string | undefined,
    { refusal, endsPending }: Pick<Refused, 'refusal' | 'endsPending'>,
  ): Promise<AuthenticationFailure> {
    req.smsOtp = { verified: false, ...refusal };
    const notice = options.keepsNotice === true ? refusal.reason : null;
    await settle(slot, req, { otpId, endsPending, notice });
    return fail(req, refusal);
  }
}

/** Only an own member of a parsed body is a code; whether it is one is decided by the login. */
function readField(req: Request, field: string): unknown {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return undefined;
  return (body as Record<string, unknown>)[field];
}

function fail(req: Request, refusal: Refusal): AuthenticationFailure {
  const { status, error } = REPLIES[refusal.reason];
  if (req.res !== undefined) setRetryAfter(req.res, status, refusal.retryAfterSeconds);
  return { kind: 'failure', info: { message: error, ...refusal }, status };
}
