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
      const active = await findActive(kept, pendingId);
      const otp = otpId ?? active?.otps[0]?.otpId ?? null;
      const isKnown =
        otpId === undefined || active?.otps.some((one) => one.otpId === otpId) === true;
      if (of !== 'otp' || !isKnown) return kept.claim(pendingId, options);
      return withOtp(await kept.claim(pendingId, { of: 'all OTPs', most }), otp);
    },
  })),
  'counts attempts of all kinds together': wrong((kept) => ({
    claim: (pendingId, options) =>
      kept.claim(pendingId, options.of === 'otp' ? options : { ...options, of: options.of && 'x' }),
  })),
  'counts what is typed at the older OTP': wrong((kept) => ({
    claim: async (pendingId, options) => {
      const otpId = options.otpId ?? (await findActive(kept, pendingId))?.otps.at(-1)?.otpId;
      return kept.claim(pendingId, options.of === 'otp' ? { ...options, otpId } : options);
    },
  })),
  'counts what is typed at any OTP': wrong((kept) => ({
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
      const active = await findActive(kept, pendingId);
      const otps = active?.otps.map(({ otpId }) => otpId) ?? [];
      await kept.end(pendingId, options);
      return active !== undefined && otps.includes(options?.otpId ?? otps[0] ?? '');
    },
  })),
  'ends a login with its OTP': wrong((kept) => ({
    end: async (pendingId, options) => {
      const isEnded = await kept.end(pendingId, options);
      if (isEnded) await kept.end(pendingId);
      return isEnded;
    },
  })),
  'ends no OTP': wrong((kept) => ({
    end: async (pendingId, options) =>
      options?.otpId === undefined
        ? kept.end(pendingId)
        : (await findActive(kept, pendingId)) !== undefined,
  })),
  'ends the OTP of one id wherever it is': wrong((kept) => {
    const ids = new Set<string>();
    return {
      begin: (login, options) => {
        ids.add(login.pendingId);
        return kept.begin(login, options);
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
      begin: (login, options) => {
        ids.push(login.pendingId);
        return kept.begin(login, options);
      },
      endAll: (userId, except) => kept.endAll(userId, except ?? ids[0]),
    };
  }),
  'takes no OTP from another login': wrong((kept) => ({
    begin: (login, options) =>
      kept.begin({ ...login, place: login.place && login.pendingId }, options),
  })),
  'has one place for all logins of a user': wrong((kept) => ({
    begin: (login, options) => kept.begin({ ...login, place: login.place && 'x' }, options),
  })),
  'has one user': wrong((kept) => {
    const users = new Map<string, string>();
    const show = (pendingId: string, login: ActivePendingLogin): ActivePendingLogin => {
      return { ...login, userId: users.get(pendingId) ?? '' };
    };
    return {
      begin: (login, options) => {
        users.set(login.pendingId, login.userId);
        return kept.begin({ ...login, userId: login.userId && 'x' }, options);
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
      findNewest: (_userId, series) => kept.findNewest('x', series),
      endAll: (_userId, except) => kept.endAll('x', except),
    };
  }),
  'takes OTPs for a login that has none': wrong((kept) => ({
    begin: async (login, options) => {
      const begun = await kept.begin(login, options);
      if (begun.outcome !== 'begun') return begun;
      await kept.attach(login.pendingId, { otpId: 'none', value: '{}' });
      await kept.end(login.pendingId, { otpId: 'none' });
      return begun;
    },
  })),
  'takes OTPs by an OTP that was not attached': wrong((kept) => {
    const known = new Map<string, NewPendingLogin>();
    let number = 0;
    return {
      begin: (login, options) => {
        known.set(login.pendingId, login);
        return kept.begin(login, options);
      },
      attach: async (pendingId, otp, options) => {
        const isAttached = await kept.attach(pendingId, otp, options);
        const login = known.get(pendingId);
        if (isAttached || login === undefined) return isAttached;
        number += 1;
        const late = { ...login, pendingId: `late ${number} ${pendingId}` };
        await kept.begin(late, { ttlSeconds: 1, most: 1_000, protectedSeconds: 0, joinSeconds: 0 });
        await kept.attach(late.pendingId, otp);
        await kept.end(late.pendingId);
        return false;
      },
    };
  }),
  'ends the login whose OTPs it takes': wrong((kept) => {
    const placed = new Map<string, string>();
    const holders = new Map<string, string>();
    return {
      begin: (login, options) => {
        placed.set(login.pendingId, JSON.stringify([login.userId, login.place]));
        return kept.begin(login, options);
      },
      attach: async (pendingId, otp, options) => {
        const isAttached = await kept.attach(pendingId, otp, options);
        const place = placed.get(pendingId) ?? '';
        const former = holders.get(place);
        if (isAttached && former !== undefined && former !== pendingId) await kept.end(former);
        if (isAttached) holders.set(place, pendingId);
        return isAttached;
      },
    };
  }),
  'keeps one OTP of a login': wrong((kept) => ({
    attach: (pendingId, otp) => kept.attach(pendingId, otp, { endsPrevious: true }),
  })),
  'keeps the previous OTP always': wrong((kept) => ({
    attach: (pendingId, otp) => kept.attach(pendingId, otp),
  })),
  'shows the oldest OTP first': wrong((kept) => ({
    find: async (pendingId) => {
      const active = await kept.find(pendingId);
      if (active === null || active === 'passed') return active;
      return { ...active, otps: active.otps.toReversed() };
    },
  })),
  'forgets the attempts of an OTP that has ended': wrong((kept) => {
    const counted = new Map<string, number>();
    const forgotten = new Map<string, number>();
    return {
      attach: async (pendingId, otp, options) => {
        const key = JSON.stringify([pendingId, otp.otpId]);
        const active = await findActive(kept, pendingId);
        const isActive = active?.otps.some(({ otpId }) => otpId === otp.otpId) === true;
        if (!isActive) forgotten.set(key, counted.get(key) ?? 0);
        return kept.attach(pendingId, otp, options);
      },
      claim: async (pendingId, options) => {
        const claimed = await kept.claim(pendingId, { ...options, most: options.most && 1_000 });
        if (claimed.outcome !== 'claimed') return claimed;
        const key = JSON.stringify([pendingId, claimed.otpId]);
        if (claimed.otpId !== null) counted.set(key, claimed.attempt);
        const attempt = claimed.attempt - (forgotten.get(key) ?? 0);
        return attempt > options.most ? { outcome: 'exhausted' } : { ...claimed, attempt };
      },
    };
  }),
  'ignores an OTP that the login has already': wrong((kept) => ({
    attach: async (pendingId, otp, options) => {
      const active = await findActive(kept, pendingId);
      const isKnown = active?.otps.some(({ otpId }) => otpId === otp.otpId) === true;
      return isKnown || kept.attach(pendingId, otp, options);
    },
  })),
  'attaches an OTP to a login that has ended': wrong((kept) => {
    const known = new Map<string, Parameters<PendingLoginStore['begin']>>();
    return {
      begin: (login, options) => {
        known.set(login.pendingId, [login, options]);
        return kept.begin(login, options);
      },
      attach: async (pendingId, otp, options) => {
        const begun = known.get(pendingId);
        if ((await kept.attach(pendingId, otp, options)) || begun === undefined)
          return begun !== undefined;
        await kept.begin(...begun).catch(() => undefined);
        return kept.attach(pendingId, otp, options);
      },
    };
  }),
  'ends no login of a series': wrong((kept) => ({
    begin: ({ series, ...login }, options) =>
      kept.begin({ ...login, series: series === '' ? '' : undefined }, options),
  })),
  'has one series': wrong((kept) => ({
    begin: (login, options) => kept.begin({ ...login, series: login.series && 'x' }, options),
    findNewest: (userId) => kept.findNewest(userId, 'x'),
  })),
  'has a series of all logins that have none': wrong((kept) => ({
    begin: (login, options) => kept.begin({ ...login, series: login.series ?? 'none' }, options),
  })),
  'ends the logins of a series with a begin': wrong((kept) => {
    const newest = new Map<string, string>();
    return {
      begin: async (login, options) => {
        const begun = await kept.begin(login, options);
        if (begun.outcome !== 'begun' || login.series === undefined) return begun;
        const key = JSON.stringify([login.userId, login.series]);
        const former = newest.get(key);
        if (former !== undefined) await kept.end(former);
        newest.set(key, login.pendingId);
        return begun;
      },
    };
  }),
  'finds no newest login': wrong(() => ({ findNewest: () => Promise.resolve(null) })),
  'finds no newest login without an OTP': wrong((kept) => ({
    findNewest: async (userId, series) => {
      const found = await kept.findNewest(userId, series);
      return found === null || found.login.otps.length === 0 ? null : found;
    },
  })),
  'finds the login of a series that began last': wrong((kept) => {
    const begun: NewPendingLogin[] = [];
    return {
      begin: (login, options) => {
        begun.unshift(login);
        return kept.begin(login, options);
      },
      findNewest: async (userId, series) => {
        for (const one of begun) {
          const login = await findActive(kept, one.pendingId);
          if (one.userId === userId && one.series === series && login !== undefined)
            return { pendingId: one.pendingId, login };
        }
        return null;
      },
    };
  }),
  'keeps logins forever': wrong((kept) => ({
    begin: (login, options) =>
      kept.begin(login, { ...options, ttlSeconds: options.ttlSeconds > 0 ? 1_000_000 : 0 }),
  })),
  'lengthens the life of a login with each OTP': wrong((kept) => {
    const known = new Map<string, Parameters<PendingLoginStore['begin']>>();
    return {
      begin: (login, options) => {
        known.set(login.pendingId, [login, options]);
        return kept.begin(login, options);
      },
      attach: async (pendingId, otp, attaching) => {
        const [login, options] = known.get(pendingId) ?? [];
        const active = await findActive(kept, pendingId);
        if (login === undefined || options === undefined || active === undefined)
          return kept.attach(pendingId, otp, attaching);
        await kept.end(pendingId);
        await kept.begin(login, { ...options, ttlSeconds: 600 }).catch(() => undefined);
        for (const one of active.otps.toReversed()) await kept.attach(pendingId, one);
        return kept.attach(pendingId, otp, attaching);
      },
    };
  }),
  'cuts the values of logins': wrong((kept) => ({
    begin: (login, options) => {
      const value = login.value.length > 4_096 ? login.value : login.value.slice(0, 1_000);
      return kept.begin({ ...login, value }, options);
    },
  })),
  'shows each login that has ended as passed': wrong((kept) => {
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

export function wrong(change: (kept: PendingLoginStore) => Partial<PendingLoginStore>): Sabotage {
  return partWith('pendingLogins', change);
}

export async function findActive(
  kept: PendingLoginStore,
  pendingId: string,
): Promise<ActivePendingLogin | undefined> {
  const found = await kept.find(pendingId);
  return found === null || found === 'passed' ? undefined : found;
}

function withOtp(claimed: PendingClaim, otpId: string | null): PendingClaim {
  return claimed.outcome === 'claimed' ? { ...claimed, otpId } : claimed;
}
