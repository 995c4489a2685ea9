import type { Request } from 'express';
import type { Session, SessionData } from 'express-session';
import { readFields } from '../errors';
import { callAsync, isGiven } from './handler';
import { storeFailure } from './session-errors';
import type { Settlement } from './settle-once';
import { hide } from './watch-renewal';

/**
 * Calls the session store.
 * @throws {SessionError} if the call fails.
 */
export function callStore(what: string, call: Parameters<typeof callAsync>[0]): Promise<void> {
  return callAsync(call).catch((error: unknown) => Promise.reject(storeFailure(what, error)));
}

/**
 * Reads the session again. Returns false if it has ended, which express-session reports only in the
 * message of its error.
 */
export async function reload(session: Session): Promise<boolean> {
  try {
    await callAsync((done) => session.reload(done));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === 'failed to load session') return false;
    throw storeFailure('read', error);
  }
}

/** Reads the session from its store; undefined: it has ended. */
export async function loadSession(req: Request): Promise<Session | undefined> {
  let found: Session | undefined;
  await callStore('read', (done) => {
    // The types do not allow that the error or the session is missing, but stores leave them out.
    req.sessionStore.load(req.sessionID, (error: unknown, session?: unknown) => {
      found = session as Session | undefined;
      done(error);
    });
  });
  return found;
}

/** Returns the cookie of the session as it is stored; undefined: the session has ended. */
export async function readStoredCookie(req: Request): Promise<unknown> {
  let stored: SessionData | null | undefined;
  await callStore('read', (done) =>
    req.sessionStore.get(req.sessionID, (error: unknown, found) => {
      stored = found;
      done(error);
    }),
  );
  return stored?.cookie;
}

/** Makes a new session for a request like this one; undefined if its store cannot. */
export function makeProbe(req: Request): Request | undefined {
  const { sessionStore } = req;
  if (typeof readFields(sessionStore).generate !== 'function') return undefined;
  const probe = Object.create(req) as Request;
  sessionStore.generate(probe);
  return probe;
}

interface SavedSession {
  /** The content that is already stored. */
  readonly saved?: string;
  /** The success that the session names: done after it was saved, otherwise undone. */
  readonly success?: Settlement;
}

/**
 * Keeps express-session from writing a renewed session twice: once when it is saved, and once more
 * at the end of the response although nothing has changed (expressjs/session 935). The second write
 * would also undo what another request has written meanwhile. After a failed write there is no
 * second one at all: the answer said that no one is logged in, and a write at the end of the
 * response would log the user in.
 */
export function saveOnce(session: Session, { saved: before, success }: SavedSession): void {
  const original = session.save.bind(session);
  let saved = before;
  let hasFailed = false;
  hide(session, 'save', (callback?: (error?: unknown) => void): Session => {
    const content = toContent(session);
    if (hasFailed || success?.isUndone() === true || content === saved) {
      callback?.();
      return session;
    }
    return original((error: unknown) => {
      hasFailed = isGiven(error);
      if (!hasFailed) saved = content;
      const settled = hasFailed ? success?.undo() : success?.done();
      const failure = hasFailed ? storeFailure('saved', error) : undefined;
      void Promise.resolve(settled).then(() => callback?.(failure));
    });
  });
}

/**
 * Returns the content of a session, to compare it. Uses `originalMaxAge` of the cookie in whole
 * seconds: `expires` changes every time it is read.
 */
export function toContent(session: Session): string {
  const { cookie, ...kept } = session;
  const lifeSeconds =
    cookie.originalMaxAge === null ? null : Math.round(cookie.originalMaxAge / 1000);
  return JSON.stringify([lifeSeconds, kept]);
}
