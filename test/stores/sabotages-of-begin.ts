import type {
  BeginOptions,
  BegunPendingLogin,
  NewPendingLogin,
  PendingLoginStore,
} from '../../src/stores/store';
import type { Sabotage } from './sabotage';
import { findActive, wrong } from './sabotages-of-pending-logins';

/** Ways in which `begin` may join or make room wrongly, each of which a check must notice. */
export const sabotagesOfBegin: Record<string, Sabotage> = {
  'joins nothing': beginning((login, options) => [login, { ...options, joinSeconds: 0 }]),
  'joins whatever sent the request': beginning((login, options) => [
    { ...login, sender: login.sender && 'x' },
    options,
  ]),
  'joins logins without a sender': beginning((login, options) => [
    { ...login, sender: login.sender ?? 'none' },
    options,
  ]),
  'joins for any time': beginning((login, options) => [
    login,
    { ...options, joinSeconds: options.joinSeconds > 0 ? 1_000_000 : options.joinSeconds },
  ]),
  'joins where nothing is to be joined': beginning((login, options) => [
    login,
    { ...options, joinSeconds: options.joinSeconds === 0 ? 600 : options.joinSeconds },
  ]),
  'joins a login in which an attempt has been counted': joining(
    ({ userId, place }) => JSON.stringify([userId, place]),
    (newest, login) => newest.sender === login.sender,
  ),
  'joins a login before the newest': joining(
    ({ userId, place, sender }) => JSON.stringify([userId, place, sender]),
    () => true,
  ),
  'looks for a login to join, then begins one': wrong((kept) => {
    const newest = new Map<string, string>();
    return {
      begin: async (login, options) => {
        const key = JSON.stringify([login.userId, login.place, login.sender]);
        const former = newest.get(key);
        if (former !== undefined) return kept.begin(login, options);
        await kept.find(login.pendingId);
        const begun = await kept.begin(login, { ...options, joinSeconds: 0 });
        if (login.sender !== undefined) newest.set(key, login.pendingId);
        return begun;
      },
    };
  }),
  'returns a joined login as it began': wrong((kept) => ({
    begin: async (login, options) => {
      const begun = await kept.begin(login, options);
      if (begun.outcome !== 'joined') return begun;
      return { ...begun, login: { ...begun.login, sends: 0, otps: [] } };
    },
  })),
  'counts an attempt with each join': wrong((kept) => ({
    begin: async (login, options) => {
      const begun = await kept.begin(login, options);
      if (begun.outcome === 'joined') await kept.claim(begun.pendingId, { of: 'otp', most: 5 });
      return begun;
    },
  })),
  'makes a login beside the one that is joined': wrong((kept) => ({
    begin: async (login, options) => {
      const begun = await kept.begin(login, options);
      if (begun.outcome === 'joined') await kept.begin(login, { ...options, joinSeconds: 0 });
      return begun;
    },
  })),
  'makes room before it joins': wrong((kept) => ({
    begin: async (login, options) => {
      const made = await kept.begin(login, { ...options, joinSeconds: 0 });
      if (made.outcome !== 'begun' || options.joinSeconds === 0) return made;
      await kept.end(login.pendingId);
      return kept.begin(login, options);
    },
  })),
  'takes an id again': wrong((kept) => ({
    begin: async (login, options) => {
      const begun = await kept.begin(login, options).catch(() => null);
      if (begun !== null) return begun;
      await kept.end(login.pendingId);
      return kept.begin(login, options);
    },
  })),
  'begins nothing under an id that has ended': wrong((kept) => {
    const ids = new Set<string>();
    return {
      begin: async (login, options) => {
        if (ids.has(login.pendingId)) return { outcome: 'refused' };
        const begun = await kept.begin(login, options);
        if (begun.outcome === 'begun') ids.add(login.pendingId);
        return begun;
      },
    };
  }),
  'has room for any number of logins': beginning((login, options) => [
    login,
    { ...options, most: options.most >= 1 ? Math.ceil(options.most) * 1_000 : options.most },
  ]),
  'has room for one more': beginning((login, options) => [
    login,
    { ...options, most: options.most + 1 },
  ]),
  'has one side': beginning((login, options) => [{ ...login, side: login.side && 'x' }, options]),
  'has one block': beginning((login, options) => [{ ...login, block: 'x' }, options]),
  'has a block for each login': beginning((login, options) => [
    { ...login, block: login.pendingId },
    options,
  ]),
  'has no block that is empty': beginning((login, options) => [
    { ...login, block: login.block === '' ? login.pendingId : login.block },
    options,
  ]),
  'protects no login': beginning((login, options) => [
    login,
    { ...options, protectedSeconds: options.protectedSeconds >= 0 ? 0 : -1 },
  ]),
  'protects logins to their end': beginning((login, options) => [
    login,
    { ...options, protectedSeconds: options.protectedSeconds >= 0 ? 1_000_000 : -1 },
  ]),
  'refuses where it should make room': wrong((kept) => {
    const sides = new Map<string, string[]>();
    return {
      begin: async (login, options) => {
        const key = JSON.stringify([login.userId, login.side]);
        const bare = [];
        for (const id of sides.get(key) ?? [])
          if ((await findActive(kept, id))?.sends === 0) bare.push(id);
        if (bare.length >= options.most) return { outcome: 'refused' };
        sides.set(key, [...bare, login.pendingId]);
        return kept.begin(login, options);
      },
    };
  }),
  'stores a login that it refuses': wrong((kept) => ({
    begin: async (login, options) => {
      const begun = await kept.begin(login, options);
      if (begun.outcome === 'refused') await kept.begin(login, { ...options, most: 1_000 });
      return begun;
    },
  })),
  'ends all that are beyond the most': wrong((kept) => {
    const begun = new Map<string, string[]>();
    return {
      begin: async (login, options) => {
        const key = JSON.stringify([login.userId, login.side]);
        const ids = begun.get(key) ?? [];
        begun.set(key, [...ids, login.pendingId]);
        const answer = await kept.begin(login, options);
        if (answer.outcome === 'begun' && ids.length >= options.most)
          for (const id of ids.slice(0, ids.length - options.most + 1)) await kept.end(id);
        return answer;
      },
    };
  }),
};

type Begin = Parameters<PendingLoginStore['begin']>;

/** Begins another login, or with other options. */
function beginning(change: (login: NewPendingLogin, options: BeginOptions) => Begin): Sabotage {
  return wrong((kept) => ({ begin: (...begin) => kept.begin(...change(...begin)) }));
}

/** Joins the login that began last under a key, whatever became of it since. */
function joining(
  keyOf: (login: NewPendingLogin) => string,
  mayJoin: (newest: NewPendingLogin, login: NewPendingLogin) => boolean,
): Sabotage {
  return wrong((kept) => {
    const newest = new Map<string, NewPendingLogin>();
    return {
      begin: async (login, options): Promise<BegunPendingLogin> => {
        const former = newest.get(keyOf(login));
        const active = former && (await findActive(kept, former.pendingId));
        const isJoined = options.joinSeconds > 0 && login.sender !== undefined;
        if (former && active && isJoined && mayJoin(former, login))
          return { outcome: 'joined', pendingId: former.pendingId, login: active };
        const begun = await kept.begin(login, options);
        if (begun.outcome === 'begun') newest.set(keyOf(login), login);
        return begun;
      },
    };
  });
}
