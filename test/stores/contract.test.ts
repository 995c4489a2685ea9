import { AssertionError } from 'node:assert';

import { describe, expect, it } from '@jest/globals';
import { storeContract } from 'passport-sms-otp/store-contract';

import { memoryStore } from '../../src/stores/memory-store';
import type { Counter, SmsOtpStore } from '../../src/stores/store';

type Sabotage = (store: SmsOtpStore) => SmsOtpStore;

/** Ways in which a store may be wrong, each of which a fact must notice. */
const sabotages: Record<string, Sabotage> = {
  'claims without counting': challengesWith((kept) => ({
    claim: async (otpId) => {
      const challenge = await kept.find(otpId);
      return challenge === null ? { outcome: 'unknown' } : { outcome: 'claimed', challenge, attempt: 1 };
    },
  })),
  'finds by claiming': challengesWith((kept) => ({
    find: async (otpId) => {
      const found = await kept.claim(otpId);
      return found.outcome === 'claimed' ? found.challenge : null;
    },
  })),
  'lets everybody consume': challengesWith((kept) => ({
    consume: async (otpId) => {
      await kept.consume(otpId);
      return true;
    },
  })),
  'leaves the earlier challenge of a user alive': challengesWith((kept) => ({
    begin: (challenge, ttlSeconds) =>
      kept.begin({ ...challenge, userId: `${challenge.userId} ${challenge.otpId}` }, ttlSeconds),
  })),
  'ends the challenges of other purposes': challengesWith((kept) => ({
    begin: async (challenge, ttlSeconds) => {
      await kept.discardAll(challenge.userId);
      await kept.begin(challenge, ttlSeconds);
    },
  })),
  'keeps challenges for ever': challengesWith((kept) => ({
    begin: (challenge) => kept.begin(challenge, 1_000_000),
  })),
  'does not discard': challengesWith(() => ({ discard: () => Promise.resolve() })),
  'does not discard all': challengesWith(() => ({ discardAll: () => Promise.resolve() })),
  'ignores max': chargingOnly(({ max: _max, ...counter }) => counter),
  'ignores locks': chargingOnly(({ lock: _lock, ...counter }) => counter),
  'ignores exemptions': chargingOnly(({ exemptBy: _exemptBy, ...counter }) => counter),
  'adds to what is only read': chargingOnly(({ isOnlyRead: _isOnlyRead, ...counter }) => counter),
  'has no windows': chargingOnly((counter) => ({ ...counter, windowSeconds: null })),
  'charges one counter after the other': countersWith((kept) => ({
    charge: async (counters) => {
      const charges = [];
      for (const counter of counters) charges.push(await kept.charge([counter]));
      const refused = charges.findIndex(({ refusedBy }) => refusedBy !== null);
      return { refusedBy: refused < 0 ? null : refused, counts: charges.flatMap(({ counts }) => counts) };
    },
  })),
  'clears nothing': countersWith(() => ({ clear: () => Promise.resolve() })),
  'clears what is locked': countersWith((kept) => ({ clear: (keys) => kept.clear(keys) })),
  'shortens locks': countersWith((kept) => ({
    lock: async (key, seconds) => {
      await kept.lock(key, 0);
      await kept.lock(key, seconds);
    },
  })),
  'lifts no lock': countersWith((kept) => ({
    lock: (key, seconds) => (seconds === 0 ? Promise.resolve() : kept.lock(key, seconds)),
  })),
  'renews for everybody': tokensWith((kept) => ({
    renew: async (account, _seen, work) => kept.renew(account, (await kept.read(account))?.fence ?? 0, work),
  })),
  'forgets tokens': tokensWith(() => ({ read: () => Promise.resolve(null) })),
  'begins with the fence it likes': tokensWith((kept) => ({
    renew: async (account, seen, work) => ({ ...(await kept.renew(account, seen, work)), fence: 1 }),
  })),
};

describe('the store contract', () => {
  it.each(Object.entries(sabotages))('notices a store that %s', async (_what, sabotage) => {
    const failures = await failuresOf(sabotage);
    expect(failures).not.toEqual([]);
    expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
  });

  it('has nothing against a right one', async () => {
    expect(await failuresOf((store) => store)).toEqual([]);
  });

  it('has facts with titles of their own', () => {
    expect(new Set(storeContract.map(({ title }) => title)).size).toBe(storeContract.length);
  });
});

async function failuresOf(sabotage: Sabotage): Promise<unknown[]> {
  const outcomes = storeContract.map(async ({ run }) => {
    let nowMs = 0;
    const makeStore = (): SmsOtpStore => sabotage(memoryStore({ now: () => nowMs }));
    const failure = run(makeStore, (seconds) => void (nowMs += seconds * 1000));
    return failure.catch((error: unknown) => error);
  });
  return (await Promise.all(outcomes)).filter((outcome) => outcome !== undefined);
}

function challengesWith(
  change: (challenges: SmsOtpStore['challenges']) => Partial<SmsOtpStore['challenges']>,
): Sabotage {
  return (store) => ({ ...store, challenges: { ...store.challenges, ...change(store.challenges) } });
}

function countersWith(
  change: (counters: SmsOtpStore['counters']) => Partial<SmsOtpStore['counters']>,
): Sabotage {
  return (store) => ({ ...store, counters: { ...store.counters, ...change(store.counters) } });
}

function chargingOnly(change: (counter: Counter) => Counter): Sabotage {
  return countersWith((kept) => ({ charge: (counters) => kept.charge(counters.map(change)) }));
}

function tokensWith(change: (tokens: SmsOtpStore['tokens']) => Partial<SmsOtpStore['tokens']>): Sabotage {
  return (store) => ({ ...store, tokens: { ...store.tokens, ...change(store.tokens) } });
}
