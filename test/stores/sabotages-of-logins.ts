import type { Login } from '../../src/stores/store';
import { partWith, type Sabotage } from './sabotage';

const EVERYBODY = 'all';

/** Ways in which logins may be kept wrong, each of which a fact must notice. */
export const sabotagesOfLogins: Record<string, Sabotage> = {
  'keeps any number of logins': partWith('logins', (kept) => ({
    begin: (login, ttlSeconds) => kept.begin(login, ttlSeconds, 1_000),
  })),
  'names no login that ends for another': partWith('logins', (kept) => ({
    begin: async (login, ttlSeconds, most) => {
      await kept.begin(login, ttlSeconds, most);
      return [];
    },
  })),
  'lists logins, then begins one': partWith('logins', (kept) => ({
    begin: async (login, ttlSeconds, most) => {
      const listed = await kept.list(login.userId);
      const others = listed.filter(({ loginId }) => loginId !== login.loginId).slice(most - 1);
      await kept.begin(login, ttlSeconds, 1_000);
      for (const { loginId } of others) await kept.end(loginId);
      return others.map(({ loginId }) => loginId);
    },
  })),
  'ends the login that it begins, when it is the oldest': partWith('logins', (kept) => ({
    begin: async (login, ttlSeconds, most) => {
      const listed = await kept.list(login.userId);
      const isOldest = listed.every(({ startedAt }) => startedAt > login.startedAt);
      if (listed.length >= most && isOldest) return [login.loginId];
      return kept.begin(login, ttlSeconds, most);
    },
  })),
  'keeps the first of two logins with one id': partWith('logins', (kept) => ({
    begin: async (login, ttlSeconds, most) => {
      const former = await kept.find(login.loginId);
      return kept.begin(former ?? login, ttlSeconds, most);
    },
  })),
  'never lengthens the life of a login that begins again': partWith('logins', (kept) => ({
    begin: async (login, ttlSeconds, most) =>
      (await kept.find(login.loginId)) === null ? kept.begin(login, ttlSeconds, most) : [],
  })),
  'keeps logins forever': partWith('logins', (kept) => ({
    begin: (login, _ttlSeconds, most) => kept.begin(login, 1_000_000, most),
  })),
  'keeps no method': partWith('logins', (kept) => ({
    begin: (login, ttlSeconds, most) => kept.begin({ ...login, method: null }, ttlSeconds, most),
  })),
  'takes any login': partWith('logins', (kept) => ({
    begin: (login, ttlSeconds, most) =>
      kept
        .begin(login, ttlSeconds, most)
        .catch(() =>
          kept.begin({ ...login, ...{ version: 1, loginId: 'x', method: 'x' } }, 600, 5),
        ),
  })),
  'writes a login whenever it is found': partWith('logins', (kept) => ({
    find: (loginId, seen) => kept.find(loginId, seen && { ...seen, everySeconds: 0 }),
  })),
  'writes no login as seen': partWith('logins', (kept) => ({
    find: (loginId) => kept.find(loginId),
  })),
  'writes a login as seen a second late': partWith('logins', (kept) => ({
    find: (loginId, seen) =>
      kept.find(loginId, seen && { ...seen, everySeconds: seen.everySeconds + 1 }),
  })),
  'returns a login as it was before it was seen': partWith('logins', (kept) => ({
    find: async (loginId, seen) => {
      const found = await kept.find(loginId);
      if (seen !== undefined) await kept.find(loginId, seen);
      return found;
    },
  })),
  'lengthens no life of a login that is seen': partWith('logins', (kept) => {
    const dates = new Map<string, number>();
    return {
      find: async (loginId, seen) => {
        const found = await kept.find(loginId);
        if (found === null || seen === undefined) return found && toSeen(found, dates);
        const { lastSeenAt } = toSeen(found, dates);
        if (seen.at - lastSeenAt >= seen.everySeconds * 1000) dates.set(loginId, seen.at);
        return toSeen(found, dates);
      },
      list: async (userId) => (await kept.list(userId)).map((one) => toSeen(one, dates)),
    };
  }),
  'lengthens every life with each look': partWith('logins', (kept) => ({
    find: async (loginId, seen) => {
      const found = await kept.find(loginId, seen);
      if (found !== null && seen !== undefined) await kept.begin(found, seen.ttlSeconds, 1_000);
      return found;
    },
  })),
  'finds a login, then writes it as seen': partWith('logins', (kept) => ({
    find: async (loginId, seen) => {
      const found = await kept.find(loginId);
      if (found === null || seen === undefined) return found;
      if (seen.at - found.lastSeenAt < seen.everySeconds * 1000) return found;
      const changed = { ...found, lastSeenAt: seen.at };
      await kept.begin(changed, seen.ttlSeconds, 1_000);
      return changed;
    },
  })),
  'revives a login that is seen': partWith('logins', (kept) => {
    const known = new Map<string, Login>();
    return {
      begin: (login, ttlSeconds, most) => {
        known.set(login.loginId, login);
        return kept.begin(login, ttlSeconds, most);
      },
      find: async (loginId, seen) => {
        const former = known.get(loginId);
        if (seen !== undefined && former !== undefined && (await kept.find(loginId)) === null)
          await kept.begin(former, seen.ttlSeconds, 1_000);
        return kept.find(loginId, seen);
      },
    };
  }),
  'takes any time for a login that is seen': partWith('logins', (kept) => ({
    find: (loginId, seen) => kept.find(loginId, seen).catch(() => kept.find(loginId)),
  })),
  'ends no login': partWith('logins', (kept) => ({
    end: async (loginId) => (await kept.find(loginId)) !== null,
  })),
  'lets every caller end a login': partWith('logins', (kept) => ({
    end: async (loginId) => {
      await kept.end(loginId);
      return true;
    },
  })),
  'finds a login, then ends it': partWith('logins', (kept) => ({
    end: async (loginId) => {
      const found = await kept.find(loginId);
      await kept.end(loginId);
      return found !== null;
    },
  })),
  'ends all logins of a user with one': partWith('logins', (kept) => ({
    end: async (loginId) => {
      const found = await kept.find(loginId);
      return found !== null && (await kept.endAll(found.userId)).includes(loginId);
    },
  })),
  'lists the oldest login first': partWith('logins', (kept) => ({
    list: async (userId) => (await kept.list(userId)).toReversed(),
  })),
  'lists logins of one date by any order': partWith('logins', (kept) => ({
    list: async (userId) =>
      (await kept.list(userId)).toSorted(
        (one, other) => other.startedAt - one.startedAt || (one.loginId < other.loginId ? -1 : 1),
      ),
  })),
  'sorts ids by code units': partWith('logins', (kept) => ({
    list: async (userId) =>
      (await kept.list(userId)).toSorted(
        (one, other) => other.startedAt - one.startedAt || (one.loginId > other.loginId ? -1 : 1),
      ),
  })),
  'ends all logins without an exception': partWith('logins', (kept) => ({
    endAll: (userId) => kept.endAll(userId),
  })),
  'ends all logins without naming them': partWith('logins', (kept) => ({
    endAll: async (userId, except) => {
      await kept.endAll(userId, except);
      return [];
    },
  })),
  'names all logins, and ends all but one': partWith('logins', (kept) => ({
    endAll: async (userId, except) => {
      const listed = (await kept.list(userId)).map(({ loginId }) => loginId);
      const ending = listed.filter((loginId) => loginId !== except);
      for (const loginId of ending.slice(1)) await kept.end(loginId);
      return ending;
    },
  })),
  'lists logins, then ends them': partWith('logins', (kept) => ({
    endAll: async (userId, except) => {
      const listed = (await kept.list(userId)).map(({ loginId }) => loginId);
      const ending = listed.filter((loginId) => loginId !== except);
      for (const loginId of ending) await kept.end(loginId);
      return ending;
    },
  })),
  'gives logins to everybody': partWith('logins', (kept) => ({
    begin: (login, ttlSeconds, most) =>
      kept.begin({ ...login, userId: EVERYBODY }, ttlSeconds, most),
    list: async (userId) => (await kept.list(EVERYBODY)).map((one) => ({ ...one, userId })),
    endAll: (_userId, except) => kept.endAll(EVERYBODY, except),
  })),
  'ends a login for the user who had its id before': partWith('logins', (kept) => {
    const idsByUser = new Map<string, Set<string>>();
    return {
      begin: (login, ttlSeconds, most) => {
        idsByUser.set(login.userId, (idsByUser.get(login.userId) ?? new Set()).add(login.loginId));
        return kept.begin(login, ttlSeconds, most);
      },
      endAll: async (userId, except) => {
        const ended = await kept.endAll(userId, except);
        for (const loginId of idsByUser.get(userId) ?? [])
          if (loginId !== except) await kept.end(loginId);
        return ended;
      },
    };
  }),
};

function toSeen(login: Login, dates: ReadonlyMap<string, number>): Login {
  return { ...login, lastSeenAt: dates.get(login.loginId) ?? login.lastSeenAt };
}
