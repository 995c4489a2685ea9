import type { Session } from 'express-session';
import { isGiven } from './run';

/** Gives an object an own property that no loop, merge or JSON sees. */
export function hide(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { configurable: true, enumerable: false, writable: true, value });
}

/**
 * Keeps express-session from writing a renewed session twice: once when it is saved, and once more at the end of the
 * response although nothing has changed (expressjs/session 935). A second write would also undo what another request
 * has written in between. The cookie does not count: its expiry moves with every look at the clock.
 */
export function saveOnce(session: Session): void {
  const original = session.save.bind(session);
  let saved: string | undefined;
  hide(session, 'save', (callback?: (error?: unknown) => void): Session => {
    const content = toContent(session);
    if (content === saved) {
      callback?.();
      return session;
    }
    return original((error: unknown) => {
      if (!isGiven(error)) saved = content;
      callback?.(error);
    });
  });
}

function toContent(session: Session): string {
  return JSON.stringify(Object.entries(session).filter(([key]) => key !== 'cookie'));
}
