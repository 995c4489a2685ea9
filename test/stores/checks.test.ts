import { AssertionError } from 'node:assert';

import { describe, expect, it } from '@jest/globals';
import { storeChecks } from 'passport-sms-otp/testing';

import { memoryStore } from '../../src/stores/memory/memory-store';
import { counterChecks, raiseChecks } from '../checks/store/counter-checks';
import { unlockChecks } from '../checks/store/lock-checks';
import { checksAbout, failedChecks, failuresOf, partWith, type Sabotage } from './sabotage';
import { sabotagesOfBegin } from './sabotages-of-begin';
import { sabotagesOfFinish, sabotagesOfUnlock } from './sabotages-of-finish';
import { sabotagesOfPendingLogins } from './sabotages-of-pending-logins';
import { sabotagesOfProcesses } from './sabotages-of-processes';
import { sabotagesOfRecords } from './sabotages-of-records';
import type { Counter, SmsOtpStore } from '../../src/stores/store';

/** Ways in which a store may be wrong, each of which a check must notice. */
const sabotages: Record<string, Sabotage> = {
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
  'locks for a day at most': chargingOnly(({ lock, ...counter }) =>
    lock === undefined
      ? counter
      : {
          ...counter,
          lock: { ...lock, seconds: lock.seconds.map((one) => Math.min(one, 86_400)) },
        },
  ),
  'repeats the first lock': chargingOnly(({ lock, ...counter }) =>
    lock === undefined
      ? counter
      : { ...counter, lock: { ...lock, seconds: lock.seconds.slice(0, 1) } },
  ),
  'locks from the first multiple': chargingOnly(({ lock, ...counter }) =>
    lock === undefined ? counter : { ...counter, lock: { ...lock, from: undefined } },
  ),
  'lifts no lock of a charge': chargingOnly(({ lifts: _lifts, ...counter }) => counter),
  'lifts whatever lock there is': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const lifted = counters.filter(({ lifts }) => lifts !== undefined);
      await kept.unlock(lifted.map(({ key }) => key));
      return kept.charge(counters);
    },
  })),
  'takes back from every generation': chargingOnly(
    ({ generation: _generation, ...counter }) => counter,
  ),
  'has one generation': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const { refusedBy, counts } = await kept.charge(counters);
      return { refusedBy, counts: counts.map((one) => ({ ...one, generation: 1 })) };
    },
  })),
  'ignores amounts': chargingOnly(({ amount: _amount, ...counter }) => counter),
  'takes nothing back': chargingOnly(({ amount, ...counter }) => ({
    ...counter,
    amount: amount === undefined ? undefined : Math.max(0, amount),
  })),
  'compares before it adds': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const read = counters.map((one) => ({ ...one, isOnlyRead: true }));
      const { refusedBy, counts } = await kept.charge(read);
      if (refusedBy !== null) return { refusedBy, counts };
      return kept.charge(counters.map(({ max: _max, ...one }) => one));
    },
  })),
  'renews for every caller': partWith('tokens', (kept) => ({
    renew: async (account, _seen, work) =>
      kept.renew(account, (await kept.read(account))?.fence ?? 0, work),
  })),
  'keeps the lease of a renewal that has failed': partWith('tokens', (kept) => ({
    renew: (account, seen, work) =>
      new Promise((resolve, reject) => {
        const holding = kept.renew(account, seen, (previous) =>
          work(previous).catch((error: unknown) => {
            reject(error);
            return new Promise(() => undefined);
          }),
        );
        holding.then(resolve, reject);
      }),
  })),
  'forgets tokens': partWith('tokens', () => ({ read: () => Promise.resolve(null) })),
  'starts with an arbitrary fence': partWith('tokens', (kept) => ({
    renew: async (account, seen, work) => ({
      ...(await kept.renew(account, seen, work)),
      fence: 1,
    }),
  })),
};

const ofParts = {
  records: { sabotages: sabotagesOfRecords, checks: checksAbout('records') },
  'pending logins': {
    sabotages: { ...sabotagesOfPendingLogins, ...sabotagesOfBegin },
    checks: checksAbout('pendingLogins'),
  },
  finish: { sabotages: sabotagesOfFinish, checks: checksAbout('finish') },
  'raises and unlock': {
    sabotages: sabotagesOfUnlock,
    checks: [...raiseChecks, ...unlockChecks],
  },
};

describe('the store checks', () => {
  it.each(Object.entries(sabotages))('detects a store that %s', async (_what, sabotage) => {
    const failures = await failuresOf(sabotage);
    expect(failures).not.toEqual([]);
    expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
  });

  describe.each(Object.entries(ofParts))('with %s', (_part, wrong) => {
    const known = new Map<Sabotage, ReturnType<typeof failedChecks>>();
    const failed = (sabotage: Sabotage): ReturnType<typeof failedChecks> => {
      const found = known.get(sabotage) ?? failedChecks(sabotage, wrong.checks);
      known.set(sabotage, found);
      return found;
    };

    it.each(Object.entries(wrong.sabotages))('detects a store that %s', async (_what, sabotage) => {
      const failures = (await failed(sabotage)).map(({ failure }) => failure);
      expect(failures).not.toEqual([]);
      expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
    });

    it.each(wrong.checks)('has a check that fails for a wrong store: $title', async ({ title }) => {
      const failures = (await Promise.all(Object.values(wrong.sabotages).map(failed))).flat();
      expect(failures.map((one) => one.title)).toContain(title);
    });
  });

  describe.each(Object.entries(sabotagesOfProcesses))('with a store that %s', (_what, sabotage) => {
    const checks = sabotage.part ? checksAbout(sabotage.part) : storeChecks;

    it('detects it by two clients', async () => {
      const failures = (await failedChecks(sabotage, checks, 2)).map(({ failure }) => failure);
      expect(failures).not.toEqual([]);
      expect(failures.filter((failure) => !(failure instanceof AssertionError))).toEqual([]);
    });

    it('has nothing against one client', async () => {
      expect(await failedChecks(sabotage, checks)).toEqual([]);
    });
  });

  it('pass a correct store, with one client and with two', async () => {
    const correct: Sabotage = (store) => store;
    expect(await failedChecks(correct, storeChecks)).toEqual([]);
    expect(await failedChecks(correct, storeChecks, 2)).toEqual([]);
  });

  it('say what is wrong where each client has a database of its own', async () => {
    const apart: Sabotage = () => memoryStore();
    const [first] = await failedChecks(apart, counterChecks.slice(0, 1), 2);
    const message = expect.stringContaining('`makeStore` must return clients of one database');
    expect(first?.failure).toMatchObject({ message });
  });

  it('name the input for which a check fails', async () => {
    const wrong = sabotagesOfBegin['joins a login in which an attempt has been counted'];
    const failed = wrong && (await failedChecks(wrong, checksAbout('pendingLogins')));
    const messages = failed?.map(({ failure }) => (failure as Error).message);
    expect(messages).toContainEqual(expect.stringMatching(/^with \[ 'without an OTP', /));
  });

  it('has a different title for each check', () => {
    expect(new Set(storeChecks.map(({ title }) => title)).size).toBe(storeChecks.length);
  });

  it('has no check that is about two parts, or about none', () => {
    const parts = Object.keys(memoryStore()) as (keyof SmsOtpStore)[];
    const titles = parts.flatMap(checksAbout).map(({ title }) => title);
    expect(titles.toSorted()).toEqual(storeChecks.map(({ title }) => title).toSorted());
  });
});

function chargingOnly(change: (counter: Counter) => Counter): Sabotage {
  return partWith('counters', (kept) => ({
    charge: (counters) => kept.charge(counters.map(change)),
  }));
}
