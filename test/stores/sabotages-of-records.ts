import type { RecordReference, StoredRecord } from '../../src/stores/store';
import { partWith, type Sabotage } from './sabotage';

const EVERYBODY = 'everybody';

/** Ways in which records may be kept wrong, each of which a check must notice. */
export const sabotagesOfRecords: Record<string, Sabotage> = {
  'keeps any number of records': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, most: undefined }),
  })),
  'keeps ten records where no ceiling is named': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, most: put.most ?? 10 }),
  })),
  'makes room for a record that takes its own place': partWith('records', (kept) => ({
    put: async (put) => {
      const { kind, owner, most = Infinity } = put;
      const present = await kept.list(put);
      const gone = present.slice(0, Math.max(0, present.length - most + 1)).map(({ id }) => id);
      for (const id of gone) await kept.remove({ kind, owner, id });
      return { ...(await kept.put(put)), gone };
    },
  })),
  'shows the tag of a record as its value': partWith('records', (kept) => ({
    find: async (record) => {
      const found = await kept.find(record);
      return found && { ...found, tag: found.value };
    },
  })),
  'names the record that it puts': partWith('records', (kept) => ({
    put: async (put) => {
      const { isPut, gone, replaced } = await kept.put(put);
      return { isPut, gone: isPut ? [...gone, put.record.id] : gone, replaced };
    },
  })),
  'names no record that it was written over': partWith('records', (kept) => ({
    put: async (put) => ({ ...(await kept.put(put)), replaced: null }),
  })),
  'names the record that it puts as the one that was there': partWith('records', (kept) => ({
    put: async (put) => {
      const result = await kept.put(put);
      return { ...result, replaced: result.replaced && put.record };
    },
  })),
  'looks for the record that is there, then puts one': partWith('records', (kept) => ({
    put: async (put) => {
      const replaced = await kept.find({ kind: put.kind, owner: put.owner, id: put.record.id });
      const result = await kept.put(put);
      return { ...result, replaced: result.isPut ? replaced : null };
    },
  })),
  'names no record that goes beyond the ceiling': partWith('records', (kept) => ({
    put: async (put) => ({ ...(await kept.put(put)), gone: [] }),
  })),
  'lists records, then puts one': partWith('records', (kept) => ({
    put: async (put) => {
      const { kind, owner, record, most = Infinity } = put;
      const others = (await kept.list(put)).filter(({ id }) => id !== record.id);
      const gone = others.slice(0, Math.max(0, others.length - most + 1)).map(({ id }) => id);
      const result = await kept.put({ ...put, most: undefined });
      for (const id of gone) await kept.remove({ kind, owner, id });
      return { ...result, gone };
    },
  })),
  'drops the record that it puts, when its rank is the lowest': partWith('records', (kept) => ({
    put: async (put) => {
      const others = await kept.list(put);
      const isLowest = others.every(({ rank }) => rank > put.record.rank);
      if (put.most !== undefined && others.length >= put.most && isLowest)
        return { isPut: true, gone: [put.record.id], replaced: null };
      return kept.put(put);
    },
  })),
  'pushes out ids by code units': partWith('records', (kept) => ({
    put: async (put) => {
      const { kind, owner, record, most = Infinity } = put;
      const others = (await kept.list(put))
        .filter(({ id }) => id !== record.id)
        .toSorted((one, other) => one.rank - other.rank || (one.id < other.id ? -1 : 1));
      const gone = others.slice(0, Math.max(0, others.length - most + 1)).map(({ id }) => id);
      for (const id of gone) await kept.remove({ kind, owner, id });
      return { ...(await kept.put(put)), gone };
    },
  })),
  'keeps the first of two records with one id': partWith('records', (kept) => ({
    put: async (put) => {
      const record = (await kept.find({ ...put, id: put.record.id })) ?? put.record;
      return kept.put({ ...put, record });
    },
  })),
  'never lengthens the life of a record that is put again': partWith('records', (kept) => ({
    put: async (put) => {
      const former = await kept.find({ ...put, id: put.record.id });
      if (former === null) return kept.put(put);
      await kept.swap({ ...put, id: former.id }, former.tag, put.record, 1);
      return { isPut: true, gone: [], replaced: null };
    },
  })),
  'keeps records forever': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, ttlSeconds: null }),
  })),
  'ends records that have no end': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, ttlSeconds: put.ttlSeconds ?? 1 }),
    swap: (record, seenTag, next, ttlSeconds) => kept.swap(record, seenTag, next, ttlSeconds ?? 1),
  })),
  'puts a first record whatever is there': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, ifNone: false }),
  })),
  'looks for records, then puts the first': partWith('records', (kept) => ({
    put: async (put) => {
      if (put.ifNone === true && (await kept.list(put)).length > 0)
        return { isPut: false, gone: [], replaced: null };
      return kept.put({ ...put, ifNone: false });
    },
  })),
  'takes any record for the first of its id': partWith('records', (kept) => ({
    put: async (put) => {
      const former = await kept.find({ ...put, id: put.record.id });
      if (put.ifNone === true && former !== null) return { isPut: false, gone: [], replaced: null };
      return kept.put({ ...put, ifNone: false });
    },
  })),
  'cuts values': partWith('records', (kept) => ({
    find: async (record) => cut(await kept.find(record)),
  })),
  'reads values': partWith('records', (kept) => ({
    find: async (record) => {
      const found = await kept.find(record);
      return found && { ...found, value: JSON.stringify(JSON.parse(found.value)) };
    },
  })),
  'rounds ranks': partWith('records', (kept) => ({
    put: (put) => {
      const rank = Math.round(put.record.rank);
      return kept.put({ ...put, record: { ...put.record, rank } });
    },
  })),
  'swaps a record whatever its tag is': partWith('records', (kept) => ({
    swap: async (record, _seenTag, next, ttlSeconds) =>
      kept.swap(record, (await kept.find(record))?.tag ?? '', next, ttlSeconds),
  })),
  'finds a record, then swaps it': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      if ((await kept.find(record))?.tag !== seenTag) return false;
      await kept.remove(record);
      await kept.put({ ...record, record: next, ttlSeconds });
      return true;
    },
  })),
  'keeps the record that is swapped for another id': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      if (next.id === record.id) return kept.swap(record, seenTag, next, ttlSeconds);
      if ((await kept.find(record))?.tag !== seenTag) return false;
      return (await kept.put({ ...record, record: next, ttlSeconds })).isPut;
    },
  })),
  'swaps no record for the id of another one': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      const isTaken = (await kept.find({ ...record, id: next.id })) !== null;
      if (isTaken && next.id !== record.id) return false;
      return kept.swap(record, seenTag, next, ttlSeconds);
    },
  })),
  'removes the record whose id another one could not take': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      const isSwapped = await kept.swap(record, seenTag, next, ttlSeconds);
      if (!isSwapped && next.id !== record.id) await kept.remove({ ...record, id: next.id });
      return isSwapped;
    },
  })),
  'revives a record that is swapped': partWith('records', (kept) => ({
    swap: async (record, seenTag, next, ttlSeconds) => {
      if ((await kept.find(record)) !== null) return kept.swap(record, seenTag, next, ttlSeconds);
      return (await kept.put({ ...record, record: next, ttlSeconds })).isPut;
    },
  })),
  'gives every record that is swapped ten minutes': partWith('records', (kept) => ({
    swap: (record, seenTag, next) => kept.swap(record, seenTag, next, 600),
  })),
  'removes no record': partWith('records', (kept) => ({
    remove: async (record) => (await kept.find(record)) !== null,
  })),
  'finds a record, then removes it': partWith('records', (kept) => ({
    remove: async (record, seenTag) => {
      const found = await kept.find(record);
      const isMeant = found !== null && found.tag === (seenTag ?? found.tag);
      if (isMeant) await kept.remove(record);
      return isMeant;
    },
  })),
  'removes a record whatever its tag is': partWith('records', (kept) => ({
    remove: (record) => kept.remove(record),
  })),
  'removes all records without an exception': partWith('records', (kept) => ({
    removeAll: (records) => kept.removeAll(records),
  })),
  'removes all records without naming them': partWith('records', (kept) => ({
    removeAll: async (records, except) => {
      await kept.removeAll(records, except);
      return [];
    },
  })),
  'names all records, and removes all but one': partWith('records', (kept) => ({
    removeAll: async (records, except) => {
      const ids = (await kept.list(records)).map(({ id }) => id).filter((id) => id !== except);
      for (const id of ids.slice(1)) await kept.remove({ ...records, id });
      return ids;
    },
  })),
  'lists records, then removes them': partWith('records', (kept) => ({
    removeAll: async (records, except) => {
      const ids = (await kept.list(records)).map(({ id }) => id).filter((id) => id !== except);
      for (const id of ids) await kept.remove({ ...records, id });
      return ids;
    },
  })),
  'lists the highest rank first': partWith('records', (kept) => ({
    list: async (records) => (await kept.list(records)).toReversed(),
  })),
  'sorts ids by code units': partWith('records', (kept) => ({
    list: async (records) =>
      (await kept.list(records)).toSorted(
        (one, other) => one.rank - other.rank || (one.id < other.id ? -1 : 1),
      ),
  })),
  'gives records to everybody': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, owner: EVERYBODY }),
    find: (record) => kept.find({ ...record, owner: EVERYBODY }),
    list: (records) => kept.list({ ...records, owner: EVERYBODY }),
  })),
  'has one kind of record': partWith('records', (kept) => ({
    put: (put) => kept.put({ ...put, kind: put.kind && 'all' }),
    find: (record) => kept.find({ ...record, kind: 'all' }),
    swap: (record, ...change) => kept.swap({ ...record, kind: 'all' }, ...change),
    list: (records) => kept.list({ ...records, kind: 'all' }),
    remove: (record, seenTag) => kept.remove({ ...record, kind: 'all' }, seenTag),
    removeAll: (records, except) => kept.removeAll({ ...records, kind: 'all' }, except),
  })),
  'takes an owner and an id for one text': partWith('records', (kept) => ({
    find: async (record) => {
      const found = await kept.find(record);
      return found ?? findJoined(record, await kept.list({ ...record, owner: EVERYBODY }));
    },
    put: async (put) => {
      const joined = { ...put.record, id: `${put.owner}:${put.record.id}` };
      await kept.put({ ...put, owner: EVERYBODY, record: joined, most: undefined });
      return kept.put(put);
    },
  })),
  'keeps no id with a quote': partWith('records', (kept) => ({
    find: (record) => (record.id.includes("'") ? Promise.resolve(null) : kept.find(record)),
  })),
};

function cut(found: StoredRecord | null): StoredRecord | null {
  return found && { ...found, value: found.value.slice(0, 1_000) };
}

function findJoined(
  { owner, id }: RecordReference,
  joined: readonly StoredRecord[],
): StoredRecord | null {
  const found = joined.find((one) => one.id === `${owner}:${id}`);
  return found === undefined ? null : { ...found, id };
}
