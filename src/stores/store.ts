export type {
  KnownBrowser,
  Login,
  OpenChallenge,
  PendingLogin,
  Purpose,
  RecoveryCodeSet,
  SentOtp,
  TextedCode,
  Transaction,
  TrustedDevice,
} from './record-schemas';

/**
 * A user's id as `getUserId` returns it. Two ids belong to the same user if they are equal as
 * strings.
 */
export type UserId = string | number | bigint;

/** A named count. */
export interface Counter {
  readonly key: string;
  /**
   * Seconds from the first charge until the count falls to zero. Null: no window; it expires 400
   * days after its last charge.
   */
  readonly windowSeconds: number | null;
  /**
   * What one charge adds: a safe integer. The charge is refused if the sum would exceed `max`. A
   * negative amount is a refund: the count never falls below zero, and it is never refused and
   * begins no window. Default: 1.
   */
  readonly amount?: number | undefined;
  /** The highest count. Default: no limit. */
  readonly max?: number | undefined;
  /** Adds nothing, but refuses if the counter is used up or locked, like the others. */
  readonly isOnlyRead?: boolean | undefined;
  /**
   * Keys of other counters. While one of them is above zero, this counter is neither read nor
   * charged, and its count is reported as 0.
   */
  readonly exemptBy?: readonly string[] | undefined;
  /**
   * For a refund: the generation that was charged. Nothing is refunded once the counter has begun
   * another generation, so that charges after a clear are not touched.
   */
  readonly generation?: number | undefined;
  /**
   * For a refund: lifts the active lock if the charge that reached this count set it. The lock of
   * another charge stays.
   */
  readonly lifts?: number | undefined;
  /**
   * Raises the count to this number, from 1, and never lowers it. Leave out `amount`, `max` and
   * `lock` then. It never refuses the charge, not even with a lock. It counts as a charge even if
   * it raises nothing: a counter without window is prolonged.
   */
  readonly raisesTo?: number | undefined;
  /**
   * Sets a lock after every `every` charges. The charge that reaches a multiple sets the next lock
   * in the same step, and the counter remembers the count that set it. A charge that adds more than
   * 1 sets the lock of the last multiple it reaches or passes. A negative amount sets none.
   */
  readonly lock?:
    | {
        readonly every: number;
        /** Multiples below this count set no lock. Default: every multiple does. */
        readonly from?: number | undefined;
        /** Seconds of the first, second, … lock. The last one repeats. */
        readonly seconds: readonly number[];
      }
    | undefined;
}

/** One counter after a charge. */
export interface Count {
  readonly count: number;
  /** Seconds until it falls to zero. Null for a counter without window. */
  readonly resetSeconds: number | null;
  /** Remaining seconds of its lock. 0: not locked. */
  readonly lockedSeconds: number;
  /**
   * Changes when the counter starts again: after it was cleared, and after its window or life has
   * ended. 0 for a counter that has not started.
   */
  readonly generation: number;
}

/** The answer to a charge, in the order of the counters. */
export interface Charge {
  /**
   * The index of the first counter that was used up or locked: then nothing was charged. Null: all
   * were charged.
   */
  readonly refusedBy: number | null;
  readonly counts: readonly Count[];
}

/**
 * The counters of a store. Every call is atomic across all processes that share the store, and
 * takes one round trip.
 */
export interface CounterStore {
  /** Adds its amount to each counter, or nothing to any if one is used up or locked. */
  charge(counters: readonly Counter[]): Promise<Charge>;
  /**
   * Resets counters and lifts their locks. With `keepsLocked`, counters with an active lock stay
   * unchanged.
   */
  clear(keys: readonly string[], options?: { readonly keepsLocked?: boolean }): Promise<void>;
  /** Lifts the locks of counters. Their counts stay. */
  unlock(keys: readonly string[]): Promise<void>;
}

/** The owner and the kind of records. An owner's records of a kind have ids. */
export interface RecordsOf {
  /** A name of 1 to 32 letters, digits and hyphens, such as `login`. */
  readonly kind: string;
  readonly owner: string;
}

/** One record by its id. */
export interface RecordReference extends RecordsOf {
  readonly id: string;
}

/**
 * A small record with an expiry. The store compares `id`, `tag` and `rank`, and never reads
 * `value`.
 */
export interface StoredRecord {
  readonly id: string;
  /** Changes whenever the record changes. `swap` compares it. */
  readonly tag: string;
  /**
   * Orders the records of an owner: beyond a ceiling those with the lowest rank are removed first.
   */
  readonly rank: number;
  /** JSON of at most 8,192 characters. */
  readonly value: string;
}

/** A record to write. It replaces one with the same id. */
export interface RecordPut extends RecordsOf {
  readonly record: StoredRecord;
  /**
   * Seconds until it expires. Null: kept until it is removed. The end inside the record's value
   * decides; the store's expiry only cleans up.
   */
  readonly ttlSeconds: number | null;
  /**
   * The most records of this kind per owner. Beyond it, those with the lowest rank are removed in
   * the same step, but never the new one. Records of the same rank are ordered by the bytes of
   * their ids, the lowest first.
   */
  readonly most?: number | undefined;
  /** Writes only if the owner has no record of this kind. */
  readonly ifNone?: boolean | undefined;
  /**
   * Only in a `finish`, which succeeds only if the record with this id has this tag. Otherwise
   * nothing changes.
   */
  readonly ifTag?: string | undefined;
  /**
   * Lets a store without room leave this record out and return `isPut: false`. The other changes of
   * a `finish` are made nevertheless. A store may ignore this and refuse, as for any other record.
   */
  readonly isOptional?: boolean | undefined;
}

export interface PutResult {
  /**
   * False if `ifNone` prevented it, or if it was optional and left out. Then nothing has changed.
   */
  readonly isPut: boolean;
  /**
   * The ids of records that were removed beyond the ceiling. Each is returned to one caller.
   * Expired records are not included.
   */
  readonly gone: readonly string[];
  /** The replaced record with the same id. Null if there was none. */
  readonly replaced: StoredRecord | null;
}

/**
 * Small records of users with an expiry: trusted devices, known browsers, logins, recovery codes,
 * open challenges, and notes of policies about a number. Every call is atomic across all processes
 * that share the store, and takes one round trip.
 */
export interface RecordStore {
  put(put: RecordPut): Promise<PutResult>;
  find(record: RecordReference): Promise<StoredRecord | null>;
  /**
   * Replaces a record by `next` if it still has the tag `seenTag`. `next` may have another id; a
   * record with that id is replaced too. Resolves to whether it was written: a removed record does
   * not come back.
   */
  swap(
    record: RecordReference,
    seenTag: string,
    next: StoredRecord,
    ttlSeconds: number | null,
  ): Promise<boolean>;
  /**
   * Returns the owner's records, the lowest rank first. Records of one rank are ordered by the
   * bytes of their ids.
   */
  list(records: RecordsOf): Promise<readonly StoredRecord[]>;
  /**
   * Removes a record; with `seenTag`, only if it still has that tag. Resolves to true for exactly
   * one caller.
   */
  remove(record: RecordReference, seenTag?: string): Promise<boolean>;
  /**
   * Removes the owner's records except `except`. Returns the ids of the removed ones, each to one
   * caller.
   */
  removeAll(records: RecordsOf, except?: string): Promise<readonly string[]>;
}

/** An OTP that is attached to a pending login. The store never reads `value`. */
export interface AttachedOtp {
  readonly otpId: string;
  /** JSON of at most 1,024 characters. */
  readonly value: string;
}

/**
 * A login, step-up, transaction or enrollment between its beginning and its end. The store compares
 * the strings and never reads `value`.
 */
export interface NewPendingLogin {
  /** A random id, new for every begin. */
  readonly pendingId: string;
  readonly userId: string;
  /**
   * Its purpose and browser. Of all active logins of a user and place, only the one with the last
   * OTP has active OTPs.
   */
  readonly place: string;
  /** The user's known browsers together, or all other browsers together. */
  readonly side: string;
  /** A digest of the user and the client's address block. Empty if there is no address. */
  readonly block: string;
  /**
   * A digest of the client that sent the request. Left out: it joins no login, and none joins it.
   */
  readonly sender?: string | undefined;
  /**
   * Groups the pending logins of one session that keeps its id: `attach` of one ends the others.
   * Left out: it ends none.
   */
  readonly series?: string | undefined;
  /** JSON of at most 4,096 characters. */
  readonly value: string;
}

/** The conditions under which a login begins or joins another one. */
export interface BeginOptions {
  readonly ttlSeconds: number;
  /** The most active logins of this user and side that have not had an OTP. */
  readonly most: number;
  /** Seconds during which such a login can be ended only by requests from its own address block. */
  readonly protectedSeconds: number;
  /** Seconds during which a request of the same sender joins a login. 0: none does. */
  readonly joinSeconds: number;
}

/** The result of a begin. */
export type BegunPendingLogin =
  | { readonly outcome: 'begun' }
  /** The request joined this active login. None was created. */
  | {
      readonly outcome: 'joined';
      readonly pendingId: string;
      readonly login: ActivePendingLogin;
    }
  /** There are `most` logins, and none of them may be ended. Nothing has changed. */
  | { readonly outcome: 'refused' };

export interface ActivePendingLogin {
  readonly userId: string;
  readonly value: string;
  /** How many OTPs were attached so far, including ended ones. */
  readonly sends: number;
  /** Its active OTPs, the newest first. At most two. */
  readonly otps: readonly AttachedOtp[];
}

/** The answer to a claim. An attempt is counted before anything is checked. */
export type PendingClaim =
  | {
      readonly outcome: 'claimed';
      /** The number of the attempt, from 1. */
      readonly attempt: number;
      /** The OTP at which it was counted. Null: counted at the login. */
      readonly otpId: string | null;
      readonly login: ActivePendingLogin;
    }
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'unknown' };

/** The kind of an attempt, and its limit. */
export interface ClaimOptions {
  /**
   * `otp`: a typed code, counted at the newest active OTP, or at the login if there is none. Any
   * other name: answers of that kind, counted at the login.
   */
  readonly of: string;
  /** With `of: 'otp'`: the OTP at which to count. The answer is `unknown` if it is not active. */
  readonly otpId?: string | undefined;
  /** The allowed attempts of each kind and at each OTP. */
  readonly most: number;
}

/**
 * The pending logins of a store. Every call is atomic across all processes that share the store.
 */
export interface PendingLoginStore {
  /**
   * Begins a pending login without an OTP, in one step:
   *
   * 1. It joins the newest active login of its user and place if that one has the same sender,
   *    began at most `joinSeconds` ago, and no attempt has been counted in it.
   * 2. If there are `most` active logins of its user and side that have not had an OTP, it ends the
   *    oldest of the same block. If that block has none, it ends the oldest that began more than
   *    `protectedSeconds` ago. If there is none, it is refused.
   * 3. It is stored for `ttlSeconds`.
   *
   * An id that the store has already is an error.
   */
  begin(login: NewPendingLogin, options: BeginOptions): Promise<BegunPendingLogin>;
  /**
   * Attaches an OTP to an active login, ends the OTPs of the user's other login of that place, and
   * ends the other logins of its series. If there are more than two OTPs the oldest ends; with
   * `endsPrevious` all others end. An OTP that the login has had before keeps its attempts, becomes
   * the newest, and counts as another send. Resolves to false if the login is not active. Then
   * nothing has changed.
   */
  attach(
    pendingId: string,
    otp: AttachedOtp,
    options?: { readonly endsPrevious?: boolean | undefined },
  ): Promise<boolean>;
  /**
   * Counts one attempt. `claimed` while the count is within `most`, `exhausted` beyond it,
   * `unknown` if the login is not active. A missing or invalid count is `exhausted`.
   */
  claim(pendingId: string, options: ClaimOptions): Promise<PendingClaim>;
  /**
   * Returns the login while it is active, `passed` from its `finish` with `leavesMark` until it
   * expires, otherwise null. Counts nothing.
   */
  find(pendingId: string): Promise<ActivePendingLogin | 'passed' | null>;
  /**
   * Returns the active login of a user's series that has an active OTP. If none has, returns the
   * login of the series that began last. Counts nothing.
   */
  findNewest(
    userId: string,
    series: string,
  ): Promise<{ readonly pendingId: string; readonly login: ActivePendingLogin } | null>;
  /**
   * Ends an active login; with `otpId`, ends only that active OTP. Resolves to true for exactly one
   * caller. Without `otpId` a mark is removed too.
   */
  end(pendingId: string, options?: { readonly otpId?: string | undefined }): Promise<boolean>;
  /**
   * Ends every active login of a user except `except`, in any place. Their marks are removed too.
   */
  endAll(userId: string, except?: string): Promise<void>;
}

/**
 * The changes of a success. No counter is named twice, and no two puts have the same kind and
 * owner.
 */
export interface FinishOptions {
  /** Succeeds only if this is an active OTP of the login. */
  readonly otpId?: string | undefined;
  /** Succeeds also if the login is marked as passed. Never used with `otpId`. Default: false. */
  readonly acceptsPassed?: boolean | undefined;
  /** Keeps the login marked as passed until it expires. Otherwise nothing is left of it. */
  readonly leavesMark: boolean;
  /** Keys of counters to reset, with their locks. */
  readonly clears: readonly string[];
  /** Charges that are never refused, not even by a lock. They have no `max` and no `exemptBy`. */
  readonly charges: readonly Counter[];
  readonly puts: readonly RecordPut[];
  /** Succeeds only if this record exists, and removes it before anything is put. */
  readonly replaces?: RecordReference | undefined;
}

/**
 * The result of a finish. `results`: those of the puts, in order. `replaced`: the record that
 * `replaces` has removed, or null.
 */
export type FinishResult =
  | { readonly isFinished: false }
  | {
      readonly isFinished: true;
      readonly results: readonly PutResult[];
      readonly replaced: StoredRecord | null;
    };

/** A stored gateway token: sealed, with a fence that grows by one at each renewal. */
export interface StoredToken {
  readonly fence: number;
  /** Encrypted by the client. The store never sees a token. */
  readonly sealed: string;
}

/** The result of a renewal. */
export interface RenewedToken {
  readonly sealed: string;
  readonly ttlSeconds: number;
}

/** The gateway's token, shared by all processes of one account. */
export interface TokenStore {
  /**
   * True if tokens never leave the memory of this process. Then the key that seals them need not be
   * slow to guess. Default: false.
   */
  readonly isInProcess?: boolean;
  /** Returns the newest token, or null. */
  read(account: string): Promise<StoredToken | null>;
  /**
   * Runs `renew` at most once at a time across all processes, under a lease with a fence. Returns
   * the resulting token to every caller that waited. `seen` is the fence of the token to replace
   * (0: none): if a newer one is stored already, it is returned at once. A holder that has lost its
   * lease cannot overwrite a newer token. If `renew` throws, the lease is freed and its caller gets
   * the error; the next waiter tries again.
   */
  renew(
    account: string,
    seen: number,
    renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  ): Promise<StoredToken>;
}

/**
 * All state in one place: four parts, and the step that changes several of them at once. Pass it to
 * `createSmsOtp` as a whole.
 */
export interface SmsOtpStore {
  readonly pendingLogins: PendingLoginStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly tokens: TokenStore;
  /**
   * Ends an active pending login, for exactly one caller, and makes all changes of a success in the
   * same step. If it resolves to `isFinished: false`, or rejects because the store refuses a write,
   * nothing has changed.
   */
  finish(pendingId: string, options: FinishOptions): Promise<FinishResult>;
}

/**
 * What policies remember about a number: short strings under a key, with an expiry. The last write
 * wins, so use it for hints and never for a decision that depends on it alone.
 */
export interface NoteStore {
  read(key: string): Promise<string | null>;
  /** At most 4,096 characters. */
  write(key: string, text: string, ttlSeconds: number): Promise<void>;
  remove(key: string): Promise<void>;
}
