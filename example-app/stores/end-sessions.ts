import type { SessionData, Store } from 'express-session';

/** Ends the sessions in which a user is logged in, except the one with `keptId`. */
export type EndSessions = (userId: string, keptId: string | undefined) => Promise<void>;

/**
 * For stores that can list their sessions, in memory and in Redis. It reads all sessions: a site with many users keeps
 * a list for each user instead.
 */
export function endBySearch(store: Store): EndSessions {
  return async (userId, keptId) => {
    const sessions = await listSessions(store);
    const others = sessions.filter(([id, session]) => id !== keptId && readUserId(session) === userId);
    await Promise.all(others.map(([id]) => destroy(store, id)));
  };
}

/** Returns the logged-in user that Passport stored. A session with a pending code has none yet. */
function readUserId(session: SessionData): unknown {
  const { passport } = session as { readonly passport?: { readonly user?: unknown } }; // not in the types
  return passport?.user;
}

function listSessions(store: Store): Promise<readonly (readonly [id: string, session: SessionData])[]> {
  return new Promise((resolve, reject) => {
    if (store.all === undefined) throw new TypeError('This session store cannot be searched');
    store.all((error: Error | null | undefined, sessions) => {
      if (error) reject(error);
      else resolve(Array.isArray(sessions) ? sessions.map(toEntry) : Object.entries(sessions ?? {}));
    });
  });
}

/** connect-redis returns a list, each session with its id. */
function toEntry(session: SessionData & { readonly id?: string }): readonly [string, SessionData] {
  return [session.id ?? '', session];
}

function destroy(store: Store, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    store.destroy(id, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}
