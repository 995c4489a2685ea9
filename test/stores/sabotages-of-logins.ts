import type {
  ClaimOptions,
  FinishOptions,
  FinishResult,
  NewPendingLogin,
} from '../../src/stores/store';
import { finishWith, partWith, type Sabotage } from './sabotage';

const NOT_FINISHED: FinishResult = { isFinished: false };

/** Ways in which pending logins may be kept wrong, each of which a fact must notice. */
const sabotagesOfPendingLogins: Record<string, Sabotage> = {
  'claims without counting': partWith('pendingLogins', (kept) => ({
    claim: async (pendingId, { otpId }) => {
      const login = await kept.find(pendingId);
      if (login === null || login === 'passed') return { outcome: 'unknown' };
      const counted = otpId ?? login.texts[0]?.otpId ?? null;
      return { outcome: 'claimed', attempt: 1, otpId: counted, login };
    },
  })),
  'reads how many attempts there were, then counts one more': partWith('pendingLogins', (kept) => {
    const attempts = new Map<string, number>();
    return {
      claim: async (pendingId, options) => {
        const key = JSON.stringify([pendingId, options.of, options.otpId]);
        const attempt = (attempts.get(key) ?? 0) + 1;
        const claim = await kept.claim(pendingId, { ...options, most: 1_000 });
        attempts.set(key, attempt);
        if (attempt > options.most) return { outcome: 'exhausted' };
        return claim.outcome === 'claimed' ? { ...claim, attempt } : claim;
      },
    };
  }),
  'finds by claiming': partWith('pendingLogins', (kept) => ({
    find: async (pendingId) => {
      const claim = await kept.claim(pendingId, { of: 'text', most: 5 });
      return claim.outcome === 'claimed' ? claim.login : null;
    },
  })),
  'admits any number of attempts': claiming((options) => ({ ...options, most: 1_000 })),
  'counts attempts of all kinds together': claiming(({ most }) => ({ of: 'any', most })),
  'counts every typed code at the newest text': claiming(({ of, most }) => ({ of, most })),
  'claims at texts that are over': partWith('pendingLogins', (kept) => ({
    claim: async (pendingId, { otpId, ...options }) => {
      const claim = await kept.claim(pendingId, { otpId, ...options });
      return claim.outcome === 'unknown' ? kept.claim(pendingId, options) : claim;
    },
  })),
  'says of what is exhausted that it is unknown': partWith('pendingLogins', (kept) => ({
    claim: async (pendingId, options) => {
      const claim = await kept.claim(pendingId, options);
      return claim.outcome === 'exhausted' ? { outcome: 'unknown' } : claim;
    },
  })),
  'ends a login that is exhausted': partWith('pendingLogins', (kept) => ({
    claim: async (pendingId, options) => {
      const claim = await kept.claim(pendingId, options);
      if (claim.outcome === 'exhausted') await kept.end(pendingId);
      return claim;
    },
  })),
  'leaves every login its texts': beginning((login) => ({
    ...login,
    place: `${login.place} ${login.pendingId}`,
  })),
  'has one place for all of a user': beginning((login) => ({ ...login, place: 'any' })),
  'has one user': beginning((login) => ({ ...login, userId: 'any' })),
  'loses the spaces of a value': beginning((login) => ({
    ...login,
    value: login.value.replaceAll(' ', ''),
  })),
  'cuts values': beginning((login) => ({ ...login, value: login.value.slice(0, 1_000) })),
  'takes texts without one': partWith('pendingLogins', (kept) => ({
    begin: async (login, ttlSeconds) => {
      const isBegun = await kept.begin(login, ttlSeconds);
      const taker = { ...login, pendingId: `taker ${login.pendingId}` };
      if (isBegun && login.text === undefined) {
        await kept.begin({ ...taker, text: { otpId: 'any', value: '{}' } }, 1);
        await kept.end(taker.pendingId);
      }
      return isBegun;
    },
  })),
  'ends the login whose texts it takes': partWith('pendingLogins', (kept) => {
    const newest = new Map<string, string>();
    return {
      begin: async (login, ttlSeconds) => {
        const place = JSON.stringify([login.userId, login.place]);
        if (login.text !== undefined) {
          const other = newest.get(place);
          if (other !== undefined && other !== login.pendingId) await kept.end(other);
          newest.set(place, login.pendingId);
        }
        return kept.begin(login, ttlSeconds);
      },
    };
  }),
  'begins in place of a login with a text': partWith('pendingLogins', (kept) => ({
    begin: async (login, ttlSeconds) => {
      if (login.text === undefined) await kept.end(login.pendingId);
      return kept.begin(login, ttlSeconds);
    },
  })),
  'looks for a login with a text, then begins': partWith('pendingLogins', (kept) => ({
    begin: async (login, ttlSeconds) => {
      const found = await kept.find(login.pendingId);
      const hasTexts = found !== null && found !== 'passed' && found.texts.length > 0;
      if (login.text === undefined && hasTexts) return false;
      void kept.end(login.pendingId);
      return kept.begin(login, ttlSeconds);
    },
  })),
  'never begins in place of a live login': partWith('pendingLogins', (kept) => ({
    begin: async (login, ttlSeconds) =>
      (await kept.find(login.pendingId)) === null ? kept.begin(login, ttlSeconds) : true,
  })),
  'keeps one text': partWith('pendingLogins', (kept) => ({
    attach: async (pendingId, text) => {
      const found = await kept.find(pendingId);
      const [newest] = found === null || found === 'passed' ? [] : found.texts;
      if (newest !== undefined) await kept.end(pendingId, newest);
      return kept.attach(pendingId, text);
    },
  })),
  'counts a text that is attached again from one': partWith('pendingLogins', (kept) => ({
    attach: async (pendingId, text) => {
      await kept.end(pendingId, text);
      return kept.attach(pendingId, text);
    },
  })),
  'takes the same text again for no send': partWith('pendingLogins', (kept) => ({
    attach: async (pendingId, text) => {
      const found = await kept.find(pendingId);
      const [newest] = found === null || found === 'passed' ? [] : found.texts;
      return newest?.otpId === text.otpId ? true : kept.attach(pendingId, text);
    },
  })),
  'takes texts for a login that is over': partWith('pendingLogins', (kept) => {
    const begun = new Map<string, NewPendingLogin>();
    return {
      begin: (login, ttlSeconds) => {
        begun.set(login.pendingId, login);
        return kept.begin(login, ttlSeconds);
      },
      attach: async (pendingId, text) => {
        const login = begun.get(pendingId);
        if (login !== undefined && (await kept.find(pendingId)) === null)
          await kept.begin({ ...login, text: undefined }, 600);
        return kept.attach(pendingId, text);
      },
    };
  }),
  'lengthens the life of a login with a text': partWith('pendingLogins', (kept) => {
    const begun = new Map<string, NewPendingLogin>();
    return {
      begin: (login, ttlSeconds) => {
        begun.set(login.pendingId, login);
        return kept.begin(login, ttlSeconds);
      },
      attach: async (pendingId, text) => {
        const login = begun.get(pendingId);
        if (login === undefined || (await kept.find(pendingId)) === null) return false;
        return kept.begin({ ...login, text }, 600);
      },
    };
  }),
  'lets every caller end a login': partWith('pendingLogins', (kept) => ({
    end: async (pendingId, options) => {
      await kept.end(pendingId, options);
      return true;
    },
  })),
  'looks for a login, then ends it': partWith('pendingLogins', (kept) => ({
    end: async (pendingId, options) => {
      const found = await kept.find(pendingId);
      if (found === null || found === 'passed') return false;
      const { otpId } = options ?? {};
      if (otpId !== undefined && found.texts.every((text) => text.otpId !== otpId)) return false;
      await kept.end(pendingId, options);
      return true;
    },
  })),
  'ends a login with its text': partWith('pendingLogins', (kept) => ({
    end: (pendingId) => kept.end(pendingId),
  })),
  'ends no text': partWith('pendingLogins', (kept) => ({
    end: async (pendingId, options) =>
      options?.otpId === undefined ? kept.end(pendingId) : Promise.resolve(false),
  })),
  'ends nothing': partWith('pendingLogins', () => ({ end: () => Promise.resolve(true) })),
  'does not end all': partWith('pendingLogins', () => ({ endAll: () => Promise.resolve() })),
  'ends all, whatever is excepted': partWith('pendingLogins', (kept) => ({
    endAll: (userId) => kept.endAll(userId),
  })),
  'ends all but those with a text': partWith('pendingLogins', (kept) => {
    const texted = new Set<string>();
    return {
      attach: (pendingId, text) => {
        texted.add(pendingId);
        return kept.attach(pendingId, text);
      },
      endAll: (userId, except) => kept.endAll(userId, except ?? [...texted].at(-1)),
    };
  }),
  'keeps logins for ever': partWith('pendingLogins', (kept) => ({
    begin: (login) => kept.begin(login, 1_000_000),
  })),
  'keeps logins for a second': partWith('pendingLogins', (kept) => ({
    begin: (login, ttlSeconds) => kept.begin(login, Math.min(ttlSeconds, 1)),
  })),
  'takes any login': partWith('pendingLogins', (kept) => ({
    begin: (login, ttlSeconds) =>
      kept.begin(login, ttlSeconds).catch(() => kept.begin({ ...login, value: '{}' }, 600)),
  })),
  'claims whatever is asked': partWith('pendingLogins', (kept) => ({
    claim: (pendingId, options) =>
      kept.claim(pendingId, options).catch(() => ({ outcome: 'unknown' as const })),
  })),
};

/** Ways in which `finish` may be wrong, each of which a fact must notice. */
const sabotagesOfFinish: Record<string, Sabotage> = {
  'lets every caller finish': finishWith(({ finish }) => async (pendingId, options) => {
    const finished = await finish(pendingId, options);
    return finished.isFinished ? finished : { isFinished: true, results: [] };
  }),
  'looks for a login, then finishes it': finishWith(
    ({ finish, pendingLogins }) =>
      async (pendingId, options) => {
        const found = await pendingLogins.find(pendingId);
        if (found === null || found === 'passed') return NOT_FINISHED;
        const isLive = found.texts.some(({ otpId }) => otpId === options.otpId);
        if (options.otpId !== undefined && !isLive) return NOT_FINISHED;
        const finished = await finish(pendingId, options);
        return finished.isFinished ? finished : { isFinished: true, results: [] };
      },
  ),
  'looks for the record that it replaces, then finishes': finishWith(
    ({ finish, records }) =>
      async (pendingId, { replaces, ...options }) => {
        if (replaces === undefined) return finish(pendingId, options);
        if ((await records.find(replaces)) === null) return NOT_FINISHED;
        const finished = await finish(pendingId, options);
        if (finished.isFinished) await records.remove(replaces);
        return finished;
      },
  ),
  'removes the record that it replaces, then finishes': finishWith(
    ({ finish, records }) =>
      async (pendingId, { replaces, ...options }) => {
        if (replaces !== undefined && !(await records.remove(replaces))) return NOT_FINISHED;
        return finish(pendingId, options);
      },
  ),
  'finishes by any text': finishing(({ otpId: _otpId, ...options }) => options),
  'leaves no mark': finishing((options) => ({ ...options, leavesMark: false })),
  'leaves a mark always': finishing((options) => ({ ...options, leavesMark: true })),
  'replaces nothing': finishing(({ replaces: _replaces, ...options }) => options),
  'clears nothing with a success': finishing((options) => ({ ...options, clears: [] })),
  'clears the first alone': finishing((options) => ({
    ...options,
    clears: options.clears.slice(0, 1),
  })),
  'charges nothing': finishing((options) => ({ ...options, charges: [] })),
  'charges the first alone': finishing((options) => ({
    ...options,
    charges: options.charges.slice(0, 1),
  })),
  'adds 1 to every count': finishing((options) => ({
    ...options,
    charges: options.charges.map(({ key, windowSeconds }) => ({ key, windowSeconds })),
  })),
  'lifts no lock with a success': finishing((options) => ({
    ...options,
    charges: options.charges.map(({ lifts: _lifts, ...charge }) => charge),
  })),
  'takes back from every generation with a success': finishing((options) => ({
    ...options,
    charges: options.charges.map(({ generation: _generation, ...charge }) => charge),
  })),
  'lifts the locks of all that it charges': finishWith(
    ({ finish, counters }) =>
      async (pendingId, options) => {
        await counters.unlock(options.charges.map(({ key }) => key));
        return finish(pendingId, options);
      },
  ),
  'is refused by a lock': finishWith(({ finish, counters }) => async (pendingId, options) => {
    const read = options.charges.map((charge) => ({ ...charge, isOnlyRead: true }));
    const { refusedBy } = await counters.charge(read);
    return refusedBy === null ? finish(pendingId, options) : NOT_FINISHED;
  }),
  'puts nothing': finishWith(({ finish }) => async (pendingId, options) => {
    const finished = await finish(pendingId, { ...options, puts: [] });
    const results = options.puts.map(() => ({ isPut: true, gone: [] }));
    return finished.isFinished ? { isFinished: true, results } : finished;
  }),
  'ignores ceilings': finishing((options) => ({
    ...options,
    puts: options.puts.map(({ most: _most, ...put }) => put),
  })),
  'puts with a success whatever there is': finishing((options) => ({
    ...options,
    puts: options.puts.map(({ ifNone: _ifNone, ...put }) => put),
  })),
  'puts for ten minutes': finishing((options) => ({
    ...options,
    puts: options.puts.map((put) => ({ ...put, ttlSeconds: 600 })),
  })),
  'names no record that goes with a success': finishWith(
    ({ finish }) =>
      async (pendingId, options) => {
        const finished = await finish(pendingId, options);
        if (!finished.isFinished) return finished;
        return { isFinished: true, results: finished.results.map((one) => ({ ...one, gone: [] })) };
      },
  ),
  'returns the results in another order': finishWith(({ finish }) => async (pendingId, options) => {
    const finished = await finish(pendingId, options);
    return finished.isFinished ? { ...finished, results: finished.results.toReversed() } : finished;
  }),
  'changes what it can before it looks': finishWith(
    ({ finish, counters, records }) =>
      async (pendingId, options) => {
        await counters.charge(options.charges);
        for (const put of options.puts) await records.put(put);
        return finish(pendingId, { ...options, charges: [], puts: [] });
      },
  ),
  'does what fits of a change that does not': finishWith(
    ({ finish }) =>
      (pendingId, options) =>
        finish(pendingId, options).catch(() => finish(pendingId, { ...options, puts: [] })),
  ),
  'finishes what has passed': finishWith(
    ({ finish, pendingLogins }) =>
      async (pendingId, options) => {
        const found = await pendingLogins.find(pendingId);
        const results = options.puts.map(() => ({ isPut: true, gone: [] }));
        return found === 'passed' ? { isFinished: true, results } : finish(pendingId, options);
      },
  ),
  'finishes no login that is exhausted': finishWith(
    ({ finish, pendingLogins }) =>
      async (pendingId, options) => {
        const { outcome } = await pendingLogins.claim(pendingId, { of: 'text', most: 5 });
        return outcome === 'claimed' ? finish(pendingId, options) : NOT_FINISHED;
      },
  ),
  'finishes only by a text': finishWith(
    ({ finish, pendingLogins }) =>
      async (pendingId, options) => {
        const found = await pendingLogins.find(pendingId);
        const hasText = found !== null && found !== 'passed' && found.texts.length > 0;
        return hasText ? finish(pendingId, options) : NOT_FINISHED;
      },
  ),
};

export const sabotagesOfLogins = { ...sabotagesOfPendingLogins, ...sabotagesOfFinish };

function beginning(change: (login: NewPendingLogin) => NewPendingLogin): Sabotage {
  return partWith('pendingLogins', (kept) => ({
    begin: (login, ttlSeconds) => kept.begin(change(login), ttlSeconds),
  }));
}

function claiming(change: (options: ClaimOptions) => ClaimOptions): Sabotage {
  return partWith('pendingLogins', (kept) => ({
    claim: (pendingId, options) => kept.claim(pendingId, change(options)),
  }));
}

function finishing(change: (options: FinishOptions) => FinishOptions): Sabotage {
  return finishWith(
    ({ finish }) =>
      (pendingId, options) =>
        finish(pendingId, change(options)),
  );
}
