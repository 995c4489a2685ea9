import type { Request } from 'express';
import type { SessionLogins } from '../core/feature';
import type { LoginReference } from '../core/visit';
import type { RequestLogins } from './context';
import type { SessionSlot } from './session-slot';

/**
 * Creates the access to the logins of requests.
 * @param sessions Undefined: no feature keeps logins, and no session has one.
 */
export function createRequestLogins(
  slot: SessionSlot,
  sessions: SessionLogins | undefined,
): RequestLogins {
  if (sessions === undefined) return ALWAYS_ACTIVE;
  const findLogin = (req: Request): LoginReference | undefined => slot.peek(req)?.login;

  return {
    isOn: true,
    isChecked: (req, loginId, at) => sessions.isChecked(req, loginId, at),
    async isActive(req) {
      const login = findLogin(req);
      return login === undefined || sessions.isActive(req, login);
    },
    async isStillActive(req) {
      const login = findLogin(req);
      return login === undefined || sessions.isStillActive(req, login);
    },
    renew: (visit, userId, method) => sessions.renew(visit, userId, method),
    async end(req) {
      const login = findLogin(req);
      if (login !== undefined) await sessions.end(login);
    },
  };
}

/** Without records of logins, the session alone says that the user is logged in. */
const ALWAYS_ACTIVE: RequestLogins = {
  isOn: false,
  isChecked: () => true,
  isActive: () => Promise.resolve(true),
  isStillActive: () => Promise.resolve(true),
  renew: () => Promise.resolve({ kept: {}, done: doNothing, undo: doNothing }),
  end: () => Promise.resolve(),
};

function doNothing(): Promise<void> {
  return Promise.resolve();
}
