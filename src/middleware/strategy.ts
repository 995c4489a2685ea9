import type { Request } from 'express';
import type passport from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { StrategyUsageError } from '../errors';
import type { Method, Refusal } from '../login/outcome';
import type { Refused, Verified } from '../login/verify-otp';
import type { CodeVerifier } from '../login/code-verifiers';
import type { FactorVerification, MiddlewareContext } from './context';
import { currentUser, isGiven, readField } from './handler';
import { REPLIES, setRetryAfter, recordRefusal } from './responses';
import type { SmsOtpSession } from './session-data';

/** What NestJS and others append: sees the verified user and may answer with another, or none. */
export type StrategyCallback = (user: Express.User, done: StrategyDone) => unknown;
export type StrategyDone = (error: unknown, user?: Express.User | false | null, info?: object) => void;

/** The user to go on with, and what `req.authInfo` tells. */
export interface Confirmed<Info extends object> {
  readonly user: Express.User;
  readonly info: Info;
}

/**
 * Asks the appended function; null when it answers with nobody. Its arity is never looked at: NestJS passes rest
 * parameters. It counts once, however often it answers.
 * @throws what the function throws, rejects with, or hands to `done`.
 */
function confirmUser<Info extends object>(
  callback: StrategyCallback | undefined,
  verified: Confirmed<Info>,
): Promise<Confirmed<Info | object> | null> {
  // Frameworks append all sorts of things.
  if (typeof callback !== 'function') return Promise.resolve(verified);
  return new Promise((resolve, reject) => {
    const answered = callback(verified.user, (error, user, info) => {
      if (isGiven(error)) return reject(error);
      resolve(user ? { user, info: info ?? verified.info } : null);
    });
    Promise.resolve(answered).catch(reject);
  });
}

/** How Passport, or `verify`, asked for the authentication. */
export interface AuthenticationOptions {
  readonly session?: boolean | undefined;
  /** Whether a refusal is kept for the next page. Set by `verify` when it redirects. */
  readonly keepsNotice?: boolean | undefined;
  /** The factor whose code is judged. Default: `sms`. */
  readonly factor?: string | undefined;
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
  context: MiddlewareContext,
  callback?: StrategyCallback,
): (req: Request, options: AuthenticationOptions) => Promise<Authentication> {
  const { slot, factors } = context;

  return async function authenticate(req, options) {
    const { pending } = slot.read(req);
    const { verifier, verifyOtp } = findFactor(options.factor ?? 'sms');
    const code = readField(req, verifier.field);
    const result = await verifyOtp({ code, pending, currentUser: currentUser(req), address: req.ip });
    if (result.kind === 'verified') return succeed(req, options, result, verifier, pending?.otpId);
    const otpId = pending?.otpId;
    if (result.kind === 'unconfirmed') {
      await recordRefusal(slot, req, { otpId, endsPending: true, notice: 'unconfirmed' });
      throw result.error;
    }
    return refuse(req, options, otpId, result);
  };

  function findFactor(name: string): FactorVerification {
    const factor = factors.get(name);
    if (factor === undefined) throw new TypeError(`no factor ${name} is configured`);
    return factor;
  }

  async function succeed(
    req: Request,
    options: AuthenticationOptions,
    { user, userId, purpose, method, at, transaction }: Verified,
    { amr }: CodeVerifier,
    otpId: string | undefined,
  ): Promise<Authentication> {
    const told: SmsOtpAuthInfo = { amr: ['pwd', amr], method, at };
    const confirmed = await confirmUser(callback, { user, info: told });
    if (confirmed === null) {
      return refuse(req, options, otpId, { refusal: { reason: 'denied' }, endsPending: true });
    }
    // Whoever has logged out while the code was judged stays out: all but a login keep the session's data, the user's too.
    if (purpose !== 'login' && !(await slot.mayFinish(req, otpId))) {
      return refuse(req, options, otpId, { refusal: { reason: 'no-pending-login' }, endsPending: false });
    }
    // Approving one payment is no proof for anything else: the mark stays as it was.
    const verified = purpose === 'transaction' ? slot.read(req).verified : { userId, method, at };
    const marked: SmsOtpSession = { version: 1, ...(verified && { verified }) };
    if (options.session === false) await recordRefusal(slot, req, { otpId, endsPending: true, notice: null });
    else slot.carryThroughRenewal(req, marked, purpose === 'login' ? undefined : 'all');
    const { user: confirmedUser } = confirmed;
    req.smsOtp = { verified: true, user: confirmedUser, method, at, ...(transaction && { transaction }) };
    return { kind: 'success', ...confirmed };
  }

  async function refuse(
    req: Request,
    options: AuthenticationOptions,
    otpId: string | undefined,
    { refusal, endsPending }: Pick<Refused, 'refusal' | 'endsPending'>,
  ): Promise<AuthenticationFailure> {
    req.smsOtp = { verified: false, ...refusal };
    const notice = options.keepsNotice === true ? refusal.reason : null;
    await recordRefusal(slot, req, { otpId, endsPending, notice });
    return fail(req, refusal);
  }
}

function fail(req: Request, refusal: Refusal): AuthenticationFailure {
  const { status, error } = REPLIES[refusal.reason];
  if (req.res !== undefined) setRetryAfter(req.res, status, refusal.retryAfterSeconds);
  return { kind: 'failure', info: { message: error, ...refusal }, status };
}

type Verify = (req: Request, done: () => void) => void;

/** passport-custom's class, typed by hand: its own types fix the name to 'custom' and hide Passport's actions. */
const Base = CustomStrategy as unknown as new (verify: Verify) => {
  name: string;
  authenticate(req: Request, options?: unknown): void;
} & passport.StrategyCreatedStatic;

/** What the strategy is made of. */
export interface StrategyParts {
  readonly strategyName: string;
  readonly authenticate: (req: Request, options: AuthenticationOptions) => Promise<Authentication>;
}

/**
 * The Passport strategy: reads the code from the body and lets the decision judge it. It holds no state of its own;
 * Passport makes a fresh object from it for every request, provided that it is called by its name.
 */
export class OtpStrategy extends Base {
  private readonly parts: StrategyParts;

  constructor(parts: StrategyParts) {
    super(() => undefined);
    this.name = parts.strategyName;
    this.parts = parts;
  }

  override authenticate(req: Request, options?: AuthenticationOptions): void {
    // Taken before the first await: on an object that is shared they change under us.
    const success = this.success.bind(this);
    const fail = this.fail.bind(this);
    const error = this.error.bind(this);
    // Own on the shared object, inherited on the one Passport makes for a request.
    if (Object.hasOwn(this, '_verify')) return error(new StrategyUsageError(this.name));
    this.parts
      .authenticate(req, options ?? {})
      .then((answer) => {
        if (answer.kind === 'failure') fail(answer.info, answer.status);
        else success(answer.user, answer.info);
      })
      // Also what Passport's actions throw, such as for failureFlash without a flash middleware.
      .catch(error);
  }
}
