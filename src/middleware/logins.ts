import type { Request, RequestHandler, Response } from 'express';
import type {
  ListedLogin,
  LoginReference,
  LoginRegistry,
  PreparedLogin,
  WrittenLogin,
} from '../core/context';
import type { PreparedPut } from '../core/feature';
import { joinWritten } from '../core/finish-login';
import type { Method } from '../core/outcome';
import { toUserIdText } from '../core/users';
import type { Login, UserId } from '../stores/store';
import type { LoginsContext, MiddlewareContext, PreparedSession } from './context';
import { createFactory } from './factory';
import type { PassportOptions, RedirectOptions } from './options';
import { logIn, logOut } from './passport';
import { answerSuccess } from './answer';
import type { PendingSlot } from './session-data';
import type { SessionSlot } from './session-slot';
import { checkLogout } from './setup-checks';
import { toDeviceLabel } from './trusted-devices';

/** @param registry Undefined with `logins: false`: then no session has a login of its own. */
export function createLogins(
  slot: SessionSlot,
  registry: LoginRegistry | undefined,
): LoginsContext {
  /** Requests whose login was found live, whatever time has passed since. */
  const checked = new WeakMap<Request, string>();
  /** The record that a request has read. A success takes its place only while it is live. */
  const read = new WeakMap<Request, Login>();

  const findLogin = (req: Request): LoginReference | undefined => registry && slot.peek(req)?.login;

  async function isLive(req: Request): Promise<boolean> {
    const login = findLogin(req);
    if (registry === undefined || login === undefined) return true;
    return keep(req, login, await registry.isLive(login));
  }

  async function isStillLive(req: Request): Promise<boolean> {
    const login = findLogin(req);
    if (registry === undefined || login === undefined) return true;
    const live = await registry.findLive(login);
    if (live !== null) read.set(req, live);
    return keep(req, login, live !== null);
  }

  function keep(req: Request, { loginId }: LoginReference, isFoundLive: boolean): boolean {
    if (isFoundLive) checked.set(req, loginId);
    else checked.delete(req);
    return isFoundLive;
  }

  /** Returns the record of the request's login; null: it has ended. */
  async function findRecord(
    { findLive }: LoginRegistry,
    req: Request,
    login: LoginReference,
  ): Promise<Login | null> {
    const known = read.get(req);
    return known?.loginId === login.loginId ? known : findLive(login);
  }

  function prepare(req: Request, userId: string, method: Method | null): PreparedSession {
    if (registry === undefined) return NO_RECORD;
    return toSession(req, registry.prepare({ userId, method, label: labelOf(req) }));
  }

  function toSession(req: Request, { login, ...prepared }: PreparedLogin): PreparedSession {
    const done: PreparedPut['done'] = (result) => {
      checked.set(req, login.loginId);
      return prepared.done(result);
    };
    return { kind: 'prepared', puts: [{ ...prepared, done }], kept: { login } };
  }

  async function renewLogin(
    { begin, replace }: LoginRegistry,
    req: Request,
    userId: string,
    method: Method,
  ): Promise<WrittenLogin | null> {
    const login = findLogin(req);
    if (login !== undefined) return replace(login, method);
    return begin({ userId, method, label: labelOf(req) });
  }

  return {
    isOn: registry !== undefined,
    isChecked: (req, loginId, at) =>
      registry?.isChecked(loginId, at) === true || checked.get(req) === loginId,
    isLive,
    isStillLive,
    prepare,
    async prepareNext(req, userId, method) {
      const login = findLogin(req);
      // No records are kept, or none was when this session began.
      if (registry === undefined || login === undefined)
        return prepare(req, userId, method ?? null);
      const record = await findRecord(registry, req, login);
      if (record === null) return null;
      const next = registry.prepareNext(record, method);
      return { ...toSession(req, next), replaces: next.replaces };
    },
    async renew(req, userId, method) {
      if (registry === undefined) return { kept: {}, ...NOTHING_WRITTEN };
      const renewed = await renewLogin(registry, req, userId, method);
      if (renewed === null) return null;

      const { login, undo } = renewed;
      const done = (): Promise<void> => {
        checked.set(req, login.loginId);
        return renewed.done();
      };
      return { kept: { login }, done, undo };
    },
    async end(req) {
      const login = findLogin(req);
      if (login !== undefined) await registry?.end(login, 'logout');
    },
  };
}

/** With `logins: false` the session alone says that the user is in. */
const NO_RECORD: PreparedSession = { kind: 'prepared', puts: [], kept: {} };
const NOTHING_WRITTEN = joinWritten();

function labelOf(req: Request): string {
  return toDeviceLabel(req.headers['user-agent']);
}

/**
 * Has Passport put the user into the session. The success is undone where Passport cannot, such as
 * for a user whom the app does not serialize.
 */
export async function logInOrUndo(
  { slot }: Pick<MiddlewareContext, 'slot'>,
  req: Request,
  user: Express.User,
  options: PassportOptions,
): Promise<void> {
  try {
    await logIn(req, user, options);
  } catch (error) {
    await slot.undo(req);
    throw error;
  }
}

/** Makes `logout`. */
export function createLogout(
  context: MiddlewareContext,
): (options?: RedirectOptions) => RequestHandler {
  const { slot, logins, endOwn, warn } = context;

  return createFactory(context, 'logout', 'smsOtpLogout', logout, { refusesEnded: null });

  async function logout(
    req: Request,
    res: Response,
    { successRedirect }: RedirectOptions,
  ): Promise<boolean> {
    checkLogout(req, warn);
    const { pending } = slot.read(req);
    // A form of another site that came without the cookie logs no one out: the new session that
    // Passport makes would take the place of the user's.
    if (slot.mayKeep(req)) await end(req, pending);
    req.smsOtp = { loggedOut: true };
    return answerSuccess(res, successRedirect);
  }

  async function end(req: Request, pending: PendingSlot | undefined): Promise<void> {
    // End the record before the session, so that a concurrent save cannot revive the login.
    const ended = await Promise.allSettled([logins.end(req), pending && endOwn(pending)]);
    // Passport saves the session once more before it ends: with nothing in it that a late request
    // could go on with.
    slot.remove(req);
    // The person is out of this browser even while the store is down.
    await logOut(req);
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }
}

/** A login of a user, as `logins.list` returns it. */
export interface LoginEntry extends ListedLogin {
  /** Whether it is the one of the request. */
  readonly isCurrent: boolean;
}

/** Lists and ends the logins of a user. Each call may throw a `StoreError`. */
export interface LoginsPart {
  /**
   * Lists the user's logins, the newest first. @param req The request whose login is the current
   * one.
   */
  readonly list: (userId: UserId, req?: Request) => Promise<readonly LoginEntry[]>;
  /**
   * Ends a login of this user; returns whether it was live.
   * @param req The request that asks for it: nothing ends when its own login has ended.
   */
  readonly revoke: (userId: UserId, loginId: string, req?: Request) => Promise<boolean>;
  /**
   * Ends all logins of the user and the trust in all devices, and makes all browsers unknown;
   * returns how many logins there were. The same call again completes one that failed.
   * @param req The request whose login stays: nothing ends when it has ended. Left out: none stays.
   */
  readonly revokeAll: (userId: UserId, req?: Request) => Promise<number>;
}

/** Makes `logins`. */
export function createLoginsPart(
  { slot, changeAndEnd, logins }: Pick<MiddlewareContext, 'slot' | 'changeAndEnd' | 'logins'>,
  { list, revoke, endAll }: LoginRegistry,
): LoginsPart {
  const findCurrent = (req: Request | undefined): string | undefined =>
    req && slot.peek(req)?.login?.loginId;

  /** A login that has been ended from elsewhere must not end the others. */
  const mayEnd = async (req: Request | undefined): Promise<boolean> =>
    req === undefined || logins.isStillLive(req);

  return {
    async list(id, req) {
      const current = findCurrent(req);
      return (await list(id)).map((login) => ({ ...login, isCurrent: login.loginId === current }));
    },
    revoke: async (id, loginId, req) => (await mayEnd(req)) && revoke(id, loginId),
    async revokeAll(id, req) {
      if (!(await mayEnd(req))) return 0;
      const end = (): Promise<number> =>
        endAll(toUserIdText(id).userId, 'revoked', findCurrent(req));
      return changeAndEnd(req, id, 'revoked', end);
    },
  };
}
