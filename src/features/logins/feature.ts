import type { Request } from 'express';
import type { Core } from '../../core/context';
import type { Ending, Feature } from '../../core/feature';
import { toUserIdText } from '../../core/users';
import type { MiddlewareContext } from '../../middleware/context';
import type { UserId } from '../../stores/store';
import { createLoginRegistry, type ListedLogin, type LoginRegistry } from './logins';
import { createSessionLogins } from './session-logins';

/** Added to what `createSmsOtp` returns, unless `logins` is `false`. */
export interface LoginsParts {
  /** Lists and ends the logins of a user. */
  readonly logins: LoginsPart;
}

/**
 * Creates the feature that keeps a record of each login, so that it can be ended from elsewhere.
 */
export function createLoginsFeature(
  core: Core,
  settings: { readonly checkEverySeconds: number; readonly maxAgeDays: number },
): Feature<MiddlewareContext> {
  const { store, now, emit, randomId } = core;
  const registry = createLoginRegistry({ ...settings, logins: store.logins, now, emit, randomId });
  const sessions = createSessionLogins(registry);

  return {
    name: 'logins',
    sessions,
    onSuccess: (success, visit) => sessions.write(success, visit),
    endAll: (userId, ending) => endAll(registry, userId, ending),
    async exportUser(userId) {
      const listed = await registry.list(userId);
      return { logins: listed.map(({ loginId: _loginId, ...login }) => login) };
    },
    members: (edge): LoginsParts => ({ logins: createLoginsPart(edge, registry) }),
  };
}

/**
 * Creates the feature for `logins: false`. It removes and exports records from a time when logins
 * were kept.
 */
export function createForgottenLogins({ store }: Core): Feature {
  return { name: 'logins', forget: (userId) => store.logins.removeAll(userId) };
}

async function endAll(
  registry: LoginRegistry,
  userId: string,
  { reason, loginId, isRepeated = false }: Ending,
): Promise<void> {
  if (isRepeated && loginId !== undefined) await registry.endListed({ userId, loginId }, reason);
  else await registry.endAll(userId, reason, loginId);
}

/** A login of a user, as `logins.list` returns it. */
export interface LoginEntry extends ListedLogin {
  /** Whether it is the login of the request. */
  readonly isCurrent: boolean;
}

/** Lists and ends the logins of a user. Each call may throw a `StoreError`. */
export interface LoginsPart {
  /**
   * Lists the user's logins, the newest first.
   * @param req The request whose login is marked as the current one.
   */
  readonly list: (userId: UserId, req?: Request) => Promise<readonly LoginEntry[]>;
  /**
   * Ends a login of this user; returns whether it was active.
   * @param req The request that asks. If its own login has ended, nothing ends.
   */
  readonly revoke: (userId: UserId, loginId: string, req?: Request) => Promise<boolean>;
  /**
   * Ends all logins of the user and the trust in all devices, and makes all browsers unknown.
   * Returns how many logins there were. If a call fails, call it again to complete it.
   * @param req The request whose login stays. If that login has ended, nothing ends. Left out: no
   * login stays.
   */
  readonly revokeAll: (userId: UserId, req?: Request) => Promise<number>;
}

function createLoginsPart(
  { slot, changeAndEnd, logins }: MiddlewareContext,
  { list, revoke, endAll }: LoginRegistry,
): LoginsPart {
  const findCurrent = (req: Request | undefined): string | undefined =>
    req && slot.peek(req)?.login?.loginId;

  /** A login that was ended from elsewhere must not end the others. */
  const mayEnd = async (req: Request | undefined): Promise<boolean> =>
    req === undefined || logins.isStillActive(req);

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
