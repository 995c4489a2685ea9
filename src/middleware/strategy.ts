import type { Request } from 'express';
import type passport from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { UsageError } from '../errors';
import type { CodeVerifier } from '../login/code-verifiers';
import type { Method, Refusal } from '../login/outcome';
import type { Verified } from '../login/verify-otp';
import type { FactorVerification, KeptLogin, MiddlewareContext } from './context';
import { currentUser, isGiven } from './handler';
import {
  LOGIN_ENDED,
  recordRefusal,
  REPLIES,
  type SessionRefusal,
  setRetryAfter,
  toVerified,
} from './responses';
import type { Purpose } from '../stores/store';
import { type PendingSlot, type SmsOtpSession, toKept } from './session-data';
import { readRequiredField } from './setup-checks';
import { updateSlot, withoutPending } from './update-slot';

/** Passport's actions for one request, and the name that the strategy is registered under. */
type Actions = passport.StrategyCreatedStatic & { readonly name: string };

type Verify = (this: Actions, req: Request, options?: AuthenticationOptions) => void;

/**
 * passport-custom's class, typed by hand: its own types fix the name to 'custom' and hide
 * Passport's actions.
 */
const Base = CustomStrategy as unknown as new (
  options: { readonly passOptionsToCallback: true },
  verify: Verify,
) => { name: string; authenticate(req: Request, options?: unknown): void } & Actions;

/** Authenticates one request, and leaves the session ready for what Passport does next. */
export type Authenticate = (
  req: Request,
  options: AuthenticationOptions,
) => Promise<Authentication>;

/**
 * The Passport strategy: reads the code from the body and verifies it. passport-custom calls the
 * verification and hands it Passport's options. It holds no state of its own; Passport makes a
 * fresh object from it for every request, provided that it is called by its name.
 */
export class OtpStrategy extends Base {
  constructor(strategyName: string, authenticate: Authenticate) {
    // Neither an arrow, because passport-custom calls it on the object of this request, nor async,
    // because nobody takes its promise. It calls Passport's actions itself: the callback that
    // passport-custom offers loses the status of a refusal.
    super({ passOptionsToCallback: true }, function verify(req, options) {
      // Bound before the first await: on a shared object Passport replaces them.
      const success = this.success.bind(this);
      const fail = this.fail.bind(this);
      const error = this.error.bind(this);
      // Own on the shared object, inherited on the one Passport makes for a request.
      if (Object.hasOwn(this, '_verify'))
        return error(new UsageError('ERR_STRATEGY_OBJECT', this.name));
      authenticate(req, options ?? {})
        .then((answer) => {
          if (answer.kind === 'failure') fail(answer.info, answer.status);
          else success(answer.user, answer.info);
        })
        // Also what Passport's actions throw, such as for failureFlash without a flash middleware.
        .catch(error);
    });
    this.name = strategyName;
  }
}

/** The options that Passport, or `verify`, passes to the strategy. */
export interface AuthenticationOptions {
  readonly session?: boolean | undefined;
  /** Whether a refusal is kept for the next page. Set by `verify` when it redirects. */
  readonly keepsNotice?: boolean | undefined;
  /** The factor whose code is verified. Default: `sms`. */
  readonly factor?: string | undefined;
  /** The only purpose whose code is verified. Default: any. */
  readonly purpose?: Purpose | undefined;
}

/**
 * The user to go on with, and `req.authInfo`: `SmsOtpAuthInfo`, or what an appended function passed
 * instead.
 */
interface ConfirmedUser {
  readonly user: Express.User;
  readonly info: object;
}

export type Authentication =
  | ({ readonly kind: 'success' } & ConfirmedUser)
  | { readonly kind: 'failure'; readonly info: SmsOtpFailureInfo; readonly status: number };

/** `req.authInfo` after a second factor. `amr` as in RFC 8176. */
export interface SmsOtpAuthInfo {
  readonly amr: readonly string[];
  readonly method: Method;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The `info` of a refusal. */
export interface SmsOtpFailureInfo extends Refusal {
  /** What Passport's `failureMessage` and `failureFlash` show. */
  readonly message: string;
}

/**
 * Makes the verification of a request's code. After a success the mark passes through the renewal
 * by `req.logIn`.
 */
export function createAuthenticate(
  context: MiddlewareContext,
  callback?: StrategyCallback,
): Authenticate {
  const { slot, factors, logins } = context;

  return async function authenticate(req, options) {
    const { pending } = slot.read(req);
    const { verifier, verifyOtp } = findFactor(options.factor ?? 'sms');
    const otpId = pending?.otpId;
    const { purpose = pending?.purpose } = options;
    if (purpose !== pending?.purpose)
      return refuse(req, options, { refusal: { reason: 'no-pending-login' }, otpId });
    const code = readRequiredField(req, verifier.field, context.warn);
    // Plain `passport.authenticate` of this strategy, right behind a first factor.
    const isMeantToSend =
      options.keepsNotice === undefined && req.authInfo !== undefined && req.user;
    if (isMeantToSend && pending === undefined && code === undefined)
      throw new UsageError('ERR_STRATEGY_SENDS_NOTHING', context.strategyName);
    const request = { code, pending, currentUser: currentUser(req), address: req.ip };
    const result = (await logins.findEnd(req)) ?? (await verifyOtp(request));
    if (result.kind === 'verified') return succeed(req, options, result, verifier, pending);
    if (result.kind === 'unconfirmed') {
      await recordRefusal(
        context,
        req,
        { refusal: { reason: 'unconfirmed' }, otpId, endsPending: true },
        true,
      );
      throw result.error;
    }
    return refuse(req, options, { ...result, otpId });
  };

  function findFactor(name: string): FactorVerification {
    const factor = factors.get(name);
    if (factor === undefined) throw new TypeError(`no factor ${name} is configured`);
    return factor;
  }

  async function succeed(
    req: Request,
    options: AuthenticationOptions,
    { user, userId, purpose, method, at, transaction, bucket }: Verified,
    { amr }: CodeVerifier,
    pending: PendingSlot | undefined,
  ): Promise<Authentication> {
    const otpId = pending?.otpId;
    const kept = toKept(slot.read(req));
    const info: SmsOtpAuthInfo = { amr: [...(kept.amr ?? ['pwd']), amr], method, at };
    const confirmed = await confirmUser(callback, { user, info });
    if (confirmed === null) {
      return refuse(req, options, { refusal: { reason: 'denied' }, otpId, endsPending: true });
    }
    // A user who has logged out in the meantime stays out: all purposes but login keep the
    // session's data, its user too.
    if (purpose !== 'login' && !(await slot.mayFinish(req, pending?.pendingId))) {
      return refuse(req, options, { refusal: { reason: 'no-pending-login' }, otpId });
    }
    if (options.session !== false && purpose !== 'transaction') {
      await context.browsers.remember(req, { userId, bucket });
    }
    // Approving one payment proves nothing else: the mark stays as it was.
    const isTransaction = purpose === 'transaction';
    const verified = isTransaction ? slot.read(req).verified : { userId, method, at };
    const login = options.session === false ? {} : await toLogin();
    if (login === null) return refuse(req, options, { refusal: LOGIN_ENDED, otpId });
    const marked: SmsOtpSession = { ...kept, ...(verified && { verified }), ...login };
    if (options.session === false) {
      await updateSlot(context, req, (current) => current.pending?.otpId === otpId, withoutPending);
    } else slot.carryThroughRenewal(req, marked, purpose === 'login' ? undefined : 'all');
    req.smsOtp = toVerified({
      user: confirmed.user,
      method,
      at,
      ...(transaction && { transaction }),
    });
    return { kind: 'success', ...confirmed };

    async function toLogin(): Promise<KeptLogin | null> {
      if (purpose === 'login') return logins.begin(req, userId, method);
      return logins.renew(req, userId, isTransaction ? undefined : method);
    }
  }

  async function refuse(
    req: Request,
    options: AuthenticationOptions,
    refused: SessionRefusal,
  ): Promise<Authentication> {
    const told = await recordRefusal(context, req, refused, options.keepsNotice === true);
    req.smsOtp = { verified: false, ...told };
    const { status, error } = REPLIES[told.reason];
    if (req.res !== undefined) setRetryAfter(req.res, status, told.retryAfterSeconds);
    return { kind: 'failure', info: { message: error, ...told }, status };
  }
}

/**
 * What NestJS and others append: called with the verified user, and may answer with another, or
 * none.
 */
export type StrategyCallback = (user: Express.User, done: StrategyDone) => unknown;
export type StrategyDone = (
  error: unknown,
  user?: Express.User | false | null,
  info?: object,
) => void;

/**
 * Calls the appended function; null when it answers without a user. Its arity is never read,
 * because NestJS passes rest parameters. Only its first answer counts.
 * @throws what the function throws, rejects with, or passes to `done`.
 */
function confirmUser(
  callback: StrategyCallback | undefined,
  verified: ConfirmedUser,
): Promise<ConfirmedUser | null> {
  // Frameworks may append anything.
  if (typeof callback !== 'function') return Promise.resolve(verified);
  return new Promise((resolve, reject) => {
    const answered = callback(verified.user, (error, user, info) => {
      if (isGiven(error)) return reject(error);
      resolve(user ? { user, info: info ?? verified.info } : null);
    });
    Promise.resolve(answered).catch(reject);
  });
}
