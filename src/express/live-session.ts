import type { Request } from 'express';
import type { Session, SessionData } from 'express-session';
import { SessionError } from '../errors';
import { isGiven } from './run';

/** An express-session as we see it: the app's data under names we do not know. */
export type LiveSession = Session & Partial<SessionData> & Record<string, unknown>;

/** Saves the session now. @throws {SessionError} */
export function save(session: LiveSession): Promise<void> {
  return new Promise((resolve, reject) => {
    session.save((error: unknown) => (isGiven(error) ? reject(storeFailure('saved', error)) : resolve()));
  });
}

/** Gives the request a fresh session with another id. @throws {SessionError} */
export function regenerate(session: LiveSession): Promise<void> {
  return new Promise((resolve, reject) => {
    session.regenerate((error: unknown) => {
      if (isGiven(error)) reject(storeFailure('renewed', error));
      else resolve();
    });
  });
}

/** Reads the session again; false when it has ended. express-session tells that only by the text of its error. */
export function reload(session: LiveSession): Promise<boolean> {
  return new Promise((resolve, reject) => {
    session.reload((error: unknown) => {
      if (!isGiven(error)) return resolve(true);
      const isGone = error instanceof Error && error.message === 'failed to load session';
      return isGone ? resolve(false) : reject(storeFailure('read', error));
    });
  });
}

/**
 * True when the client sent the id of this session; else the session was made for this request and is stored nowhere.
 * The cookie is decoded as express-session does it, so that no spelling of an old id looks like a new one.
 */
export function isIdFromClient({ headers, sessionID }: Request): boolean {
  return (headers.cookie ?? '').split(';').some((cookie) => {
    const value = cookie.slice(cookie.indexOf('=') + 1);
    return decode(value).includes(sessionID);
  });
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // express-session, too, takes a value that cannot be decoded as it is.
    return value;
  }
}

/** Our own errors stay what they are. */
export function storeFailure(what: string, cause: unknown): SessionError {
  if (cause instanceof SessionError) return cause;
  return new SessionError('ERR_SESSION_STORE', `The session could not be ${what}`, cause);
}

/** The error of a session that keeps its id, or has none. */
export function notRenewed(): SessionError {
  return new SessionError(
    'ERR_SESSION_NOT_RENEWED',
    "The session's id cannot be renewed. Use 'express-session' with a store on the server; sessions kept in a cookie can be replayed",
  );
}
