import { entryError, requireStrings, requireWholeNumber } from '../check-values';
import type { PutResult, RecordPut, RecordsOf, RecordStore, StoredRecord } from '../store';
import { defineScript, milliseconds, NOW, type RunScript } from './redis-client';

/**
 * The records of an owner and kind are one hash. Under each id is an entry,
 * `1:ends:rank:length:tag-and-value`: the version, the expiry in milliseconds since 1970 by Redis'
 * clock (0: none), the rank, and the length of the tag in UTF-16 units. The key expires with the
 * record that expires last, and never while a record without expiry exists.
 */
const READING = `
-- The end of an entry's life, 0 for none; nil for an unknown entry.
local function end_of(entry) return tonumber(string.match(entry, '^1:(%d+):')) end

local function is_over(entry)
  local ends = end_of(entry)
  return ends ~= nil and ends > 0 and ends <= now
end

local function parse(id, entry)
  local rank, rest = string.match(entry, '^1:%d+:([-+.e%d]+):(%d+:.*)$')
  rank = tonumber(rank)
  if not rank then refuse_record(string.match(entry, '^(%d+):'), '1') end
  return { id = id, entry = entry, rank = rank, rest = rest }
end

local function has_tag(entry, length_and_tag)
  return string.sub(parse(nil, entry).rest, 1, #length_and_tag) == length_and_tag
end

-- In bytes. The operators compare strings by the server's locale.
local function is_before(one, other)
  for i = 1, math.min(#one, #other) do
    local left, right = string.byte(one, i), string.byte(other, i)
    if left ~= right then return left < right end
  end
  return #one < #other
end

local function is_lower(one, other)
  if one.rank == other.rank then return is_before(one.id, other.id) end
  return one.rank < other.rank
end`;

/** Lua: makes a key expire with the entry that expires last. */
const COVERING = `
-- The end of the entry that ends last; 0 when one has none.
local function last_end(entries)
  local last = 1
  for _, entry in pairs(entries) do
    local ends = end_of(entry) or 0
    if ends == 0 then return 0 end
    last = math.max(last, ends)
  end
  return last
end

local function cover(key, entries)
  local last = last_end(entries)
  if last == 0 then return redis.call('PERSIST', key) end
  redis.call('PEXPIREAT', key, string.format('%.0f', last))
end

local function read_entries(key)
  local entries, found = {}, redis.call('HGETALL', key)
  for i = 1, #found, 2 do entries[found[i]] = found[i + 1] end
  return entries
end`;

/**
 * Lua: puts in three steps, so that nothing is written before all puts are known, and nothing is
 * deleted before all are written. An owner's records are `key`, the future `live` entries by id,
 * and the `changes`: an entry to write, or false for one to delete.
 */
export const PUTTING = `
${READING}
${COVERING}
local function read_records(key)
  local records = { key = key, live = {}, changes = {} }
  for id, entry in pairs(read_entries(key)) do
    if is_over(entry) then records.changes[id] = false else records.live[id] = entry end
  end
  return records
end

local function change(records, id, entry)
  records.live[id], records.changes[id] = entry or nil, entry
end

-- Returns the entry that is written over or false, and then the ids that go beyond the ceiling;
-- false alone where no record may be, and is.
local function plan_put(records, id, life, most, if_none, rest)
  local others, answer = {}, { records.live[id] or false }
  for other, entry in pairs(records.live) do
    -- One that is replaced may hold anything.
    if other ~= id or if_none then table.insert(others, parse(other, entry)) end
  end
  if if_none and #others > 0 then return false end
  if #others >= most then table.sort(others, is_lower) end
  for i = 1, #others - most + 1 do
    change(records, others[i].id, false)
    table.insert(answer, others[i].id)
  end
  change(records, id, string.format('1:%.0f:', life > 0 and now + life or 0) .. rest)
  return answer
end

local function write_records(records)
  for id, entry in pairs(records.changes) do
    if entry then redis.call('HSET', records.key, id, entry) end
  end
end

local function delete_records(records)
  for id, entry in pairs(records.changes) do
    if not entry then redis.call('HDEL', records.key, id) end
  end
  cover(records.key, records.live)
end`;

/**
 * KEYS: records. ARGV: JSON of what `toPutValues` returns. Returns what `plan_put` returns, nil if
 * nothing was put.
 */
const PUT = defineScript(`
${NOW}
${PUTTING}
local records = read_records(KEYS[1])
local answer = plan_put(records, unpack(cjson.decode(ARGV[1])))
if not answer then return false end
write_records(records)
delete_records(records)
return answer`);

/** KEYS: records. ARGV: id. Returns the entry, or nil. */
const FIND = defineScript(`
${NOW}
${READING}
local entry = redis.call('HGET', KEYS[1], ARGV[1])
return entry and not is_over(entry) and entry`);

/**
 * KEYS: records. ARGV: id, the length and the tag seen, the next id, milliseconds to live (0: no
 * end), the rest of the next entry. Returns 1 if it was written.
 */
const SWAP = defineScript(`
${NOW}
${READING}
${COVERING}
local key, id, seen, next_id, life = KEYS[1], ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local entry = redis.call('HGET', key, id)
if not entry or is_over(entry) or not has_tag(entry, seen) then return 0 end
local left, ends = redis.call('PTTL', key), life > 0 and now + life or 0
redis.call('HSET', key, next_id, string.format('1:%.0f:', ends) .. ARGV[5])
if next_id ~= id then redis.call('HDEL', key, id) end
if life > 0 and left >= 0 then redis.call('PEXPIRE', key, math.max(life, left))
else cover(key, read_entries(key)) end
return 1`);

/** KEYS: records. Returns ids and entries in turn, the lowest rank first. */
const LIST = defineScript(`
${NOW}
${READING}
local live, found, answer = {}, redis.call('HGETALL', KEYS[1]), {}
for i = 1, #found, 2 do
  if not is_over(found[i + 1]) then table.insert(live, parse(found[i], found[i + 1])) end
end
table.sort(live, is_lower)
for _, one in ipairs(live) do
  table.insert(answer, one.id)
  table.insert(answer, one.entry)
end
return answer`);

/**
 * KEYS: records. ARGV: id, and the length and the tag seen if one is given. Returns 1 if it was
 * active. Without a tag the content of the entry does not matter.
 */
const REMOVE = defineScript(`
${NOW}
${READING}
${COVERING}
local entry = redis.call('HGET', KEYS[1], ARGV[1])
if not entry or (ARGV[2] and not has_tag(entry, ARGV[2])) then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
-- It may have been the only one without an end.
if redis.call('PTTL', KEYS[1]) == -1 then cover(KEYS[1], read_entries(KEYS[1])) end
return is_over(entry) and 0 or 1`);

/**
 * KEYS: records. ARGV: the id to keep, or nothing. Returns the ids of those that were active,
 * whatever they contain.
 */
const REMOVE_ALL = defineScript(`
${NOW}
${READING}
${COVERING}
local gone, kept = {}, {}
for id, entry in pairs(read_entries(KEYS[1])) do
  if id == ARGV[1] then kept[id] = entry
  else
    if not is_over(entry) then table.insert(gone, id) end
    redis.call('HDEL', KEYS[1], id)
  end
end
cover(KEYS[1], kept)
return gone`);

export function redisRecords(run: RunScript): RecordStore {
  return {
    put: async (put) => {
      const plan = JSON.stringify(toPutValues(put));
      const reply = await run('records.put', PUT, [recordsKey(put)], [plan]);
      return toPutResult('records.put', put, reply);
    },
    find: async (record) => {
      const entry = await run('records.find', FIND, [recordsKey(record)], [record.id]);
      return entry === null ? null : toRecord(record.id, entry);
    },
    swap: async (record, seenTag, next, ttlSeconds) => {
      const values = [record.id, toTag(seenTag), next.id, toLife(ttlSeconds), toRest(next)];
      const swapped = await run('records.swap', SWAP, [recordsKey(record)], values);
      return requireWholeNumber('records.swap', swapped) === 1;
    },
    list: async (records) => {
      const reply = await run('records.list', LIST, [recordsKey(records)]);
      const found = requireStrings('records.list', reply);
      const ids = found.filter((_, index) => index % 2 === 0);
      return ids.map((id, index) => toRecord(id, found[2 * index + 1]));
    },
    remove: async (record, seenTag) => {
      const values = [record.id, ...(seenTag === undefined ? [] : [toTag(seenTag)])];
      const removed = await run('records.remove', REMOVE, [recordsKey(record)], values);
      return requireWholeNumber('records.remove', removed) === 1;
    },
    removeAll: async (records, except) => {
      const values = except === undefined ? [] : [except];
      const gone = await run('records.removeAll', REMOVE_ALL, [recordsKey(records)], values);
      return requireStrings('records.removeAll', gone);
    },
  };
}

/**
 * Returns the key of records. A kind contains no colon, so two owners or two kinds never share a
 * key.
 */
export const recordsKey = (records: RecordsOf): string =>
  `records:${records.kind}:${records.owner}`;

/** Returns the arguments of `plan_put` in their order. */
export function toPutValues(put: RecordPut): readonly unknown[] {
  const ceiling = put.most ?? Number.MAX_SAFE_INTEGER;
  const { record } = put;
  return [record.id, toLife(put.ttlSeconds), ceiling, put.ifNone === true, toRest(record)];
}

/** @throws {StoreError} `ERR_STORE` unless the reply is null or a result of `plan_put`. */
export function toPutResult(operation: string, put: RecordPut, reply: unknown): PutResult {
  if (reply === null) return { isPut: false, gone: [], replaced: null };

  const [entry, ...gone] = Array.isArray(reply) ? (reply as unknown[]) : [undefined, null];
  const replaced = entry === null ? null : readRecord(put.record.id, entry);
  return { isPut: true, gone: requireStrings(operation, gone), replaced };
}

/** Returns milliseconds. 0: no end. */
function toLife(ttlSeconds: number | null): number {
  return ttlSeconds === null ? 0 : milliseconds(ttlSeconds);
}

/** Returns the tag with its length, so that no tag is the beginning of another one. */
export const toTag = (tag: string): string => `${tag.length}:${tag}`;

/** Returns an entry from the rank on. Scripts put the beginning before it. */
const toRest = (record: StoredRecord): string =>
  `${record.rank}:${toTag(record.tag)}${record.value}`;

/** @throws {StoreError} `ERR_STORE` if this release has not written the entry. */
function toRecord(id: string, entry: unknown): StoredRecord {
  const record = readRecord(id, entry);
  if (record === null) throw entryError('records', entry);
  return record;
}

/** Returns null for an entry that this release has not written. */
export function readRecord(id: string, entry: unknown): StoredRecord | null {
  const form = /^1:\d+:(?<rank>[-+.e\d]+):(?<length>\d{1,9}):(?<rest>.*)$/s;
  const parts = typeof entry === 'string' ? form.exec(entry) : null;
  const { rank, length, rest } = parts?.groups ?? {};
  const tagLength = Number(length);
  if (rest === undefined || !Number.isFinite(Number(rank)) || tagLength > rest.length) return null;

  return { id, tag: rest.slice(0, tagLength), rank: Number(rank), value: rest.slice(tagLength) };
}
