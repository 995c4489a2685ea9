import type { Request, RequestHandler, Response } from 'express';
import type { ListedLogin, LoginRegistry, PreparedLogin } from '../login/context';
import type { Method } from '../login/outcome';
import { toUserIdText } from '../login/users';
import type { UserId } from '../stores/store';
import {
  type LoginsContext,
  type MiddlewareContext,
  NO_LOGINS,
  type PreparedSession,
} from './context';
import { createFactory } from './handler';
import type { PassportOptions, RedirectOptions } from './options';
import { logIn, logOut } from './passport';
import { answerSuccess, LOGIN_ENDED } from './responses';
import type { SessionSlot } from './session-slot';
import { toDeviceLabel } from './trusted-devices';

export function createLogins(
  slot: SessionSlot,
  registry: LoginRegistry | undefined,
): LoginsContext {
  return registry === undefined ? NO_LOGINS : createRequestLogins(slot, registry);
}

function createRequestLogins(slot: SessionSlot, registry: LoginRegistry): LoginsContext {
  /** Requests whose login was found live, whatever time has passed since. */
  const checked = new WeakMap<Request, string>();

  async function ask(req: Request, isLive: LoginRegistry['isLive']): Promise<boolean> {
    const login = slot.peek(req)?.login;
    if (login === undefined) return true;
    if (!(await isLive(login))) return false;
    checked.set(req, login.loginId);
    return true;
  }

  function prepare(req: Request, userId: string, method: Method | null): PreparedSession {
    const label = toDeviceLabel(req.headers['user-agent']);
    return toSession(registry.prepare({ userId, method, label }));
  }

  return {
    isOn: true,
    isChecked: (req, loginId, at) =>
      registry.isChecked(loginId, at) || checked.get(req) === loginId,
    isLive: (req) => ask(req, registry.isLive),
    isStillLive: (req) => ask(req, registry.isStillLive),
    findEnd: async (req) =>
      (await ask(req, registry.isStillLive)) ? null : { kind: 'refused', refusal: LOGIN_ENDED },
    prepare,
    async prepareNext(req, userId, method) {
      const login = slot.peek(req)?.login;
      // A session from before `logins` was switched on.
      if (login === undefined) return prepare(req, userId, method ?? null);
      const next = await registry.prepareNext(login, method);
      return next && { ...toSession(next), replaces: next.replaces };
    },
    async renew(req, userId, method) {
      const login = slot.peek(req)?.login;
      const label = toDeviceLabel(req.headers['user-agent']);
      const next =
        login === undefined
          ? await registry.begin({ userId, method, label })
          : await registry.replace(login, method);
      return next && { login: next };
    },
    async end(req) {
      const login = slot.peek(req)?.login;
      if (login !== undefined) await registry.end(login);
    },
    async endOthers(userId, req) {
      await registry.endAll(userId, req && slot.peek(req)?.login?.loginId);
    },
  };
}

function toSession({ login, ...prepared }: PreparedLogin): PreparedSession {
  const undo = async (): Promise<void> => prepared.undo?.();
  return { kind: 'prepared', puts: [prepared], kept: { login }, undo };
}

/**
 * Has Passport put the user into the session. A login ends again where Passport cannot, such as for
 * a user whom the app does not serialize.
 */
export async function logInOrEnd(
  { logins }: Pick<MiddlewareContext, 'logins'>,
  req: Request,
  user: Express.User,
  options: PassportOptions,
): Promise<void> {
  try {
    await logIn(req, user, options);
  } catch (error) {
    // The session that names the login has no user: the record would only be listed.
    await logins.end(req).catch(() => undefined);
    throw error;
  }
}

/** Makes `logout`. */
export function createLogout(
  context: MiddlewareContext,
): (options?: RedirectOptions) => RequestHandler {
  const { slot, logins, endPending } = context;

  return createFactory('logout', 'smsOtpLogout', logout);

  async function logout(
    req: Request,
    res: Response,
    { successRedirect }: RedirectOptions,
  ): Promise<boolean> {
    const { pending } = slot.read(req);
    // End the record before the session, so that a concurrent save cannot revive the login.
    const ended = await Promise.allSettled([
      logins.end(req),
      pending && endPending(pending.pendingId),
    ]);
    // Passport saves the session once more before it ends: with nothing in it that a late request
    // could go on with.
    slot.remove(req);
    // The person is out of this browser even while the store is down.
    await logOut(req);
    const failed = ended.find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
    req.smsOtp = { loggedOut: true };
    return answerSuccess(res, successRedirect);
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
   * Returns whether the login of the request is live, or has no record. Asks the store unless it
   * was asked within `checkEverySeconds`. For pages without a guard.
   */
  readonly isLive: (req: Request) => Promise<boolean>;
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
    isLive: logins.isLive,
    async list(id, req) {
      const current = findCurrent(req);
      return (await list(id)).map((login) => ({ ...login, isCurrent: login.loginId === current }));
    },
    revoke: async (id, loginId, req) => (await mayEnd(req)) && revoke(id, loginId),
    async revokeAll(id, req) {
      if (!(await mayEnd(req))) return 0;
      await changeAndEnd(req, id, 'revoked', () => Promise.resolve());
      return endAll(toUserIdText(id).userId, findCurrent(req));
    },
  };
}
