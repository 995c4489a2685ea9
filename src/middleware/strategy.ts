import type { Request } from 'express';
import type passport from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { UsageError } from '../errors';
import type { Refusal } from '../core/outcome';
import type { Method } from '../method';
import { refuse as toRefused, type Refused } from '../core/refuse-code';
import type { Passed, Verified } from '../core/finish-code';
import type { Visit } from '../core/visit';
import { findEndOfLogin, recordCodeRefusal } from './code-answers';
import type { FactorVerification, MiddlewareContext } from './context';
import { isGiven } from './handler';
import { setRetryAfter, toVerified } from './answer';
import { recordRefusal, type SessionRefusal } from './notice';
import { REPLIES } from './replies';
import type { Purpose } from '../stores/store';
import { firstAmr, type SmsOtpSession, toKept } from './session-data';
import { checkStore, readRequiredField } from './setup-checks';
import { isSamePending, updateSlot, withoutPending } from './update-slot';
import { readVisit } from './visit';

/** Passport's actions for one request, and the name under which the strategy is registered. */
type Actions = passport.StrategyCreatedStatic & { readonly name: string };

type Verify = (this: Actions, req: Request, options?: AuthenticationOptions) => void;

/**
 * The class of passport-custom with our own types: its types fix the name to 'custom' and hide
 * Passport's actions.
 */
const Base = CustomStrategy as unknown as new (
  options: { readonly passOptionsToCallback: true },
  verify: Verify,
) => { name: string; authenticate(req: Request, options?: unknown): void } & Actions;

/** Verifies the code of one request, and leaves the session ready for what Passport does next. */
export type Authenticate = (
  req: Request,
  options: AuthenticationOptions,
) => Promise<Authentication>;

/**
 * The Passport strategy: reads the code from the body and verifies it. passport-custom calls the
 * verification with Passport's options. The strategy holds no state. If it is called by its name,
 * Passport makes a fresh object from it for every request.
 */
export class OtpStrategy extends Base {
  constructor(strategyName: string, authenticate: Authenticate) {
    // This is neither an arrow function, because passport-custom calls it on the object of the
    // request, nor async, because its promise is not used. It calls Passport's actions itself: the
    // callback of passport-custom loses the status of a refusal.
    super({ passOptionsToCallback: true }, function verify(req, options) {
      // Bind the actions before the first await: on a shared object Passport replaces them.
      const success = this.success.bind(this);
      const fail = this.fail.bind(this);
      const error = this.error.bind(this);
      // Refuse the shared object, which has its own `_verify`. The copy that Passport makes for a
      // request inherits it.
      if (Object.hasOwn(this, '_verify'))
        return error(new UsageError('ERR_STRATEGY_OBJECT', this.name));
      // With `assignProperty` Passport would set that property and log no one in.
      if (options?.assignProperty) return error(new UsageError('ERR_STRATEGY_PROPERTY', this.name));
      authenticate(req, options ?? {})
        .then((answer) => {
          if (answer.kind === 'failure') fail(answer.info, answer.status);
          else success(answer.user, answer.info);
        })
        // This also catches what Passport's actions throw, such as for failureFlash without flash.
        .catch(error);
    });
    this.name = strategyName;
  }
}

/** The options that Passport, or `verify`, passes to the strategy. */
export interface AuthenticationOptions {
  /** Passport's own option, which `passport.authorize` sets. Refused. */
  readonly assignProperty?: string | undefined;
  readonly session?: boolean | undefined;
  /** Passport's own option: where it sends a browser after a refusal. */
  readonly failureRedirect?: string | undefined;
  /** Whether a refusal is kept for the next page. `verify` sets it when it redirects. */
  readonly keepsNotice?: boolean | undefined;
  /** The factor whose code is verified. Default: `sms`. */
  readonly factor?: string | undefined;
  /** The only purpose whose code is verified. Default: any. */
  readonly purpose?: Purpose | undefined;
}

/** Returns whether the app has called Passport itself: `verify` always sets `keepsNotice`. */
function isPlain(options: AuthenticationOptions): boolean {
  return options.keepsNotice === undefined;
}

/**
 * The user who is let in, and `req.authInfo`: `SmsOtpAuthInfo`, or what an appended function passed
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
 * Creates the verification of a request's code. After a success, the mark is carried through the
 * renewal by `req.logIn`.
 */
export function createAuthenticate(
  context: MiddlewareContext,
  callback?: StrategyCallback,
): Authenticate {
  const { slot, factors } = context;

  return async function authenticate(req, options) {
    const { pending } = slot.read(req);
    checkStore(pending, context);
    const { factor, verifyOtp } = findFactor(options.factor ?? 'sms');
    const { purpose = pending?.purpose } = options;
    if (purpose !== pending?.purpose)
      return refuse(req, options, { refusal: { reason: 'no-pending-login' }, pending });
    const code = readRequiredField(req, factor.field, context.warn);
    // True for a plain `passport.authenticate` of this strategy directly behind a first factor,
    // which should be `send`.
    const isMeantToSend = isPlain(options) && req.authInfo !== undefined && req.user;
    if (isMeantToSend && pending === undefined && code === undefined)
      throw new UsageError('ERR_STRATEGY_SENDS_NOTHING', context.strategyName);
    const success = new StrategySuccess(context, req, callback);
    const isKept = options.session !== false;
    const visit = toVisit(context, req, options);
    const result =
      (await findEndOfLogin(context, req, pending)) ??
      (await verifyOtp({ code, visit, isKept, confirm: (verified) => success.confirm(verified) }));
    if (result.kind === 'verified') return success.enter(result, isKept);
    if (result.kind === 'refused') return refuse(req, options, { ...result, pending });
    const unconfirmed: Refusal = { reason: 'unconfirmed' };
    await recordRefusal(context, req, { refusal: unconfirmed, pending, endsPending: true }, true);
    throw result.error;
  };

  function findFactor(name: string): FactorVerification {
    const factor = factors.get(name);
    if (factor === undefined) throw new TypeError(`no factor ${name} is configured`);
    return factor;
  }

  async function refuse(
    req: Request,
    options: AuthenticationOptions,
    refused: SessionRefusal,
  ): Promise<Authentication> {
    const { keepsNotice, failureRedirect } = options;
    const told = await recordCodeRefusal(context, req, refused, {
      // A plain `passport.authenticate` goes on to handlers of the app.
      isAnswered: !isPlain(options),
      // Passport itself redirects then, and the next page shows the reason.
      keepsNotice: keepsNotice ?? failureRedirect !== undefined,
    });
    req.smsOtp = { verified: false, ...told };
    const { status, error } = REPLIES[told.reason];
    if (req.res !== undefined) setRetryAfter(req.res, status, told.retryAfterSeconds);
    return { kind: 'failure', info: { message: error, ...told }, status };
  }
}

/**
 * Reads the visit of a request. A plain `passport.authenticate` has no form for features, such as
 * the box that trusts a device, because its route is not made for it.
 */
function toVisit(context: MiddlewareContext, req: Request, options: AuthenticationOptions): Visit {
  const visit = readVisit(context, req);
  return isPlain(options) ? { ...visit, readField: () => undefined } : visit;
}

/** The success of one request: asks before it counts, and is put into the session after that. */
class StrategySuccess {
  /** What the session kept before, besides the mark. */
  private readonly kept: SmsOtpSession;
  private confirmed: ConfirmedUser | undefined;

  constructor(
    private readonly context: MiddlewareContext,
    private readonly req: Request,
    private readonly callback: StrategyCallback | undefined,
  ) {
    this.kept = toKept(context.slot.read(req));
  }

  /**
   * Asks the app and the session whether the user may be let in. If one refuses, the pending login
   * ends.
   */
  async confirm(verified: Verified): Promise<Refused | null> {
    const { context, req } = this;
    const { user, purpose, method, at } = verified;
    const { pending } = context.slot.read(req);
    const { factor } = context.factors.get(method) ?? {};
    const amr = [...firstAmr(this.kept), factor?.amr ?? method];
    const info: SmsOtpAuthInfo = { amr, method, at };
    const confirmed = await confirmUser(this.callback, { user, info });
    if (confirmed === null) return toRefused('denied', true);
    this.confirmed = confirmed;
    if (purpose === 'login' && pending !== undefined)
      context.userFields?.compareWithPending(pending.pendingId, confirmed.user);
    // A user who has logged out meanwhile stays logged out: except at a login, the session keeps
    // its data, including its user.
    if (purpose !== 'login' && !(await context.slot.mayFinish(req, pending?.pendingId)))
      return toRefused('no-pending-login');
    return null;
  }

  /** Leaves the session ready for what Passport does next. */
  async enter(
    { user, userId, purpose, method, at, transaction, kept, written }: Passed,
    isKept: boolean,
  ) {
    const { context, req, confirmed = { user, info: {} } } = this;
    const { slot } = context;
    if (!isKept) {
      // No session names the success, so settle it now.
      await written.done();
      const { pending } = slot.read(req);
      const isStill = (current: SmsOtpSession): boolean => isSamePending(current.pending, pending);
      await updateSlot(context, req, isStill, withoutPending);
    } else {
      // Approving one payment proves nothing else, so the mark stays as it was.
      const verified = purpose === 'transaction' ? slot.read(req).verified : { userId, method, at };
      const marked = { ...this.kept, ...(verified && { verified }), ...kept };
      const keep = purpose === 'login' ? undefined : 'all';
      slot.carryThroughRenewal(req, marked, keep, written);
    }
    const approved = transaction && { transaction };
    req.smsOtp = toVerified({ user: confirmed.user, method, at, ...approved });
    return { kind: 'success', ...confirmed } as const;
  }
}

/**
 * A function that NestJS and others append. It is called with the verified user, and may answer
 * with another user, or none.
 */
export type StrategyCallback = (user: Express.User, done: StrategyDone) => unknown;
export type StrategyDone = (
  error: unknown,
  user?: Express.User | false | null,
  info?: object,
) => void;

/**
 * Calls the appended function; null if it answers without a user. Its number of parameters is never
 * read, because NestJS passes rest parameters. Only its first answer counts.
 * @throws the error that the function throws, rejects with, or passes to `done`.
 */
function confirmUser(
  callback: StrategyCallback | undefined,
  verified: ConfirmedUser,
): Promise<ConfirmedUser | null> {
  // Frameworks may append any value.
  if (typeof callback !== 'function') return Promise.resolve(verified);
  return new Promise((resolve, reject) => {
    const answered = callback(verified.user, (error, user, info) => {
      if (isGiven(error)) return reject(error);
      resolve(user ? { user, info: info ?? verified.info } : null);
    });
    Promise.resolve(answered).catch(reject);
  });
}
