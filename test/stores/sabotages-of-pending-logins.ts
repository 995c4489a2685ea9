import type {
  ActivePendingLogin,
  NewPendingLogin,
  PendingClaim,
  PendingLoginStore,
} from '../../src/stores/store';
import { partWith, type Sabotage } from './sabotage';

/** Ways in which pending logins may be kept wrong, each of which a check must notice. */
export const sabotagesOfPendingLogins: Record<string, Sabotage> = {
  'claims a login without counting': wrong((kept) => ({
    claim: async (pendingId, options) => {
      const claimed = await kept.claim(pendingId, { ...options, most: 1_000 });
      return claimed.outcome === 'claimed' ? { ...claimed, attempt: 1 } : claimed;
    },
  })),
  'finds a login by claiming': wrong((kept) => ({
    find: async (pendingId) => {
      await kept.claim(pendingId, { of: 'otp', most: 5 });
      return kept.find(pendingId);
    },
  })),
  'counts typed codes of a login together': wrong((kept) => ({
    claim: async (pendingId, options) => {
      const { of, otpId, most } = options;
      const live = await findLive(kept, pendingId);
      const text = otpId ?? live?.otps[0]?.otpId ?? null;
      const isKnown = otpId === undefined || live?.otps.some((one) => one.otpId === otpId) === true;
      if (of !== 'otp' || !isKnown) return kept.claim(pendingId, options);
      return withText(await kept.claim(pendingId, { of: 'all texts', most }), text);
    },
  })),
  'counts attempts of all kinds together': wrong((kept) => ({
    claim: (pendingId, options) =>
      kept.claim(pendingId, options.of === 'otp' ? options : { ...options, of: options.of && 'x' }),
  })),
  'counts what is typed at the older text': wrong((kept) => ({
    claim: async (pendingId, options) => {
      const otpId = options.otpId ?? (await findLive(kept, pendingId))?.otps.at(-1)?.otpId;
      return kept.claim(pendingId, options.of === 'otp' ? { ...options, otpId } : options);
    },
  })),
  'counts what is typed at any text': wrong((kept) => ({
    claim: (pendingId, { otpId: _otpId, ...options }) => kept.claim(pendingId, options),
  })),
  'admits one attempt too many': wrong((kept) => ({
    claim: (pendingId, options) => kept.claim(pendingId, { ...options, most: options.most + 1 }),
  })),
  'finds a login, then claims it': wrong((kept) => {
    const counts = new Map<string, number>();
    return {
      claim: async (pendingId, options) => {
        const key = JSON.stringify([pendingId, options.of, options.otpId]);
        const attempt = (counts.get(key) ?? 0) + 1;
        const claimed = await kept.claim(pendingId, { ...options, most: 1_000 });
        if (claimed.outcome !== 'claimed') return claimed;
        if (attempt > options.most) return { outcome: 'exhausted' };
        counts.set(key, attempt);
        return { ...claimed, attempt };
      },
    };
  }),
  'knows no login that is exhausted': wrong((kept) => ({
    claim: async (pendingId, options) => {
      const claimed = await kept.claim(pendingId, options);
      return claimed.outcome === 'exhausted' ? { outcome: 'unknown' } : claimed;
    },
  })),
  'ends a login that is exhausted': wrong((kept) => ({
    claim: async (pendingId, options) => {
      const claimed = await kept.claim(pendingId, options);
      if (claimed.outcome === 'exhausted') await kept.end(pendingId);
      return claimed;
    },
  })),
  'lets every caller end a login': wrong((kept) => ({
    end: async (pendingId, options) => (await kept.end(pendingId, options)) || true,
  })),
  'finds a login, then ends it': wrong((kept) => ({
    end: async (pendingId, options) => {
      const live = await findLive(kept, pendingId);
      const texts = live?.otps.map(({ otpId }) => otpId) ?? [];
      await kept.end(pendingId, options);
      return live !== undefined && texts.includes(options?.otpId ?? texts[0] ?? '');
    },
  })),
  'ends a login with its text': wrong((kept) => ({
    end: async (pendingId, options) => {
      const isEnded = await kept.end(pendingId, options);
      if (isEnded) await kept.end(pendingId);
      return isEnded;
    },
  })),
  'ends no text': wrong((kept) => ({
    end: async (pendingId, options) =>
      options?.otpId === undefined
        ? kept.end(pendingId)
        : (await findLive(kept, pendingId)) !== undefined,
  })),
  'ends the text of one id wherever it is': wrong((kept) => {
    const ids = new Set<string>();
    return {
      begin: (login, ttlSeconds) => {
        ids.add(login.pendingId);
        return kept.begin(login, ttlSeconds);
      },
      end: async (pendingId, options) => {
        const isEnded = await kept.end(pendingId, options);
        if (isEnded && options !== undefined) for (const id of ids) await kept.end(id, options);
        return isEnded;
      },
    };
  }),
  'ends no login with all': wrong(() => ({ endAll: () => Promise.resolve() })),
  'ends all logins without an exception': wrong((kept) => ({
    endAll: (userId) => kept.endAll(userId),
  })),
  'ends all logins but two': wrong((kept) => {
    const ids: string[] = [];
    return {
      begin: (login, ttlSeconds) => {
        ids.push(login.pendingId);
        return kept.begin(login, ttlSeconds);
      },
      endAll: (userId, except) => kept.endAll(userId, except ?? ids[0]),
    };
  }),
  'takes no text from another login': wrong((kept) => ({
    begin: (login, ttlSeconds) =>
      kept.begin({ ...login, place: login.place && login.pendingId }, ttlSeconds),
  })),
  'has one place for all logins of a user': wrong((kept) => ({
    begin: (login, ttlSeconds) => kept.begin({ ...login, place: login.place && 'x' }, ttlSeconds),
  })),
  'has one user': wrong((kept) => {
    const users = new Map<string, string>();
    const show = (pendingId: string, login: ActivePendingLogin): ActivePendingLogin => {
      return { ...login, userId: users.get(pendingId) ?? '' };
    };
    return {
      begin: (login, ttlSeconds) => {
        users.set(login.pendingId, login.userId);
        return kept.begin({ ...login, userId: login.userId && 'x' }, ttlSeconds);
      },
      find: async (pendingId) => {
        const found = await kept.find(pendingId);
        return found === null || found === 'passed' ? found : show(pendingId, found);
      },
      claim: async (pendingId, options) => {
        const claimed = await kept.claim(pendingId, options);
        if (claimed.outcome !== 'claimed') return claimed;
        return { ...claimed, login: show(pendingId, claimed.login) };
      },
      endAll: (_userId, except) => kept.endAll('x', except),
    };
  }),
  'takes texts for a login that has none': wrong((kept) => ({
    begin: async (login, ttlSeconds) => {
      if (login.otp !== undefined) return kept.begin(login, ttlSeconds);
      const isBegun = await kept.begin(login, ttlSeconds);
      if (isBegun) await kept.attach(login.pendingId, { otpId: 'none', value: '{}' });
      await kept.end(login.pendingId, { otpId: 'none' });
      return isBegun;
    },
  })),
  'takes texts by a text that was not attached': wrong((kept) => {
    const known = new Map<string, NewPendingLogin>();
    return {
      begin: (login, ttlSeconds) => {
        known.set(login.pendingId, login);
        return kept.begin(login, ttlSeconds);
      },
      attach: async (pendingId, text) => {
        const isAttached = await kept.attach(pendingId, text);
        const login = known.get(pendingId);
        if (isAttached || login === undefined) return isAttached;
        await kept.begin({ ...login, otp: text }, 1);
        await kept.end(pendingId);
        return false;
      },
    };
  }),
  'ends the login whose texts it takes': wrong((kept) => {
    const texted = new Map<string, string>();
    return {
      begin: async (login, ttlSeconds) => {
        const place = JSON.stringify([login.userId, login.place]);
        const former = texted.get(place);
        if (login.otp !== undefined && former !== undefined && former !== login.pendingId)
          await kept.end(former);
        if (login.otp !== undefined) texted.set(place, login.pendingId);
        return kept.begin(login, ttlSeconds);
      },
    };
  }),
  'keeps one text of a login': wrong((kept) => ({
    attach: async (pendingId, text) => {
      const live = await findLive(kept, pendingId);
      for (const { otpId } of live?.otps ?? [])
        if (otpId !== text.otpId) await kept.end(pendingId, { otpId });
      return kept.attach(pendingId, text);
    },
  })),
  'shows the oldest text first': wrong((kept) => ({
    find: async (pendingId) => {
      const live = await kept.find(pendingId);
      if (live === null || live === 'passed') return live;
      return { ...live, otps: live.otps.toReversed() };
    },
  })),
  'begins the attempts of the same text anew': wrong((kept) => ({
    attach: async (pendingId, text) => {
      await kept.end(pendingId, { otpId: text.otpId });
      return kept.attach(pendingId, text);
    },
  })),
  'ignores a text that the login has already': wrong((kept) => ({
    attach: async (pendingId, text) => {
      const live = await findLive(kept, pendingId);
      const isKnown = live?.otps.some(({ otpId }) => otpId === text.otpId) === true;
      return isKnown || kept.attach(pendingId, text);
    },
  })),
  'attaches a text to a login that is over': wrong((kept) => {
    const known = new Map<string, NewPendingLogin>();
    return {
      begin: (login, ttlSeconds) => {
        known.set(login.pendingId, login);
        return kept.begin(login, ttlSeconds);
      },
      attach: async (pendingId, text) => {
        const login = known.get(pendingId);
        if ((await kept.attach(pendingId, text)) || login === undefined) return login !== undefined;
        return kept.begin({ ...login, otp: text }, 600);
      },
    };
  }),
  'keeps the first of two logins with one id': wrong((kept) => ({
    begin: async (login, ttlSeconds) =>
      (await kept.find(login.pendingId)) === null && kept.begin(login, ttlSeconds),
  })),
  'takes the place of a text without one': wrong((kept) => ({
    begin: async (login, ttlSeconds) => {
      if (ttlSeconds > 0 && login.value.length <= 4_096) await kept.end(login.pendingId);
      return kept.begin(login, ttlSeconds);
    },
  })),
  'looks for a text, then takes its place': wrong((kept) => ({
    begin: async (login, ttlSeconds) => {
      const live = await findLive(kept, login.pendingId);
      if (login.otp === undefined && live !== undefined && live.otps.length > 0) return false;
      if (login.otp === undefined && live !== undefined) await kept.end(login.pendingId);
      const isBegun = await kept.begin(login, ttlSeconds);
      if (isBegun || login.otp !== undefined) return isBegun;
      await kept.end(login.pendingId);
      return kept.begin(login, ttlSeconds);
    },
  })),
  'keeps logins forever': wrong((kept) => ({
    begin: (login, ttlSeconds) => kept.begin(login, ttlSeconds > 0 ? 1_000_000 : ttlSeconds),
  })),
  'lengthens the life of a login with each text': wrong((kept) => {
    const known = new Map<string, NewPendingLogin>();
    return {
      begin: (login, ttlSeconds) => {
        known.set(login.pendingId, login);
        return kept.begin(login, ttlSeconds);
      },
      attach: async (pendingId, text) => {
        const login = known.get(pendingId);
        const isAttached = await kept.attach(pendingId, text);
        return isAttached && login !== undefined
          ? kept.begin({ ...login, otp: text }, 600)
          : isAttached;
      },
    };
  }),
  'takes any login': wrong((kept) => ({
    begin: (login, ttlSeconds) => kept.begin(login, ttlSeconds).catch(() => true),
  })),
  'takes any text': wrong((kept) => ({
    attach: (pendingId, text) => kept.attach(pendingId, text).catch(() => true),
  })),
  'takes any attempt': wrong((kept) => ({
    claim: (pendingId, options) =>
      kept.claim(pendingId, options).catch(() => ({ outcome: 'unknown' })),
  })),
  'cuts the values of logins': wrong((kept) => ({
    begin: (login, ttlSeconds) => {
      const value = login.value.length > 4_096 ? login.value : login.value.slice(0, 1_000);
      return kept.begin({ ...login, value }, ttlSeconds);
    },
  })),
  'shows each login that is over as passed': wrong((kept) => {
    const ended = new Set<string>();
    return {
      end: async (pendingId, options) => {
        if (options === undefined) ended.add(pendingId);
        return kept.end(pendingId, options);
      },
      find: async (pendingId) => {
        const found = await kept.find(pendingId);
        return found === null && ended.has(pendingId) ? 'passed' : found;
      },
    };
  }),
};

function wrong(change: (kept: PendingLoginStore) => Partial<PendingLoginStore>): Sabotage {
  return partWith('pendingLogins', change);
}

async function findLive(
  kept: PendingLoginStore,
  pendingId: string,
): Promise<ActivePendingLogin | undefined> {
  const found = await kept.find(pendingId);
  return found === null || found === 'passed' ? undefined : found;
}

function withText(claimed: PendingClaim, otpId: string | null): PendingClaim {
  return claimed.outcome === 'claimed' ? { ...claimed, otpId } : claimed;
}
