import type { Request } from 'express';
import type { Method, Refusal, VerifyOutcome } from '../login/outcome';
import type { Verified } from '../login/verify-otp';
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
  readonly info: SmsOtpAuthInfo;
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
): (req: Request, options: AuthenticationOptions) => Promise<Authentication> {
  const { slot, pinField } = parts;

  return async function authenticate(req, options) {
    const { pending } = slot.read(req);
    const code = readField(req, pinField);
    const result = await parts.verifyOtp({ code, pending, currentUser: currentUser(req), address: req.ip });
    if (result.kind === 'verified') return succeed(req, options, result, pending?.otpId);
    if (result.kind === 'unconfirmed') {
      await settle(slot, req, { otpId: pending?.otpId, endsPending: true, notice: 'unconfirmed' });
      throw result.error;
    }
    const { refusal, endsPending } = result;
    req.smsOtp = { verified: false, ...refusal };
    const notice = options.keepsNotice === true ? refusal.reason : null;
    await settle(slot, req, { otpId: pending?.otpId, endsPending, notice });
    return fail(req, refusal);
  };

  async function succeed(
    req: Request,
    { session }: AuthenticationOptions,
    { user, userId, purpose, at }: Verified,
    otpId: string | undefined,
  ): Promise<Authentication> {
    const method = 'sms';
    const outcome: VerifyOutcome = { verified: true, user, method, at };
    req.smsOtp = outcome;
    const marked: SmsOtpSession = { version: 1, verified: { userId, method, at } };
    if (purpose === 'step-up') slot.carryThroughRenewal(req, marked, 'all');
    else if (session !== false) slot.carryThroughRenewal(req, marked);
    else await settle(slot, req, { otpId, endsPending: true, notice: null });
    return { kind: 'success', user, info: { amr: ['pwd', method], method, at } };
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
