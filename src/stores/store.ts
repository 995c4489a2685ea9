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
 * A user's id as `getUserId` returns it. Two ids are the same user when they are equal as strings.
 */
export type UserId = string | number | bigint;

/** A named count. */
export interface Counter {
  readonly key: string;
  /**
   * Seconds from the first charge until the count falls to zero; null: no window, it lives 400 days
   * from its last charge.
   */
  readonly windowSeconds: number | null;
  /**
   * What one charge adds: a safe integer. Default 1. It is refused when the sum would exceed `max`.
   * A negative amount gives back, never below zero; it is never refused and begins no window.
   */
  readonly amount?: number | undefined;
  /** The highest count. Without it there is no bound. */
  readonly max?: number | undefined;
  /** Never added to, but refuses when it is full or locked, like the others. */
  readonly isOnlyRead?: boolean | undefined;
  /**
   * Keys of other counters: while one of those is above zero, this one is neither read nor added
   * to; its count is reported as 0.
   */
  readonly exemptBy?: readonly string[] | undefined;
  /**
   * With a negative amount: the generation that was charged. Nothing is given back once the counter
   * has begun another one, so that nothing is taken from charges that came after it was cleared.
   */
  readonly generation?: number | undefined;
  /**
   * With a negative amount: lifts the running lock if the charge that reached this count set it.
   * The lock of another charge stays.
   */
  readonly lifts?: number | undefined;
  /**
   * Raises the count to this number, from 1, and never lowers it; `amount`, `max` and `lock` are
   * left out then. The charge is not refused by it, not even by a lock. It counts as a charge where
   * it raises nothing: a counter without window lives on from it.
   */
  readonly raisesTo?: number | undefined;
  /**
   * A lock after every `every` charges: the charge that reaches a multiple sets the next lock in
   * the same step, and the counter remembers the count that set it. One that adds more than 1 sets
   * the lock of the last multiple it reaches or passes; a negative amount sets none.
   */
  readonly lock?:
    | {
        readonly every: number;
        /** Multiples below this count set no lock. Left out: every one does. */
        readonly from?: number | undefined;
        /** Seconds of the first, second, … lock; the last one repeats. */
        readonly seconds: readonly number[];
      }
    | undefined;
}

/** One counter after a charge. */
export interface Count {
  readonly count: number;
  /** Seconds until it falls to zero; null for a counter without window. */
  readonly resetSeconds: number | null;
  /** Seconds it is still locked; 0 when it is not. */
  readonly lockedSeconds: number;
  /**
   * Changes when the counter begins anew: after it was cleared, and after its window or life has
   * ended. 0 for one that has not begun.
   */
  readonly generation: number;
}

/** The answer to a charge, in the order of the counters. */
export interface Charge {
  /**
   * The index of the first counter that was full or locked: then nothing at all was charged. Null
   * when all were charged.
   */
  readonly refusedBy: number | null;
  readonly counts: readonly Count[];
}

/**
 * Counters. Every call is atomic over all processes that share the store, and takes one round trip.
 */
export interface CounterStore {
  /** Adds to each counter its amount, or nothing to any of them when one is full or locked. */
  charge(counters: readonly Counter[]): Promise<Charge>;
  /**
   * Resets counters and lifts their locks. With `keepsLocked`, those under a running lock stay as
   * they are.
   */
  clear(keys: readonly string[], options?: { readonly keepsLocked?: boolean }): Promise<void>;
  /** Lifts the locks of counters; their counts stay. */
  unlock(keys: readonly string[]): Promise<void>;
}

/** Whose records are meant, and of what kind: an owner has records of a kind under ids. */
export interface RecordsOf {
  /** A name of 1 to 32 letters, digits and hyphens, such as `login`. */
  readonly kind: string;
  readonly owner: string;
}

/** One record by its id. */
export interface RecordReference extends RecordsOf {
  readonly id: string;
}

/** A small dated record. The store compares `id`, `tag` and `rank`, and never reads `value`. */
export interface StoredRecord {
  readonly id: string;
  /** Another one whenever the record changes: `swap` compares it. */
  readonly tag: string;
  /** Orders the records of an owner: beyond a ceiling those with the lowest rank go first. */
  readonly rank: number;
  /** JSON of at most 8,192 characters. */
  readonly value: string;
}

/** A record to be written. One with the same id is replaced. */
export interface RecordPut extends RecordsOf {
  readonly record: StoredRecord;
  /**
   * Seconds it lives; null: until it is removed. The record's own end, inside its value, decides:
   * this only cleans up.
   */
  readonly ttlSeconds: number | null;
  /**
   * The most records of this kind that the owner keeps: beyond it those with the lowest rank go in
   * the same step, never the one written. Those of the same rank go by id, the lowest in bytes
   * first.
   */
  readonly most?: number | undefined;
  /** Only while the owner has no record of this kind. */
  readonly ifNone?: boolean | undefined;
  /**
   * A store that has no room may leave it out, and says so by `isPut: false`; the other changes of
   * a `finish` are made all the same. A store may ignore this, and refuse as for any other record.
   */
  readonly isOptional?: boolean | undefined;
}

/** What a put did. */
export interface PutResult {
  /**
   * False when `ifNone` forbade it, or when it was optional and left out: then nothing has changed.
   */
  readonly isPut: boolean;
  /**
   * The ids of the records that went beyond the ceiling: each is told to one caller, and none whose
   * life was over.
   */
  readonly gone: readonly string[];
  /** The record under the same id that it was written over; null: there was none. */
  readonly replaced: StoredRecord | null;
}

/**
 * Small dated records of users: trusted devices, known browsers, logins, recovery codes, open
 * challenges, and what policies note about a number. Every call is atomic over all processes that
 * share the store, and each takes one round trip.
 */
export interface RecordStore {
  /** Writes a record. */
  put(put: RecordPut): Promise<PutResult>;
  /** Returns a record, or null. */
  find(record: RecordReference): Promise<StoredRecord | null>;
  /**
   * Writes `next` in place of a record, only while that one has the tag `seenTag`. `next` may have
   * another id; a record that has it already is replaced. Resolves to whether it was written: a
   * record that is gone does not come back.
   */
  swap(
    record: RecordReference,
    seenTag: string,
    next: StoredRecord,
    ttlSeconds: number | null,
  ): Promise<boolean>;
  /** Returns the owner's records, the lowest rank first; those of one rank by id, in bytes. */
  list(records: RecordsOf): Promise<readonly StoredRecord[]>;
  /**
   * Removes a record, with `seenTag` only while it has that tag. True for exactly one caller.
   */
  remove(record: RecordReference, seenTag?: string): Promise<boolean>;
  /**
   * Removes the owner's records but `except`, and returns the ids of those that went: each is told
   * to one caller.
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
  /** Random: every begin makes its own. */
  readonly pendingId: string;
  readonly userId: string;
  /**
   * Its purpose and browser: of all active logins of a user and place, only the one that got the
   * last OTP has active OTPs.
   */
  readonly place: string;
  /** The user's known browsers together, or all other browsers together. */
  readonly side: string;
  /** A digest of the user and the client's address block; empty: the address cannot be read. */
  readonly block: string;
  /** A digest of what sent the request. Left out: it joins no login, and none joins it. */
  readonly sender?: string | undefined;
  /**
   * The pending logins of one session that keeps its id. `attach` of one ends the others. Left out:
   * it ends none.
   */
  readonly series?: string | undefined;
  /** JSON of at most 4,096 characters. */
  readonly value: string;
}

/** When a login may begin, and when it joins another one. */
export interface BeginOptions {
  readonly ttlSeconds: number;
  /** The most active logins of this user and side that have not had an OTP. */
  readonly most: number;
  /** Seconds in which only requests from its own address block may end such a login. */
  readonly protectedSeconds: number;
  /** Seconds in which a request of the same sender joins a login; 0: none does. */
  readonly joinSeconds: number;
}

/** What became of a begin. */
export type BegunPendingLogin =
  | { readonly outcome: 'begun' }
  /** It joined this login, which is active. None was made. */
  | {
      readonly outcome: 'joined';
      readonly pendingId: string;
      readonly login: ActivePendingLogin;
    }
  /** There are `most`, and none of them may be ended. Nothing has changed. */
  | { readonly outcome: 'refused' };

/** A pending login that is active. */
export interface ActivePendingLogin {
  readonly userId: string;
  readonly value: string;
  /** How many OTPs were attached so far, those that have ended included. */
  readonly sends: number;
  /** Its active OTPs, the newest first: at most two. */
  readonly otps: readonly AttachedOtp[];
}

/** The answer to a claim. An attempt is counted before anything is checked. */
export type PendingClaim =
  | {
      readonly outcome: 'claimed';
      /** The number of the attempt, from 1. */
      readonly attempt: number;
      /** The OTP at which it was counted; null: at none. */
      readonly otpId: string | null;
      readonly login: ActivePendingLogin;
    }
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'unknown' };

/** What is claimed. */
export interface ClaimOptions {
  /**
   * `otp`: a typed code, counted at the newest active OTP or, while there is none, at the login.
   * Any other name: answers of that kind, counted at the login.
   */
  readonly of: string;
  /** With `of: 'otp'`: counted at this OTP. `unknown` when it is not active. */
  readonly otpId?: string | undefined;
  /** The attempts that are admitted of each kind, and at each OTP. */
  readonly most: number;
}

/** Pending logins. Every call is atomic over all processes that share the store. */
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
   * Attaches an OTP to an active login, takes the OTPs from the user's other login of that place,
   * and ends the other logins of its series. Of more than two OTPs the oldest ends; with
   * `endsPrevious` every other one ends. An OTP that the login has had before keeps its attempts,
   * becomes the newest, and counts as another send. False when the login is not active: then
   * nothing has changed.
   */
  attach(
    pendingId: string,
    otp: AttachedOtp,
    options?: { readonly endsPrevious?: boolean | undefined },
  ): Promise<boolean>;
  /**
   * Counts one attempt. `claimed` while the count is within `most`, `exhausted` beyond it,
   * `unknown` when the login is not active. A count that is missing or invalid is `exhausted`.
   */
  claim(pendingId: string, options: ClaimOptions): Promise<PendingClaim>;
  /**
   * Returns the login while it is active, and counts nothing; `passed` from its `finish` with
   * `leavesMark` to the end of its life; null otherwise.
   */
  find(pendingId: string): Promise<ActivePendingLogin | 'passed' | null>;
  /**
   * Returns the active login of a user's series that has an active OTP; without one, the login of
   * the series that began last. Counts nothing.
   */
  findNewest(
    userId: string,
    series: string,
  ): Promise<{ readonly pendingId: string; readonly login: ActivePendingLogin } | null>;
  /**
   * Ends an active login, or with `otpId` that active OTP of it alone. True for exactly one caller.
   * No mark is left: without `otpId`, one that is there goes.
   */
  end(pendingId: string, options?: { readonly otpId?: string | undefined }): Promise<boolean>;
  /**
   * Ends every active login of a user but `except`, of any place. No mark is left of any of them.
   */
  endAll(userId: string, except?: string): Promise<void>;
}

/** What a success changes. No counter is named twice, and no two puts have one kind and owner. */
export interface FinishOptions {
  /** Succeeds only while this is an active OTP of the login. */
  readonly otpId?: string | undefined;
  /** Succeeds also while the login is marked as passed. Never with `otpId`. Default: false. */
  readonly acceptsPassed?: boolean | undefined;
  /** Leaves the login marked as passed to the end of its life; otherwise nothing is left of it. */
  readonly leavesMark: boolean;
  /** Keys of counters that are reset, locks included. */
  readonly clears: readonly string[];
  /** Never refused, also by no lock: without `max` and `exemptBy`. */
  readonly charges: readonly Counter[];
  readonly puts: readonly RecordPut[];
  /** Succeeds only while this record is there, and removes it before anything is put. */
  readonly replaces?: RecordReference | undefined;
}

/**
 * What a finish did. `results`: of the puts, in their order. `replaced`: the record that `replaces`
 * has removed; null without `replaces`.
 */
export type FinishResult =
  | { readonly isFinished: false }
  | {
      readonly isFinished: true;
      readonly results: readonly PutResult[];
      readonly replaced: StoredRecord | null;
    };

/** A gateway token at rest: sealed, with a fence that grows by one with each renewal. */
export interface StoredToken {
  readonly fence: number;
  /** Encrypted by the client; the store never sees a token. */
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
   * True when tokens never leave this process's memory: the key that seals them need not be slow to
   * guess then. Default: false.
   */
  readonly isInProcess?: boolean;
  /** Returns the newest token, or null. */
  read(account: string): Promise<StoredToken | null>;
  /**
   * Runs `renew` at most once at a time over all processes, under a lease with a fence, and returns
   * the winner's token to every caller that waited. `seen` is the fence of the token to be replaced
   * (0: none): when a newer one is stored already, it is returned at once. A holder whose lease has
   * passed to another does not overwrite the newer token. A `renew` that throws frees the lease;
   * its caller gets the error, the next waiter tries for itself.
   */
  renew(
    account: string,
    seen: number,
    renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  ): Promise<StoredToken>;
}

/**
 * All state in one place: four parts, and the step that changes several of them at once.
 * `createSmsOtp` takes all of it as one option.
 */
export interface SmsOtpStore {
  readonly pendingLogins: PendingLoginStore;
  readonly counters: CounterStore;
  readonly records: RecordStore;
  readonly tokens: TokenStore;
  /**
   * Ends an active pending login, for exactly one caller, and does in the same step all that a
   * success changes. When it resolves to `isFinished: false`, or rejects because the store refuses
   * a write, nothing has changed.
   */
  finish(pendingId: string, options: FinishOptions): Promise<FinishResult>;
}

/**
 * What policies keep about a number: short strings under a key, with a time to live. The last write
 * wins: for hints, never for what decides alone.
 */
export interface NoteStore {
  read(key: string): Promise<string | null>;
  /** At most 4,096 characters. */
  write(key: string, text: string, ttlSeconds: number): Promise<void>;
  remove(key: string): Promise<void>;
}
