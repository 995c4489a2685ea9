import type {
  Counter,
  FinishOptions,
  FinishResult,
  PutResult,
  SmsOtpStore,
} from '../../src/stores/store';
import { partWith, type Sabotage } from './sabotage';

type Finish = SmsOtpStore['finish'];

/** Ways in which `finish` may be wrong, each of which a check must notice. */
export const sabotagesOfFinish: Record<string, Sabotage> = {
  'lets every caller finish a login': finishing((store) => async (pendingId, options) => {
    const finished = await store.finish(pendingId, options);
    return finished.isFinished ? finished : { isFinished: true, results: [], replaced: null };
  }),
  'ends a login, then makes the changes': finishing((store) => async (pendingId, options) => {
    if ((await store.pendingLogins.find(pendingId)) === null) return { isFinished: false };
    const { puts, charges, clears, ...rest } = options;
    const results = [];
    for (const put of puts) results.push(await store.records.put(put));
    const none = { puts: [], charges: [], clears: [] };
    const finished = await store.finish(pendingId, { ...rest, ...none });
    await store.counters.clear(clears);
    await store.counters.charge(charges);
    return finished.isFinished ? { ...finished, results } : finished;
  }),
  'looks for a login, then finishes it': finishing((store) => async (pendingId, options) => {
    const found = await store.pendingLogins.find(pendingId);
    if (found === null || found === 'passed') return { isFinished: false };
    const finished = await store.finish(pendingId, options);
    return finished.isFinished ? finished : { isFinished: true, results: [], replaced: null };
  }),
  'finishes a login by any OTP': changing(({ otpId: _otpId, ...options }) => options),
  'finishes a login by its newest OTP alone': finishing((store) => async (pendingId, options) => {
    const found = await store.pendingLogins.find(pendingId);
    const newest = found === null || found === 'passed' ? undefined : found.otps[0]?.otpId;
    if (options.otpId !== undefined && options.otpId !== newest) return { isFinished: false };
    return store.finish(pendingId, options);
  }),
  'finishes no login that is exhausted': finishing((store) => async (pendingId, options) => {
    const claimed = await store.pendingLogins.claim(pendingId, { of: 'otp', most: 5 });
    if (claimed.outcome === 'exhausted') return { isFinished: false };
    return store.finish(pendingId, options);
  }),
  'finishes no login without an OTP': finishing((store) => async (pendingId, options) => {
    const found = await store.pendingLogins.find(pendingId);
    const isBare = found !== null && found !== 'passed' && found.otps.length === 0;
    return isBare ? { isFinished: false } : store.finish(pendingId, options);
  }),
  'replaces nothing': changing(({ replaces: _replaces, ...options }) => options),
  'replaces what is not there': finishing((store) => async (pendingId, options) => {
    const { replaces, ...others } = options;
    const isThere = replaces && (await store.records.find(replaces)) !== null;
    return store.finish(pendingId, isThere === true ? options : others);
  }),
  'replaces a record after it puts the others': finishing((store) => async (pendingId, options) => {
    const { replaces, ...others } = options;
    if (replaces === undefined) return store.finish(pendingId, others);
    if ((await store.records.find(replaces)) === null) return { isFinished: false };
    const finished = await store.finish(pendingId, others);
    await store.records.remove(replaces);
    return finished;
  }),
  'ignores the tag that a put requires': changingPuts(({ ifTag: _ifTag, ...put }) => put),
  'looks at a tag, then finishes': finishing((store) => async (pendingId, options) => {
    const puts = options.puts.map(({ ifTag: _ifTag, ...put }) => put);
    return (await hasTags(store, options))
      ? store.finish(pendingId, { ...options, puts })
      : { isFinished: false };
  }),
  'finishes without the put whose tag is another': finishing((store) => {
    return async (pendingId, options) => {
      if (await hasTags(store, options)) return store.finish(pendingId, options);
      const puts = options.puts.filter(({ ifTag }) => ifTag === undefined);
      return store.finish(pendingId, { ...options, puts });
    };
  }),
  'replaces a record although a tag is another': finishing((store) => async (id, options) => {
    if (options.replaces !== undefined && !(await hasTags(store, options)))
      await store.records.remove(options.replaces);
    return store.finish(id, options);
  }),
  'takes the beginning of a tag for the tag': finishing((store) => async (id, options) => {
    const puts = [];
    for (const { ifTag, ...put } of options.puts) {
      const found = await store.records.find({ ...put, id: put.record.id });
      const begins = ifTag !== undefined && found?.tag.startsWith(ifTag) === true;
      puts.push({ ...put, ifTag: begins ? found.tag : ifTag });
    }
    return store.finish(id, { ...options, puts });
  }),
  'ends a login although nothing is replaced': finishing((store) => async (pendingId, options) => {
    const finished = await store.finish(pendingId, options);
    if (!finished.isFinished) await store.pendingLogins.end(pendingId);
    return finished;
  }),
  'leaves out an optional put, and says that it is written': finishing(
    (store) => async (pendingId, options) => {
      const puts = options.puts.filter(({ isOptional }) => isOptional !== true);
      const finished = await store.finish(pendingId, { ...options, puts });
      if (!finished.isFinished) return finished;
      const results = options.puts.map((put) => finished.results[puts.indexOf(put)] ?? PUT);
      return { ...finished, results };
    },
  ),
  'writes an optional put, and says that it is left out': finishing(
    (store) => async (pendingId, options) => {
      const finished = await store.finish(pendingId, options);
      if (!finished.isFinished) return finished;
      const results = finished.results.map((result, index) =>
        options.puts[index]?.isOptional === true ? { ...PUT, isPut: false } : result,
      );
      return { ...finished, results };
    },
  ),
  'leaves no mark': changing((options) => ({ ...options, leavesMark: false })),
  'leaves a mark always': changing((options) => ({ ...options, leavesMark: true })),
  'clears nothing': changing((options) => ({ ...options, clears: [] })),
  'clears counts, and keeps locks': finishing((store) => async (pendingId, options) => {
    const finished = await store.finish(pendingId, { ...options, clears: [] });
    if (finished.isFinished) await store.counters.clear(options.clears, { keepsLocked: true });
    return finished;
  }),
  'charges nothing': changing((options) => ({ ...options, charges: [] })),
  'lifts no lock': chargingOnly(({ lifts: _lifts, ...charge }) => charge),
  'gives back to any generation': chargingOnly(({ generation: _generation, ...one }) => one),
  'raises no count': chargingOnly(({ raisesTo, ...one }) => {
    return raisesTo === undefined ? one : { ...one, amount: 1 };
  }),
  'charges no counter that is locked': finishing((store) => async (pendingId, options) => {
    const finished = await store.finish(pendingId, { ...options, charges: [] });
    if (finished.isFinished) await store.counters.charge(options.charges);
    return finished;
  }),
  'finishes no login that has passed': changing((options) => {
    return { ...options, acceptsPassed: options.otpId !== undefined && options.acceptsPassed };
  }),
  'finishes every login that has passed': changing((options) => {
    return { ...options, acceptsPassed: options.otpId === undefined || options.acceptsPassed };
  }),
  'finishes only a login that has passed where that is accepted': finishing(
    (store) => async (pendingId, options) => {
      const found = await store.pendingLogins.find(pendingId);
      const isOther = options.acceptsPassed === true && found !== 'passed';
      return isOther ? { isFinished: false } : store.finish(pendingId, options);
    },
  ),
  'names no record that it has written over': reporting((results) =>
    results.map((one) => ({ ...one, replaced: null })),
  ),
  'names no record that it has replaced': finishing((store) => async (pendingId, options) => {
    const finished = await store.finish(pendingId, options);
    return finished.isFinished ? { ...finished, replaced: null } : finished;
  }),
  'puts nothing': reporting((results) => results, { puts: [] }),
  'keeps any number of records': changingPuts((put) => ({ ...put, most: undefined })),
  'ignores which records are the first': changingPuts((put) => ({ ...put, ifNone: false })),
  'keeps records forever': changingPuts((put) => {
    return { ...put, ttlSeconds: put.ttlSeconds === null || put.ttlSeconds > 0 ? null : 0 };
  }),
  'names no record that goes': reporting((results) => results.map((one) => ({ ...one, gone: [] }))),
  'reports the puts in another order': reporting((results) => results.toReversed()),
  'keeps the mark of a login that is ended': withLogins(({ pendingLogins }) => ({
    end: async (pendingId, options) =>
      (await pendingLogins.find(pendingId)) !== 'passed' && pendingLogins.end(pendingId, options),
  })),
  'says that a login which has passed was ended': withLogins(({ pendingLogins }) => ({
    end: async (pendingId, options) => {
      const hasPassed = (await pendingLogins.find(pendingId)) === 'passed';
      return (await pendingLogins.end(pendingId, options)) || hasPassed;
    },
  })),
  'forgets a mark with the end of an OTP': withLogins(({ pendingLogins }) => ({
    end: async (pendingId, options) => {
      const hasPassed = (await pendingLogins.find(pendingId)) === 'passed';
      return pendingLogins.end(pendingId, hasPassed ? undefined : options);
    },
  })),
  'keeps the marks when all logins are ended': (store) => {
    const passed = new Set<string>();
    const { pendingLogins } = store;
    return {
      ...store,
      finish: async (pendingId, options) => {
        const finished = await store.finish(pendingId, options);
        if (finished.isFinished && options.leavesMark) passed.add(pendingId);
        return finished;
      },
      pendingLogins: {
        ...pendingLogins,
        end: (pendingId, options) => {
          passed.delete(pendingId);
          return pendingLogins.end(pendingId, options);
        },
        find: async (pendingId) => {
          const found = await pendingLogins.find(pendingId);
          return found === null && passed.has(pendingId) ? 'passed' : found;
        },
      },
    };
  },
  'revives a login that has passed': withLogins(({ pendingLogins }) => ({
    attach: async (pendingId, otp, options) => {
      if ((await pendingLogins.find(pendingId)) === 'passed') {
        await pendingLogins.end(pendingId);
        const placed = { userId: 'x', place: 'x', side: 'x', block: 'x' };
        const bounds = { ttlSeconds: 600, most: 1_000, protectedSeconds: 0, joinSeconds: 0 };
        await pendingLogins.begin({ pendingId, ...placed, value: '{}' }, bounds);
      }
      return pendingLogins.attach(pendingId, otp, options);
    },
  })),
  'keeps the previous OTP always': withLogins(({ pendingLogins }) => ({
    attach: (pendingId, otp) => pendingLogins.attach(pendingId, otp),
  })),
  'claims a login that has passed': withLogins(({ pendingLogins }) => ({
    claim: async (pendingId, options) =>
      (await pendingLogins.find(pendingId)) === 'passed'
        ? { outcome: 'exhausted' }
        : pendingLogins.claim(pendingId, options),
  })),
};

/** Ways in which `unlock` and `raisesTo` may be wrong. */
export const sabotagesOfUnlock: Record<string, Sabotage> = {
  'raises nothing': raising(({ raisesTo: _raisesTo, ...counter }) => ({ ...counter, amount: 0 })),
  'adds what it should raise': raising(({ raisesTo, ...counter }) => ({
    ...counter,
    amount: raisesTo,
  })),
  'raises by one': raising(({ raisesTo: _raisesTo, ...counter }) => counter),
  'raises whatever is exempt': raising(({ exemptBy: _exemptBy, ...counter }) => counter),
  'raises what is only read': raising(({ isOnlyRead: _isOnlyRead, ...counter }) => counter),
  'raises without a window': raising((counter) => ({ ...counter, windowSeconds: null })),
  'lowers a count': partWith('counters', (kept) => ({
    charge: async (counters) => {
      for (const { key, raisesTo } of counters)
        if (raisesTo !== undefined && raisesTo > 0) await kept.clear([key], { keepsLocked: true });
      return kept.charge(counters);
    },
  })),
  'reads a count, then raises it': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const reads = counters.map(({ raisesTo, amount, max, lock, ...counter }) =>
        raisesTo === undefined ? { ...counter, amount, max, lock } : { ...counter, amount: 0 },
      );
      const isRaise = counters.some(({ raisesTo }) => raisesTo !== undefined && raisesTo > 0);
      if (!isRaise || counters.length > 1) return kept.charge(counters);
      const { counts } = await kept.charge(reads.map((read) => ({ ...read, isOnlyRead: true })));
      const [raise] = counters;
      const missing = Math.max(0, (raise?.raisesTo ?? 0) - (counts[0]?.count ?? 0));
      return kept.charge(reads.map((read) => ({ ...read, amount: missing })));
    },
  })),
  'raises no counter that is locked': partWith('counters', (kept) => ({
    charge: async (counters) => {
      const reads = counters.map(({ raisesTo: _raisesTo, ...counter }) => counter);
      const isRaise = counters.some(({ raisesTo }) => raisesTo !== undefined);
      const read = isRaise
        ? await kept.charge(reads.map((one) => ({ ...one, amount: 0, isOnlyRead: true })))
        : undefined;
      const isLocked = read?.counts.some(({ lockedSeconds }) => lockedSeconds > 0) === true;
      return isLocked ? read : kept.charge(counters);
    },
  })),
  'unlocks nothing': partWith('counters', () => ({ unlock: () => Promise.resolve() })),
  'unlocks the first alone': partWith('counters', (kept) => ({
    unlock: (keys) => kept.unlock(keys.slice(0, 1)),
  })),
  'clears what it unlocks': partWith('counters', (kept) => ({
    unlock: (keys) => kept.clear(keys),
  })),
  'charges what it unlocks': partWith('counters', (kept) => ({
    unlock: async (keys) => {
      await kept.unlock(keys);
      await kept.charge(keys.map((key) => ({ key, windowSeconds: 600, amount: 1 })));
    },
  })),
};

function finishing(change: (store: SmsOtpStore) => Finish): Sabotage {
  const sabotage: Sabotage = (store) => ({ ...store, finish: change(store) });
  return Object.assign(sabotage, { part: 'finish' as const });
}

function changing(change: (options: FinishOptions) => FinishOptions): Sabotage {
  return finishing((store) => (pendingId, options) => store.finish(pendingId, change(options)));
}

function changingPuts(
  change: (put: FinishOptions['puts'][number]) => FinishOptions['puts'][number],
): Sabotage {
  return changing((options) => ({ ...options, puts: options.puts.map(change) }));
}

function chargingOnly(change: (charge: Counter) => Counter): Sabotage {
  return changing((options) => ({ ...options, charges: options.charges.map(change) }));
}

/** Reports other results than there are. */
function reporting(
  change: (results: readonly PutResult[]) => readonly PutResult[],
  changes: Partial<FinishOptions> = {},
): Sabotage {
  return finishing((store) => async (pendingId, options): Promise<FinishResult> => {
    const finished = await store.finish(pendingId, { ...options, ...changes });
    if (!finished.isFinished) return finished;
    const results = options.puts.map((_put, index) => finished.results[index] ?? PUT);
    return { ...finished, results: change(results) };
  });
}

const PUT: PutResult = { isPut: true, gone: [], replaced: null };

/** Pending logins that are wrong once a login has passed. */
function withLogins(
  change: (store: SmsOtpStore) => Partial<SmsOtpStore['pendingLogins']>,
): Sabotage {
  const sabotage: Sabotage = (store) => ({
    ...store,
    pendingLogins: { ...store.pendingLogins, ...change(store) },
  });
  return Object.assign(sabotage, { part: 'finish' as const });
}

function raising(change: (counter: Counter) => Counter): Sabotage {
  return partWith('counters', (kept) => ({
    charge: (counters) =>
      kept.charge(counters.map((one) => (one.raisesTo === undefined ? one : change(one)))),
  }));
}

/** Returns whether every record has the tag that its put requires. */
async function hasTags({ records }: SmsOtpStore, { puts }: FinishOptions): Promise<boolean> {
  for (const { kind, owner, record, ifTag } of puts) {
    if (ifTag === undefined) continue;
    if ((await records.find({ kind, owner, id: record.id }))?.tag !== ifTag) return false;
  }
  return true;
}
