import { AssertionError } from 'node:assert';

import { describe, expect, it } from '@jest/globals';
import { nextContract, storeContract } from 'passport-sms-otp/store-contract';

import { memoryStore } from '../../src/stores/memory/memory-store';
import {
  FACTS,
  factsAbout,
  failedFacts,
  failuresOf,
  partWith,
  type Sabotage,
  type WholeStore,
} from './sabotage';
import { sabotagesOfFinish, sabotagesOfUnlock } from './sabotages-of-finish';
import { sabotagesOfLogins } from './sabotages-of-logins';
import { sabotagesOfParts } from './sabotages-of-parts';
import { sabotagesOfPendingLogins } from './sabotages-of-pending-logins';
import { sabotagesOfRecords } from './sabotages-of-records';
import type { BeginOptions, Counter } from '../../src/stores/store';

/** Ways in which a store may be wrong, each of which a fact must notice. */
const sabotages: Record<string, Sabotage> = {
  'claims without counting': partWith('challenges', (kept) => ({
    claim: async (otpId) => {
      const live = await kept.find(otpId);
      return live === null ? { outcome: 'unknown' } : { outcome: 'claimed', ...live, attempt: 1 };
    },
  })),
  'finds by claiming': partWith('challenges', (kept) => ({
    find: async (otpId) => {
      const found = await kept.claim(otpId);
      if (found.outcome !== 'claimed') return null;
      const { challenge, hasLiveCode } = found;
      return { challenge, hasLiveCode };
    },
  })),
  'lets a code consume that another text has taken': partWith('challenges', (kept) => ({
    consume: (otpId) => kept.consume(otpId),
  })),
  'lets every caller consume': partWith('challenges', (kept) => ({
    consume: async (otpId) => {
      await kept.consume(otpId);
      return true;
    },
  })),
  'leaves every text its code': partWith('challenges', (kept) => ({
    find: async (otpId) => {
      const live = await kept.find(otpId);
      return live && { ...live, hasLiveCode: live.challenge.isSent };
    },
  })),
  'has codes where no text went out': partWith('challenges', (kept) => ({
    find: async (otpId) => {
      const live = await kept.find(otpId);
      return live && { ...live, hasLiveCode: live.hasLiveCode || !live.challenge.isSent };
    },
  })),
  'takes a code without a text': partWith('challenges', (kept) => {
    const unsent = new Set<string>();
    return {
      begin: (challenge, ttlSeconds) => {
        if (!challenge.isSent) unsent.add(challenge.userId);
        return kept.begin(challenge, ttlSeconds);
      },
      find: async (otpId) => {
        const live = await kept.find(otpId);
        return (
          live && { ...live, hasLiveCode: live.hasLiveCode && !unsent.has(live.challenge.userId) }
        );
      },
    };
  }),
  'ends the challenge whose code it takes': partWith('challenges', (kept) => {
    const newest = new Map<string, string>();
    return {
      begin: async (challenge, ttlSeconds) => {
        const { userId, purpose, bucket, otpId } = challenge;
        const place = JSON.stringify([userId, purpose, bucket]);
        await kept.discard(newest.get(place) ?? '');
        newest.set(place, otpId);
        await kept.begin(challenge, ttlSeconds);
      },
    };
  }),
  'has one code for all buckets': partWith('challenges', (kept) => {
    const newest = new Map<string, string>();
    return {
      begin: (challenge, ttlSeconds) => {
        newest.set(JSON.stringify([challenge.userId, challenge.purpose]), challenge.otpId);
        return kept.begin(challenge, ttlSeconds);
      },
      find: async (otpId) => {
        const live = await kept.find(otpId);
        if (live === null) return null;
        const { userId, purpose } = live.challenge;
        const isNewest = newest.get(JSON.stringify([userId, purpose])) === otpId;
        return { ...live, hasLiveCode: live.hasLiveCode && isNewest };
      },
    };
  }),
  'ends the challenges of other purposes': partWith('challenges', (kept) => ({
    begin: async (challenge, ttlSeconds) => {
      await kept.discardAll(challenge.userId);
      await kept.begin(challenge, ttlSeconds);
    },
  })),
  'forgets which challenges belong together': beginningWith(() => ({})),
  'goes on with what is over': beginningWith(
    ({ supersedes }) => supersedes && { supersedes: 'any' },
  ),
  'goes on with nothing else': beginningWith(
    ({ supersedes }) => supersedes && { supersedes: 'live' },
  ),
  'takes the place of a text': partWith('challenges', (kept) => {
    const texts = new Map<string, string>();
    return {
      begin: async (challenge, ttlSeconds, options) => {
        const { pendingId, otpId, isSent } = challenge;
        if (options !== undefined && !isSent) await kept.discard(texts.get(pendingId) ?? '');
        if (isSent) texts.set(pendingId, otpId);
        return kept.begin(challenge, ttlSeconds, options);
      },
    };
  }),
  'consumes by the code of an earlier id': partWith('challenges', (kept) => ({
    consume: async (otpId, options) => {
      const live = await kept.find(otpId);
      return kept.consume(live?.challenge.otpId ?? otpId, options);
    },
  })),
  'keeps challenges forever': partWith('challenges', (kept) => ({
    begin: (challenge) => kept.begin(challenge, 1_000_000),
  })),
  'does not discard': partWith('challenges', () => ({ discard: () => Promise.resolve() })),
  'does not discard all': partWith('challenges', () => ({ discardAll: () => Promise.resolve() })),
  'ignores max': chargingOnly(({ max: _max, ...counter }) => counter),
  'ignores locks': chargingOnly(({ lock: _lock, ...counter }) => counter),
  'ignores exemptions': chargingOnly(({ exemptBy: _exemptBy, ...counter }) => counter),
  'reads the first exemption alone': chargingOnly(({ exemptBy = [], ...counter }) => {
    return { ...counter, exemptBy: exemptBy.slice(0, 1) };
  }),
  'adds to read-only counters': chargingOnly(({ isOnlyRead: _isOnlyRead, ...counter }) => counter),
  'has no windows': chargingOnly((counter) => ({ ...counter, windowSeconds: null })),
  'charges one counter after the other': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const charges = [];
      for (const counter of counters) charges.push(await kept.charge([counter]));
      const refused = charges.findIndex(({ refusedBy }) => refusedBy !== null);
      return {
        refusedBy: refused < 0 ? null : refused,
        counts: charges.flatMap(({ counts }) => counts),
      };
    },
  })),
  'clears nothing': partWith('counters', () => ({ clear: () => Promise.resolve() })),
  'clears locked counters': partWith('counters', (kept) => ({ clear: (keys) => kept.clear(keys) })),
  'shortens locks': partWith('counters', (kept) => ({
    lock: async (key, seconds) => {
      await kept.lock(key, 0);
      await kept.lock(key, seconds);
    },
  })),
  'locks for a day at most': partWith('counters', (kept) => ({
    lock: (key, seconds) => kept.lock(key, Math.min(seconds, 86_400)),
  })),
  'locks only counters that were charged': partWith('counters', (kept) => ({
    lock: async (key, seconds) => {
      const { counts } = await kept.charge([{ key, windowSeconds: null, isOnlyRead: true }]);
      if (counts[0]?.count !== 0) await kept.lock(key, seconds);
    },
  })),
  'lifts no lock': partWith('counters', (kept) => ({
    lock: (key, seconds) => (seconds === 0 ? Promise.resolve() : kept.lock(key, seconds)),
  })),
  'renews for every caller': partWith('tokens', (kept) => ({
    renew: async (account, _seen, work) =>
      kept.renew(account, (await kept.read(account))?.fence ?? 0, work),
  })),
  'forgets tokens': partWith('tokens', () => ({ read: () => Promise.resolve(null) })),
  'starts with an arbitrary fence': partWith('tokens', (kept) => ({
    renew: async (account, seen, work) => ({
      ...(await kept.renew(account, seen, work)),
      fence: 1,
    }),
  })),
};

/** The parts of a store that are named by facts about `finish`. */
const FINISH_NEEDS: readonly string[] = ['records', 'pendingLogins'];

const ofPart = (name: string): typeof nextContract =>
  nextContract.filter(({ part }) => part === name);

const ofNextParts = {
  records: { sabotages: sabotagesOfRecords, facts: ofPart('records') },
  'pending logins': { sabotages: sabotagesOfPendingLogins, facts: ofPart('pendingLogins') },
  finish: { sabotages: sabotagesOfFinish, facts: ofPart('finish') },
  unlock: { sabotages: sabotagesOfUnlock, facts: ofPart('unlock') },
};

describe('the store contract', () => {
  const ofOldParts = { ...sabotages, ...sabotagesOfParts, ...sabotagesOfLogins };
  it.each(Object.entries(ofOldParts))('detects a store that %s', async (_what, sabotage) => {
    const failures = await failuresOf(sabotage);
    expect(failures).not.toEqual([]);
    expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
  });

  describe.each(Object.entries(ofNextParts))('with %s', (_part, wrong) => {
    const known = new Map<Sabotage, ReturnType<typeof failedFacts>>();
    const failed = (sabotage: Sabotage): ReturnType<typeof failedFacts> => {
      const found = known.get(sabotage) ?? failedFacts(sabotage, wrong.facts);
      known.set(sabotage, found);
      return found;
    };

    it.each(Object.entries(wrong.sabotages))('detects a store that %s', async (_what, sabotage) => {
      const failures = (await failed(sabotage)).map(({ failure }) => failure);
      expect(failures).not.toEqual([]);
      expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
    });

    it.each(wrong.facts)('has a fact that fails for a wrong store: $title', async ({ title }) => {
      const failures = (await Promise.all(Object.values(wrong.sabotages).map(failed))).flat();
      expect(failures.map((one) => one.title)).toContain(title);
    });
  });

  const factsOfLogins = storeContract.filter(({ part }) => part === 'logins');
  it.each(factsOfLogins)('has a fact that fails for a wrong store: $title', async (fact) => {
    const failures = await Promise.all(
      Object.values(sabotagesOfLogins).map((sabotage) => failuresOf(sabotage, [fact])),
    );
    expect(failures.flat()).not.toEqual([]);
  });

  it('passes a correct store', async () => {
    expect(await failuresOf((store) => store)).toEqual([]);
  });

  const parts = ['recoveryCodes', 'devices', 'browsers', 'logins', 'notes'] as const;
  it.each([...parts, 'records', 'pendingLogins', 'finish'] as const)(
    'fails without %s, and passes everything else in a store that leaves them out',
    async (left) => {
      const { [left]: _left, ...store } = memoryStore();
      const facts = FACTS.filter(({ part }) => part === left);
      expect(facts.length).toBeGreaterThan(3);
      for (const { run } of facts) await expect(run(() => store)).rejects.toThrow(AssertionError);
      const others = FACTS.filter(
        ({ part }) => part !== left && (part !== 'finish' || !FINISH_NEEDS.includes(left)),
      );
      const failures = await failuresOf(({ [left]: _part, ...rest }) => rest, others);
      expect(failures).toEqual([]);
    },
  );

  it('has a different title for each fact', () => {
    expect(new Set(FACTS.map(({ title }) => title)).size).toBe(FACTS.length);
  });

  it('has no fact that is about two parts, or about none', () => {
    const all = Object.keys(memoryStore()) as (keyof WholeStore)[];
    const titles = [...all.flatMap(factsAbout), ...ofPart('unlock')].map(({ title }) => title);
    expect(titles.toSorted()).toEqual(FACTS.map(({ title }) => title).toSorted());
  });
});

function beginningWith(change: (options: BeginOptions) => BeginOptions | undefined): Sabotage {
  return partWith('challenges', (kept) => ({
    begin: (challenge, ttlSeconds, options) => {
      return kept.begin(challenge, ttlSeconds, options && change(options));
    },
  }));
}

function chargingOnly(change: (counter: Counter) => Counter): Sabotage {
  return partWith('counters', (kept) => ({
    charge: (counters) => kept.charge(counters.map(change)),
  }));
}
