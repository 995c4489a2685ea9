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

// Loads zod: `guarded-store.ts` requires this module when a store is wrapped.

/** How many of a kind an owner may have, and whether it must be written. */
export type PutOptions = Pick<RecordPut, 'most' | 'ifNone' | 'isOptional'>;

/**
 * The records of one kind, parsed. A record is over when its own end has passed by our clock; what
 * a store returns that this release has not written for that owner is a `StoreError`.
 */
export interface RecordSet<Value> {
  readonly toPut: (value: Value, options?: PutOptions) => RecordPut;
  readonly toReference: (value: Value) => RecordReference;
  readonly put: (value: Value, options?: PutOptions) => Promise<PutResult>;
  readonly find: (owner: string, id: string) => Promise<Value | null>;
  /** Writes `next` while the store still has `seen`, as it was read. */
  readonly swap: (seen: Value, next: Value) => Promise<boolean>;
  /** Returns the owner's records, the lowest rank first. */
  readonly list: (owner: string) => Promise<readonly Value[]>;
  readonly remove: (owner: string, id: string) => Promise<boolean>;
  /** Removes a record while the store still has it as it was read. True for exactly one caller. */
  readonly take: (seen: Value) => Promise<boolean>;
  readonly removeAll: (owner: string, except?: string) => Promise<readonly string[]>;
  /**
   * Takes back a record that was put: it goes, or the one that it was written over comes back while
   * its life is not over. False: another request has written or removed it since, and nothing was
   * done.
   */
  readonly undo: (written: Value, replaced: StoredRecord | null) => Promise<boolean>;
}

/** One kind of records: what the store needs to know of each. */
interface RecordKind<Value> {
  readonly kind: string;
  readonly schema: z.ZodType<Value>;
  readonly ownerOf: (value: Value) => string;
  readonly idOf: (value: Value) => string;
  readonly tagOf: (value: Value) => string;
  readonly rankOf: (value: Value) => number;
  /** Milliseconds since 1970; null: it has no end. */
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
  // Beyond the ceiling those without a second factor go first, then the one seen longest ago.
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

/** A pending login has one open challenge of each factor. */
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
  // Notes are never swapped.
  tagOf: () => NOTE_ID,
  rankOf: () => 0,
  endOf: ({ expiresAt }) => expiresAt,
};

/** The id of the one code that an OTP id has. */
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
      return found === null ? null : readLive(owner, found);
    },
    async swap(seen, next) {
      return records.swap(toReference(seen), tagOf(seen), toRecord(next), toTtl(next));
    },
    async list(owner) {
      const found = await records.list({ kind, owner });
      return found.flatMap((record) => readLive(owner, record) ?? []);
    },
    remove: async (owner, id) => records.remove({ kind, owner, id }),
    take: async (seen) => records.remove(toReference(seen), tagOf(seen)),
    removeAll: async (owner, except) => records.removeAll({ kind, owner }, except),
    async undo(written, replaced) {
      const before = replaced && readLive(ownerOf(written), replaced);
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

  /** At least a second: a record that ends this moment is written, and never read. */
  function toTtl(value: Value): number | null {
    const end = endOf(value);
    return end === null ? null : Math.max(1, Math.ceil((end - now()) / 1000));
  }

  function readLive(owner: string, stored: StoredRecord): Value | null {
    const { data } = schema.safeParse(parseJson(stored.value));
    if (data === undefined || idOf(data) !== stored.id || ownerOf(data) !== owner)
      throw jsonRecordError(kind, stored.value);

    const end = endOf(data);
    return end === null || end > now() ? data : null;
  }
}
