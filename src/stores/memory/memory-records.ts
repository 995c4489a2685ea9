import { StoreError } from '../../errors';
import type {
  FinishOptions,
  FinishResult,
  PutResult,
  RecordPut,
  RecordReference,
  RecordsOf,
  RecordStore,
  StoredRecord,
} from '../store';
import { joinParts, Room, toPromise } from './expiring-map';

/**
 * How many more logins than records of another kind the store holds, because a user has several.
 */
const LOGIN_SHARE = 10;

const NOT_PUT: PutResult = { isPut: false, gone: [], replaced: null };

/** Records, with the call that `finish` needs. */
export interface MemoryRecords {
  readonly store: RecordStore;
  /**
   * Makes room for all changes and returns a function that makes them. Null if the record to
   * replace does not exist, or a record has another tag than a put requires.
   * @throws {StoreError} `ERR_STORE` if active records fill the store. Then nothing has changed.
   */
  prepare(
    change: Pick<FinishOptions, 'puts' | 'replaces'>,
    nowMs: number,
  ): (() => Pick<Finished, 'results' | 'replaced'>) | null;
}

type Finished = Extract<FinishResult, { readonly isFinished: true }>;

export function memoryRecords(maxEntries: number, now: () => number): MemoryRecords {
  const kinds = new Map<string, RecordsOfKind>();

  function ofKind(kind: string): RecordsOfKind {
    const found = kinds.get(kind);
    if (found !== undefined) return found;

    const created = new RecordsOfKind(maxEntries * (kind === 'login' ? LOGIN_SHARE : 1));
    kinds.set(kind, created);
    return created;
  }

  function list(records: RecordsOf): readonly KeptRecord[] {
    return kinds.get(records.kind)?.list(records.owner, now()) ?? [];
  }

  function find(record: RecordReference): KeptRecord | undefined {
    return list(record).find(({ id }) => id === record.id);
  }

  /** Returns whether the record that a put replaces has the tag that the put requires. */
  function hasTag({ kind, owner, record, ifTag }: RecordPut): boolean {
    return ifTag === undefined || find({ kind, owner, id: record.id })?.tag === ifTag;
  }

  function put(asked: RecordPut): PutResult {
    const nowMs = now();
    const plan = planPut(asked, ofKind(asked.kind).list(asked.owner, nowMs), nowMs);
    const [fitting = plan] = fit(ofKind, [plan], [], nowMs);
    save([fitting]);
    return fitting.result;
  }

  function swap(
    record: RecordReference,
    seenTag: string,
    next: StoredRecord,
    ttlSeconds: number | null,
  ): boolean {
    if (find(record)?.tag !== seenTag) return false;

    const others = list(record).filter(({ id }) => id !== record.id && id !== next.id);
    ofKind(record.kind).save(record.owner, sort([...others, keep(next, ttlSeconds, now())]));
    return true;
  }

  function removeAll(records: RecordsOf, except?: string): readonly string[] {
    const found = list(records);
    const staying = found.filter(({ id }) => id === except);
    ofKind(records.kind).save(records.owner, staying);
    return found.flatMap(({ id }) => (id === except ? [] : id));
  }

  function remove(record: RecordReference, seenTag: string | undefined): boolean {
    const found = find(record);
    if (found === undefined) return false;
    if (seenTag !== undefined && found.tag !== seenTag) return false;

    ofKind(record.kind).save(record.owner, without(list(record), record.id));
    return true;
  }

  function prepare(
    change: Pick<FinishOptions, 'puts' | 'replaces'>,
    nowMs: number,
  ): (() => Pick<Finished, 'results' | 'replaced'>) | null {
    const { puts, replaces } = change;
    const replaced = replaces && find(replaces);
    if (replaces !== undefined && replaced === undefined) return null;
    if (!puts.every(hasTag)) return null;

    const isReplacedBy = (put: RecordPut): boolean =>
      put.kind === replaces?.kind && put.owner === replaces.owner;
    const plans = puts.map((asked) => {
      const found = ofKind(asked.kind).list(asked.owner, nowMs);
      return planPut(asked, isReplacedBy(asked) ? without(found, replaces?.id) : found, nowMs);
    });
    const others: readonly RecordChange[] =
      replaces === undefined || puts.some(isReplacedBy)
        ? []
        : [{ ...replaces, next: without(list(replaces), replaces.id) }];

    const fitting = fit(ofKind, plans, others, nowMs);
    return () => {
      save([...fitting, ...others]);
      const results = fitting.map(({ result }) => result);
      return { results, replaced: toRecord(replaced) };
    };
  }

  function save(changes: readonly RecordChange[]): void {
    for (const { kind, owner, next } of changes) ofKind(kind).save(owner, next);
  }

  return {
    prepare,
    store: {
      put: (asked) => toPromise(() => put(asked)),
      find: (record) => toPromise(() => toRecord(find(record))),
      swap: (record, seenTag, next, ttlSeconds) =>
        toPromise(() => swap(record, seenTag, next, ttlSeconds)),
      list: (records) => toPromise(() => list(records).flatMap((kept) => toRecord(kept) ?? [])),
      remove: (record, seenTag) => toPromise(() => remove(record, seenTag)),
      removeAll: (records, except) => toPromise(() => removeAll(records, except)),
    },
  };
}

/** Holds at most `most` records of one kind, each until its deadline. */
class RecordsOfKind {
  /** The records of each owner, sorted. An owner has few, so they are searched linearly. */
  readonly #owners = new Map<string, OwnerRecords>();
  readonly #room: Room<OwnerRecords>;
  #count = 0;

  constructor(most: number) {
    this.#room = new Room(
      most,
      this.#owners,
      () => this.#count,
      ({ owner }, nowMs) => void this.list(owner, nowMs),
    );
  }

  /** Returns the owner's active records and removes the expired ones. */
  list(owner: string, nowMs: number): readonly KeptRecord[] {
    const records = this.#owners.get(owner)?.records ?? [];
    if (records.every(({ deadlineMs }) => deadlineMs > nowMs)) return records;

    const live = records.filter(({ deadlineMs }) => deadlineMs > nowMs);
    this.save(owner, live);
    return live;
  }

  /** Returns by how many records the store would grow. */
  growthBy(owner: string, next: readonly KeptRecord[]): number {
    return next.length - (this.#owners.get(owner)?.records.length ?? 0);
  }

  hasRoom(newRecords: number, nowMs: number): boolean {
    return this.#room.tryToMake(newRecords, nowMs);
  }

  /** Replaces the owner's records. Check `hasRoom` first. */
  save(owner: string, next: readonly KeptRecord[]): void {
    this.#count += this.growthBy(owner, next);
    const found = this.#owners.get(owner);
    if (next.length === 0) this.#owners.delete(owner);
    else if (found === undefined) this.#add(owner, next);
    else found.records = next;
  }

  #add(owner: string, records: readonly KeptRecord[]): void {
    joinParts(owner);
    this.#owners.set(owner, { owner, records });
  }
}

interface OwnerRecords {
  readonly owner: string;
  records: readonly KeptRecord[];
}

interface KeptRecord extends StoredRecord {
  /** Infinity: kept until it is removed. */
  readonly deadlineMs: number;
}

/** The records of an owner after a change. */
interface RecordChange extends RecordsOf {
  readonly next: readonly KeptRecord[];
}

/** The effect of a put on the present records. */
interface Plan extends RecordChange {
  readonly present: readonly KeptRecord[];
  readonly result: PutResult;
  readonly isOptional: boolean;
}

type FindKind = (kind: string) => RecordsOfKind;

/**
 * Leaves out optional puts if there is no room for them besides everything that must be written.
 * @throws {StoreError} `ERR_STORE` if there is no room for that either.
 */
function fit(
  ofKind: FindKind,
  plans: readonly Plan[],
  others: readonly RecordChange[],
  nowMs: number,
): readonly Plan[] {
  let fitting = plans.map((plan) => (plan.isOptional ? leaveOut(plan) : plan));
  if (!hasRoom(ofKind, [...fitting, ...others], nowMs))
    throw new StoreError('memoryStore: it is full');

  for (const [index, plan] of plans.entries()) {
    const more = fitting.with(index, plan);
    if (hasRoom(ofKind, [...more, ...others], nowMs)) fitting = more;
  }
  return fitting;
}

/**
 * Returns whether there is room for all changes of a kind together: a removed record makes room for
 * a new one.
 */
function hasRoom(ofKind: FindKind, changes: readonly RecordChange[], nowMs: number): boolean {
  const growths = new Map<RecordsOfKind, number>();
  for (const { kind, owner, next } of changes) {
    const records = ofKind(kind);
    growths.set(records, (growths.get(records) ?? 0) + records.growthBy(owner, next));
  }
  return [...growths].every(([records, growth]) => records.hasRoom(growth, nowMs));
}

function leaveOut(plan: Plan): Plan {
  return { ...plan, next: plan.present, result: NOT_PUT };
}

/** Returns the effect of a put on the active records of its owner. */
function planPut(asked: RecordPut, present: readonly KeptRecord[], nowMs: number): Plan {
  const { kind, owner, record, ttlSeconds, most = Infinity, ifNone, isOptional = false } = asked;
  const none = { kind, owner, present, isOptional, next: present, result: NOT_PUT };
  if (ifNone === true && present.length > 0) return none;

  const others = without(present, record.id);
  // The new record stays, so there is room for one fewer of the others.
  const leaving = Math.max(0, others.length - most + 1);
  const next = sort([...others.slice(leaving), keep(record, ttlSeconds, nowMs)]);
  const gone = others.slice(0, leaving).map(({ id }) => id);
  const replaced = toRecord(present.find(({ id }) => id === record.id));
  return { ...none, next, result: { isPut: true, gone, replaced } };
}

function without(records: readonly KeptRecord[], left: string | undefined): readonly KeptRecord[] {
  return records.filter(({ id }) => id !== left);
}

/** Sorts by rank, then by the bytes of the id, so that every store returns the same order. */
function sort(records: readonly KeptRecord[]): readonly KeptRecord[] {
  return records.toSorted(
    (one, other) =>
      one.rank - other.rank || Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)),
  );
}

function keep(record: StoredRecord, ttlSeconds: number | null, nowMs: number): KeptRecord {
  const { id, tag, rank, value } = record;
  joinParts(id, tag, value);
  const deadlineMs = ttlSeconds === null ? Infinity : nowMs + ttlSeconds * 1000;
  return { id, tag, rank, value, deadlineMs };
}

function toRecord(kept: KeptRecord | undefined): StoredRecord | null {
  if (kept === undefined) return null;
  const { id, tag, rank, value } = kept;
  return { id, tag, rank, value };
}
