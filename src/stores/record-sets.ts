import type { z } from 'zod';
import { StoreError } from '../errors';
import { jsonRecordError, parseJson, RECOVERY_CODES_ID } from './check-values';
import {
  browserSchema,
  challengeSchema,
  deviceSchema,
  type KnownBrowser,
  type Login,
  loginSchema,
  type Note,
  noteSchema,
  type OpenChallenge,
  type RecoveryCodeSet,
  recoveryCodesSchema,
  type TextedCode,
  textedCodeSchema,
  type TrustedDevice,
} from './record-schemas';
import type {
  NoteStore,
  PutResult,
  RecordPut,
  RecordReference,
  RecordStore,
  StoredRecord,
} from './store';

// This module loads zod. `guarded-store.ts` requires it when a store is wrapped.

/** How many records of a kind an owner may have, and what the write requires. */
export type PutOptions = Pick<RecordPut, 'most' | 'ifNone' | 'ifTag' | 'isOptional'>;

/**
 * The records of one kind, parsed. A record has expired when its own end has passed by our clock. A
 * record that this release has not written for that owner is a `StoreError`.
 */
export interface RecordSet<Value> {
  readonly toPut: (value: Value, options?: PutOptions) => RecordPut;
  readonly toReference: (value: Value) => RecordReference;
  readonly put: (value: Value, options?: PutOptions) => Promise<PutResult>;
  readonly find: (owner: string, id: string) => Promise<Value | null>;
  /** Writes `next` if the store still has `seen` unchanged. */
  readonly swap: (seen: Value, next: Value) => Promise<boolean>;
  /** Returns the owner's records, the lowest rank first. */
  readonly list: (owner: string) => Promise<readonly Value[]>;
  readonly remove: (owner: string, id: string) => Promise<boolean>;
  /** Removes a record if the store still has it unchanged. Returns true for exactly one caller. */
  readonly take: (seen: Value) => Promise<boolean>;
  readonly removeAll: (owner: string, except?: string) => Promise<readonly string[]>;
  /**
   * Undoes a put: removes the record, or restores the one that it replaced if that has not expired.
   * Returns false, and does nothing, if another request has written or removed the record since.
   */
  readonly undo: (written: Value, replaced: StoredRecord | null) => Promise<boolean>;
}

/** Describes one kind of records to the store. */
interface RecordKind<Value> {
  readonly kind: string;
  readonly schema: z.ZodType<Value>;
  readonly ownerOf: (value: Value) => string;
  readonly idOf: (value: Value) => string;
  readonly tagOf: (value: Value) => string;
  readonly rankOf: (value: Value) => number;
  /** Returns the end in milliseconds since 1970. Null: no end. */
  readonly endOf: (value: Value) => number | null;
}

const DEVICE: RecordKind<TrustedDevice> = {
  kind: 'device',
  schema: deviceSchema,
  ownerOf: ({ userId }) => userId,
  idOf: ({ deviceId }) => deviceId,
  tagOf: ({ tokenHash }) => tokenHash,
  rankOf: ({ createdAt }) => createdAt,
  endOf: ({ expiresAt }) => expiresAt,
};

const BROWSER: RecordKind<KnownBrowser> = {
  kind: 'browser',
  schema: browserSchema,
  ownerOf: ({ userId }) => userId,
  idOf: ({ browserId }) => browserId,
  tagOf: ({ knownAt }) => String(knownAt),
  rankOf: ({ knownAt }) => knownAt,
  endOf: ({ expiresAt }) => expiresAt,
};

const LOGIN: RecordKind<Login> = {
  kind: 'login',
  schema: loginSchema,
  ownerOf: ({ userId }) => userId,
  idOf: ({ loginId }) => loginId,
  tagOf: ({ lastSeenAt }) => String(lastSeenAt),
  // Beyond the ceiling, remove logins without a second factor first, then the one that was seen
  // longest ago.
  rankOf: ({ method, lastSeenAt }) => (method === null ? lastSeenAt - 8.64e15 : lastSeenAt),
  endOf: ({ expiresAt }) => expiresAt,
};

const RECOVERY_CODES: RecordKind<RecoveryCodeSet> = {
  kind: 'recovery-codes',
  schema: recoveryCodesSchema,
  ownerOf: ({ userId }) => userId,
  idOf: () => RECOVERY_CODES_ID,
  tagOf: ({ tag }) => tag,
  rankOf: () => 0,
  endOf: () => null,
};

/** A pending login has at most one open challenge per factor. */
const CHALLENGE: RecordKind<OpenChallenge> = {
  kind: 'challenge',
  schema: challengeSchema,
  ownerOf: ({ pendingId }) => pendingId,
  idOf: ({ factor }) => factor,
  tagOf: ({ challenge }) => challenge,
  rankOf: () => 0,
  endOf: ({ expiresAt }) => expiresAt,
};

const NOTE_ID = 'note';

const NOTE: RecordKind<Note> = {
  kind: 'note',
  schema: noteSchema,
  ownerOf: ({ key }) => key,
  idOf: () => NOTE_ID,
  // The tag does not matter, because notes are never swapped.
  tagOf: () => NOTE_ID,
  rankOf: () => 0,
  endOf: ({ expiresAt }) => expiresAt,
};

/** The record id of the one code of an OTP. */
export const TEXTED_CODE_ID = 'code';

const TEXTED_CODE: RecordKind<TextedCode> = {
  kind: 'texted-code',
  schema: textedCodeSchema,
  ownerOf: ({ otpId }) => otpId,
  idOf: () => TEXTED_CODE_ID,
  tagOf: ({ comparisons }) => String(comparisons),
  rankOf: () => 0,
  endOf: ({ expiresAt }) => expiresAt,
};

/** All kinds of records that this package keeps. */
export interface RecordSets {
  readonly devices: RecordSet<TrustedDevice>;
  readonly browsers: RecordSet<KnownBrowser>;
  readonly logins: RecordSet<Login>;
  readonly recoveryCodes: RecordSet<RecoveryCodeSet>;
  readonly challenges: RecordSet<OpenChallenge>;
  readonly textedCodes: RecordSet<TextedCode>;
  readonly notes: NoteStore;
}

/** @param now Milliseconds since 1970. */
export function createRecordSets(records: RecordStore, now: () => number): RecordSets {
  const notes = createRecordSet(records, NOTE, now);

  return {
    devices: createRecordSet(records, DEVICE, now),
    browsers: createRecordSet(records, BROWSER, now),
    logins: createRecordSet(records, LOGIN, now),
    recoveryCodes: createRecordSet(records, RECOVERY_CODES, now),
    challenges: createRecordSet(records, CHALLENGE, now),
    textedCodes: createRecordSet(records, TEXTED_CODE, now),
    notes: {
      read: async (key) => (await notes.find(key, NOTE_ID))?.text ?? null,
      async write(key, text, ttlSeconds) {
        await notes.put({ version: 1, key, text, expiresAt: now() + ttlSeconds * 1000 });
      },
      async remove(key) {
        await notes.remove(key, NOTE_ID);
      },
    },
  };
}

function createRecordSet<Value>(
  records: RecordStore,
  type: RecordKind<Value>,
  now: () => number,
): RecordSet<Value> {
  const { kind, schema, ownerOf, idOf, tagOf, rankOf, endOf } = type;

  return {
    toPut,
    toReference,
    put: async (value, options) => records.put(toPut(value, options)),
    async find(owner, id) {
      const found = await records.find({ kind, owner, id });
      return found === null ? null : readActive(owner, found);
    },
    async swap(seen, next) {
      return records.swap(toReference(seen), tagOf(seen), toRecord(next), toTtl(next));
    },
    async list(owner) {
      const found = await records.list({ kind, owner });
      return found.flatMap((record) => readActive(owner, record) ?? []);
    },
    remove: async (owner, id) => records.remove({ kind, owner, id }),
    take: async (seen) => records.remove(toReference(seen), tagOf(seen)),
    removeAll: async (owner, except) => records.removeAll({ kind, owner }, except),
    async undo(written, replaced) {
      const before = replaced && readActive(ownerOf(written), replaced);
      if (before === null) return records.remove(toReference(written), tagOf(written));
      return records.swap(toReference(written), tagOf(written), toRecord(before), toTtl(before));
    },
  };

  function toReference(value: Value): RecordReference {
    return { kind, owner: ownerOf(value), id: idOf(value) };
  }

  function toPut(value: Value, options: PutOptions = {}): RecordPut {
    const record = toRecord(value);
    return { kind, owner: ownerOf(value), record, ttlSeconds: toTtl(value), ...options };
  }

  function toRecord(value: Value): StoredRecord {
    if (!schema.safeParse(value).success) throw new StoreError(`${kind}: invalid record`);
    return {
      id: idOf(value),
      tag: tagOf(value),
      rank: rankOf(value),
      value: JSON.stringify(value),
    };
  }

  /**
   * Returns the lifetime, at least a second: a record that ends at this moment is written but never
   * read.
   */
  function toTtl(value: Value): number | null {
    const end = endOf(value);
    return end === null ? null : Math.max(1, Math.ceil((end - now()) / 1000));
  }

  function readActive(owner: string, stored: StoredRecord): Value | null {
    const { data } = schema.safeParse(parseJson(stored.value));
    if (data === undefined || idOf(data) !== stored.id || ownerOf(data) !== owner)
      throw jsonRecordError(kind, stored.value);

    const end = endOf(data);
    return end === null || end > now() ? data : null;
  }
}
