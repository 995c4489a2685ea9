/** What a challenge is for. A code of one purpose is never good for another. */
export type Purpose = 'login' | 'step-up' | 'transaction' | 'enroll';

/** What a transaction's code stands for, as the text message and the page show it. */
export interface Transaction {
  readonly amount: string;
  readonly payee: string;
}

/** A user's id as `getUserId` gives it. Two ids are the same user when their texts are equal. */
export type UserId = string | number | bigint;

/** One OTP id of a pending login and everything the decision needs. The code itself is known to the gateway alone. */
export interface Challenge {
  /** Records are versioned; a store refuses one it does not know. */
  readonly version: 1;
  readonly otpId: string;
  /** The pending login this challenge belongs to: the session holds the same, so that an OTP id the gateway gives twice fits one session only. */
  readonly pendingId: string;
  /** The text of the user's id; the type it had is in `userIdType`, so that `loadUser` gets what `getUserId` gave. */
  readonly userId: string;
  readonly userIdType: 'string' | 'number' | 'bigint';
  readonly purpose: Purpose;
  /** E.164 with plus. */
  readonly mobile: string;
  /** True when no code was ever right on this number; success then marks the number as verified. */
  readonly isNewNumber: boolean;
  /** Which send of the pending login this is, from 1. */
  readonly sends: number;
  /** Attempts this challenge admits. */
  readonly maxAttempts: number;
  /** Milliseconds since 1970: when the code was sent, when it expires, when the pending login ends. */
  readonly sentAt: number;
  readonly expiresAt: number;
  readonly pendingUntil: number;
  /** Purpose `transaction` only: its code is good for this and nothing else. */
  readonly transaction?: Transaction | undefined;
  /** Purpose `enroll` only: the confirmed number whose place the new one takes, E.164 with plus. */
  readonly replaces?: string | undefined;
}

/** The answer to a claim. An attempt is counted before anything is judged. */
export type Claim =
  | { readonly outcome: 'claimed'; readonly challenge: Challenge; readonly attempt: number }
  | { readonly outcome: 'exhausted' }
  | { readonly outcome: 'unknown' };

/** Challenges. Every call is atomic over all processes that share the store. */
export interface ChallengeStore {
  /**
   * Remembers a challenge for `ttlSeconds` with no attempts counted, and ends the user's earlier live challenge of the
   * same purpose in the same step. An OTP id that is already known is replaced.
   */
  begin(challenge: Challenge, ttlSeconds: number): Promise<void>;
  /**
   * Counts one attempt. `claimed` while the count is within `maxAttempts`, `exhausted` beyond it, `unknown` when there
   * is no such live challenge. A missing or odd count of a live challenge is `exhausted`.
   */
  claim(otpId: string): Promise<Claim>;
  /** The challenge without counting an attempt, for decisions that judge no code. Null when it is not live. */
  find(otpId: string): Promise<Challenge | null>;
  /** Ends the challenge; true for exactly one caller. */
  consume(otpId: string): Promise<boolean>;
  /** Ends the challenge, if it is there. */
  discard(otpId: string): Promise<void>;
  /** Ends every live challenge of a user, whatever its purpose. */
  discardAll(userId: string): Promise<void>;
}

/** A named count. */
export interface Counter {
  readonly key: string;
  /** Seconds from the first charge to the fall back to zero; null: no window, it lives 400 days from its last charge. */
  readonly windowSeconds: number | null;
  /**
   * What one charge adds: a safe integer. Default 1. It is refused when the sum would exceed `max`. A negative amount takes
   * back, never below zero, never refused, and begins no window.
   */
  readonly amount?: number;
  /** The most it may reach. Left out: no bound. */
  readonly max?: number;
  /** Looked at, never added to: refuses when it is full or locked, like the others. */
  readonly isOnlyRead?: boolean;
  /** The key of another counter: while that one is above zero, this one is neither looked at nor added to (its count is given as 0). */
  readonly exemptBy?: string;
  /**
   * A lock after each so many charges: the charge that reaches a multiple sets the next lock in the same step. One that
   * adds more than 1 sets the lock of the last multiple it reaches or passes; one that takes back sets none and lifts none.
   */
  readonly lock?: {
    readonly every: number;
    /** Seconds of the first, second, … lock; the last one stands for all that follow. */
    readonly seconds: readonly number[];
  };
}

/** One counter after a charge. */
export interface Count {
  readonly count: number;
  /** Seconds until it falls to zero; null for a counter without window. */
  readonly resetSeconds: number | null;
  /** Seconds it is still locked; 0 when it is not. */
  readonly lockedSeconds: number;
}

/** The answer to a charge, in the order of the counters. */
export interface Charge {
  /** Index of the first counter that was full or locked, in which case nothing at all was charged; null when all were charged. */
  readonly refusedBy: number | null;
  readonly counts: readonly Count[];
}

/** Counters. Every call is atomic over all processes that share the store, and takes one round trip. */
export interface CounterStore {
  /** Adds its amount to each counter, or nothing to any when one of them is full or locked. */
  charge(counters: readonly Counter[]): Promise<Charge>;
  /** Sets counters, and locks on them, back to nothing. With `keepsLocked`, those under a running lock stay as they are. */
  clear(keys: readonly string[], options?: { readonly keepsLocked?: boolean }): Promise<void>;
  /** Locks a counter for so many seconds; a longer lock that is running stays. 0 lifts the lock; the count stays. */
  lock(key: string, seconds: number): Promise<void>;
}

/** A gateway token as it rests in a store: sealed, with a fence that grows by one with each renewal. */
export interface StoredToken {
  readonly fence: number;
  /** Encrypted by the client; the store never sees a token. */
  readonly sealed: string;
}

/** What a renewal produces. */
export interface RenewedToken {
  readonly sealed: string;
  readonly ttlSeconds: number;
}

/** Seconds a renewal may take; a holder that dies frees the lease after them. */
export const TOKEN_LEASE_SECONDS = 15;

/** The gateway's token, shared by all processes of one account. */
export interface TokenStore {
  /** The newest token, or null. */
  read(account: string): Promise<StoredToken | null>;
  /**
   * Runs `renew` at most once at a time over all processes, under a lease with a fence, and gives the winner's token to
   * everyone who waited. `seen` is the fence of the token the caller wants replaced (0: none): when a newer one is
   * stored already it is given at once. A holder whose lease has passed to another does not overwrite the newer token.
   * A `renew` that throws frees the lease; its caller gets the error, the next waiter tries for itself.
   */
  renew(
    account: string,
    seen: number,
    renew: (previous: StoredToken | null) => Promise<RenewedToken>,
  ): Promise<StoredToken>;
}

/** All state in one place. Each part stands alone; `createSmsOtp` moves all of them by one option. */
export interface SmsOtpStore {
  readonly challenges: ChallengeStore;
  readonly counters: CounterStore;
  readonly tokens: TokenStore;
  /** Needed where recovery codes are configured. */
  readonly recoveryCodes?: RecoveryCodeStore;
  /** Needed where trusted devices are configured. */
  readonly devices?: DeviceStore;
  /** Needed by policies that remember something of a number, such as `simSwap`. */
  readonly notes?: NoteStore;
}

/** Recovery codes of users, as hashes. Every call is atomic over all processes that share the store. */
export interface RecoveryCodeStore {
  /**
   * Makes these hashes the user's codes in place of any earlier ones, in one step; an empty list removes all. With
   * `isFirst`, only while the user has none. True when they were written. They live ten years.
   */
  replace(
    userId: string,
    hashes: readonly string[],
    options?: { readonly isFirst?: boolean },
  ): Promise<boolean>;
  /** Takes a hash away: `isSpent` is true for exactly one caller. `left`: how many codes remain. */
  spend(userId: string, hash: string): Promise<{ readonly isSpent: boolean; readonly left: number }>;
  /** How many codes a user has. */
  count(userId: string): Promise<number>;
}

/** A device on which its user is asked for no code. Its token is known to the device alone. */
export interface TrustedDevice {
  readonly version: 1;
  readonly deviceId: string;
  readonly userId: string;
  /** SHA-256 of the token, and of the one before it (null: there was none), base64url. */
  readonly tokenHash: string;
  readonly previousHash: string | null;
  /** A keyed digest of what must not have changed since: password, numbers, recovery codes. */
  readonly binding: string;
  /** What the user may recognise it by. */
  readonly label: string;
  /** Milliseconds since 1970. `expiresAt` never moves. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

/** What came of showing a token: `stale` means that the device is known and its token is another one. */
export type DeviceRotation =
  | { readonly outcome: 'rotated'; readonly device: TrustedDevice }
  | { readonly outcome: 'stale'; readonly device: TrustedDevice }
  | { readonly outcome: 'unknown' };

/** Trusted devices. Every call is atomic over all processes that share the store. */
export interface DeviceStore {
  /** Adds a device for `ttlSeconds`. Beyond `most` devices of its user the oldest (by `createdAt`) goes in the same step. */
  add(device: TrustedDevice, ttlSeconds: number, most: number): Promise<void>;
  /**
   * Where `tokenHash` is `seenHash`: writes `nextHash` in its place, keeps the old one as `previousHash` and `usedAt` as
   * `lastUsedAt`, and gives the device as it is now. The end of its life stays.
   */
  rotate(
    userId: string,
    deviceId: string,
    token: { readonly seenHash: string; readonly nextHash: string; readonly usedAt: number },
  ): Promise<DeviceRotation>;
  /** The user's devices, oldest first. */
  list(userId: string): Promise<readonly TrustedDevice[]>;
  /** True when it was there. */
  remove(userId: string, deviceId: string): Promise<boolean>;
  /** How many there were. */
  removeAll(userId: string): Promise<number>;
}

/** Small texts under a key, with a life. The last write wins: for what is a hint, never for what decides alone. */
export interface NoteStore {
  read(key: string): Promise<string | null>;
  /** At most 4,096 characters. */
  write(key: string, text: string, ttlSeconds: number): Promise<void>;
  remove(key: string): Promise<void>;
}
