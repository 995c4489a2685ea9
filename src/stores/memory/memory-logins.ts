import type { Records } from '../load-records';
import type { Login, LoginStore } from '../store';
import { DatedMap } from './dated-map';
import { toPromise } from './expiring-map';

export function memoryLogins(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): LoginStore {
  /** The user of each login, because a login is found by its id alone. */
  const users = new Map<string, string>();
  const logins = new DatedMap<Login>(maxEntries, now, (id) => users.delete(id));

  function end(loginId: string): boolean {
    const userId = users.get(loginId);
    return userId !== undefined && logins.remove(userId, loginId);
  }

  return {
    begin: async (login, ttlSeconds, most) => {
      (await records).checkLogin(login, ttlSeconds, most);
      const { userId, loginId: id, startedAt: date } = login;
      end(id);
      const ended = logins.add({ userId, id, date, value: { ...login } }, ttlSeconds, most);
      users.set(id, userId);
      return ended;
    },
    find: async (loginId, seen) => {
      if (seen !== undefined) (await records).checkSeen(seen);
      const userId = users.get(loginId);
      const stored = userId === undefined ? undefined : logins.find(userId, loginId);
      if (stored === undefined) return null;
      if (seen !== undefined && seen.at - stored.value.lastSeenAt >= seen.everySeconds * 1000) {
        stored.value = { ...stored.value, lastSeenAt: seen.at };
        stored.deadlineMs = now() + seen.ttlSeconds * 1000;
      }
      return stored.value;
    },
    end: (loginId) => toPromise(() => end(loginId)),
    list: (userId) => toPromise(() => logins.values(userId).toReversed()),
    endAll: (userId, except) => toPromise(() => logins.removeAll(userId, except)),
  };
}
