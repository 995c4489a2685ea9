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
