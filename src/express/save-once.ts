import type { Session } from 'express-session';
import { storeFailure } from './live-session';
import { isGiven } from './run';

/** Gives an object an own property that no loop, merge or JSON sees. */
export function hide(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { configurable: true, enumerable: false, writable: true, value });
}

/**
 * Keeps express-session from writing a renewed session twice: once when it is saved, and once more at the end of the
 * response although nothing has changed (expressjs/session 935). A second write would also undo what another request
 * has written in between. After a write that failed there is none at all: the answer said that nobody is in, and the
 * write at its end would let somebody in.
 */
export function saveOnce(session: Session): void {
  const original = session.save.bind(session);
  let saved: string | undefined;
  let hasFailed = false;
  hide(session, 'save', (callback?: (error?: unknown) => void): Session => {
    const content = toContent(session);
    if (hasFailed || content === saved) {
      callback?.();
      return session;
    }
    return original((error: unknown) => {
      hasFailed = isGiven(error);
      if (hasFailed) return callback?.(storeFailure('saved', error));
      saved = content;
      callback?.();
    });
  });
}

/** Of the cookie its life counts, in seconds: the expiry moves with every look at the clock, the life with it by a little. */
function toContent(session: Session): string {
  const { originalMaxAge } = session.cookie;
  const lifeSeconds = originalMaxAge === null ? null : Math.round(originalMaxAge / 1000);
  return JSON.stringify([lifeSeconds, Object.entries(session).filter(([key]) => key !== 'cookie')]);
}
