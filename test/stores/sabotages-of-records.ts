import type { RecordPut, RecordsOf, StoredRecord } from '../../src/stores/store';
import { partWith, type Sabotage } from './sabotage';

/** Ways in which records may be kept wrong, each of which a fact must notice. */
export const sabotagesOfRecords: Record<string, Sabotage> = {
  'keeps any number of records': putting(({ most: _most, ...put }) => put),
  'puts whatever there is': putting(({ ifNone: _ifNone, ...put }) => put),
  'keeps records for ever': putting((put) => ({ ...put, ttlSeconds: null })),
  'ends records that have no end': putting((put) => ({
    ...put,
    ttlSeconds: put.ttlSeconds ?? 1,
  })),
  'knows one owner': putting((put) => ({ ...put, owner: 'all' })),
  'knows one kind': reading((of) => ({ ...of, kind: 'device' })),
  'loses the spaces of a record': putting((put) => ({
    ...put,
    record: { ...put.record, value: put.record.value.replaceAll(' ', '') },
  })),
  'cuts records': putting((put) => ({
    ...put,
    record: { ...put.record, value: put.record.value.slice(0, 1_000) },
  })),
  'names no record that goes': partWith('records', (kept) => ({
    put: async (put) => ({ ...(await kept.put(put)), gone: [] }),
  })),
  'lists records, then writes one': partWith('records', (kept) => ({
    put: async ({ most = 1_000, ...put }) => {
      const listed = await kept.list(put);
      const others = listed.filter(({ id }) => id !== put.record.id);
      const { isPut } = await kept.put(put);
      const gone = others.slice(0, Math.max(0, others.length + 1 - most)).map(({ id }) => id);
      if (isPut) for (const id of gone) await kept.remove({ ...put, id });
      return { isPut, gone: isPut ? gone : [] };
    },
  })),
  'looks for records, then writes the first': partWith('records', (kept) => ({
    put: async ({ ifNone, ...put }) => {
      const isFree = ifNone !== true || (await kept.list(put)).length === 0;
      return isFree ? kept.put(put) : { isPut: false, gone: [] };
    },
  })),
  'drops the record that it writes, when it is the lowest': partWith('records', (kept) => ({
    put: async (put) => {
      const listed = await kept.list(put);
      const isLowest = listed.every(({ rank }) => rank > put.record.rank);
      if (listed.length >= (put.most ?? 1_000) && isLowest)
        return { isPut: true, gone: [put.record.id] };
      return kept.put(put);
    },
  })),
  'keeps the first record of an id': partWith('records', (kept) => ({
    put: async (put) => {
      const former = await kept.find({ ...put, id: put.record.id });
      return former === null ? kept.put(put) : { isPut: put.ifNone !== true, gone: [] };
    },
  })),
  'keeps the first life of a record': partWith('records', (kept) => {
    const lives = new Map<string, number | null>();
    return {
      put: (put) => {
        const key = JSON.stringify([put.kind, put.owner, put.record.id]);
        const ttlSeconds = lives.get(key) ?? put.ttlSeconds;
        lives.set(key, ttlSeconds);
        return kept.put({ ...put, ttlSeconds });
      },
    };
  }),
  'keeps one fewer than the most': putting(({ most, ...put }) =>
    most === undefined ? put : { ...put, most: Math.max(1, most - 1) },
  ),
  'swaps whatever was seen': partWith('records', (kept) => ({
    swap: async (record, _seenTag, next, ttlSeconds) => {
      const found = await kept.find(record);
      return kept.swap(record, found?.tag ?? '', next, ttlSeconds);
    },
  })),
  'compares, then swaps': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      if ((await kept.find(record))?.tag !== seenTag) return false;
      const { kind, owner } = record;
      if (next.id !== record.id) await kept.remove(record);
      return (await kept.put({ kind, owner, record: next, ttlSeconds })).isPut;
    },
  })),
  'brings back what is gone': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      const { kind, owner } = record;
      if ((await kept.find(record)) !== null) return kept.swap(record, seenTag, next, ttlSeconds);
      return (await kept.put({ kind, owner, record: next, ttlSeconds })).isPut;
    },
  })),
  'leaves the record that is swapped for another id': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      const found = await kept.find(record);
      const isSwapped = await kept.swap(record, seenTag, next, ttlSeconds);
      if (isSwapped && found !== null && next.id !== record.id)
        await kept.put({ kind: record.kind, owner: record.owner, record: found, ttlSeconds });
      return isSwapped;
    },
  })),
  'swaps for no id that is taken': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      const { kind, owner } = record;
      const isTaken = next.id !== record.id && (await kept.find({ kind, owner, id: next.id }));
      return isTaken ? false : kept.swap(record, seenTag, next, ttlSeconds);
    },
  })),
  'swaps for ten minutes': swappingFor(600),
  'swaps and never ends': swappingFor(null),
  'keeps the rank of a record that is swapped': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      const rank = (await kept.find(record))?.rank ?? next.rank;
      return kept.swap(record, seenTag, { ...next, rank }, ttlSeconds);
    },
  })),
  'lists the highest rank first': listing((listed) => listed.toReversed()),
  'lists by id alone': listing((listed) =>
    listed.toSorted((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))),
  ),
  'compares ids as JavaScript does': listing((listed) =>
    listed.toSorted((one, other) => one.rank - other.rank || (one.id < other.id ? -1 : 1)),
  ),
  'lists nothing of those without an end': partWith('records', (kept) => {
    const endless = new Set<string>();
    return {
      put: (put) => {
        if (put.ttlSeconds === null) endless.add(put.record.id);
        return kept.put(put);
      },
      list: async (of) => (await kept.list(of)).filter(({ id }) => !endless.has(id)),
    };
  }),
  'removes no record': partWith('records', () => ({ remove: () => Promise.resolve(true) })),
  'lets every caller remove': partWith('records', (kept) => ({
    remove: async (record, seenTag) => {
      await kept.remove(record, seenTag);
      return true;
    },
  })),
  'looks for a record, then removes it': partWith('records', (kept) => ({
    remove: async (record, seenTag) => {
      const found = await kept.find(record);
      if (found === null || (seenTag !== undefined && found.tag !== seenTag)) return false;
      await kept.remove(record);
      return true;
    },
  })),
  'removes a record whatever its tag': partWith('records', (kept) => ({
    remove: (record) => kept.remove(record),
  })),
  'removes all, whatever is excepted': partWith('records', (kept) => ({
    removeAll: (of) => kept.removeAll(of),
  })),
  'removes all but the first': partWith('records', (kept) => ({
    removeAll: async (of, except) => kept.removeAll(of, except ?? (await kept.list(of))[0]?.id),
  })),
  'removes all without naming them': partWith('records', (kept) => ({
    removeAll: async (of, except) => {
      await kept.removeAll(of, except);
      return [];
    },
  })),
  'lists records, then removes all': partWith('records', (kept) => ({
    removeAll: async (of, except) => {
      const listed = await kept.list(of);
      await kept.removeAll(of, except);
      return listed.flatMap(({ id }) => (id === except ? [] : id));
    },
  })),
  'finds records of every owner': partWith('records', (kept) => {
    const owners = new Set<string>();
    return {
      put: (put) => {
        owners.add(put.owner);
        return kept.put(put);
      },
      find: async ({ kind, id }) => {
        const all = [...owners].map((owner) => kept.find({ kind, owner, id }));
        return (await Promise.all(all)).find((found) => found !== null) ?? null;
      },
    };
  }),
  'takes any record': partWith('records', (kept) => ({
    put: (put) =>
      kept
        .put(put)
        .catch(() => kept.put({ kind: 'x', owner: 'x', record: OTHER, ttlSeconds: null })),
  })),
};

const OTHER: StoredRecord = { id: 'x', tag: 'x', rank: 1, value: '{}' };

function putting(change: (put: RecordPut) => RecordPut): Sabotage {
  return partWith('records', (kept) => ({ put: (put) => kept.put(change(put)) }));
}

/** Reads and writes what another name stands for. */
function reading(change: <Of extends RecordsOf>(of: Of) => Of): Sabotage {
  return partWith('records', (kept) => ({
    put: (put) => kept.put(change(put)),
    find: (record) => kept.find(change(record)),
    swap: (record, ...values) => kept.swap(change(record), ...values),
    list: (of) => kept.list(change(of)),
    remove: (record, seenTag) => kept.remove(change(record), seenTag),
    removeAll: (of, except) => kept.removeAll(change(of), except),
  }));
}

function swappingFor(ttlSeconds: number | null): Sabotage {
  return partWith('records', (kept) => ({
    swap: (record, seenTag, next) => kept.swap(record, seenTag, next, ttlSeconds),
  }));
}

function listing(change: (listed: readonly StoredRecord[]) => readonly StoredRecord[]): Sabotage {
  return partWith('records', (kept) => ({ list: async (of) => change(await kept.list(of)) }));
}
