import { createHash, timingSafeEqual } from 'node:crypto';
import type { DeviceStore, TrustedDevice } from '../stores/store';
import type { KeyedDigest } from '../login/context';

const DEVICE_ID_BYTES = 16;
/** 256 bits. */
const TOKEN_BYTES = 32;

/** What the cookie of a device says. */
export interface DeviceToken {
  readonly deviceId: string;
  /** What is kept of the token. */
  readonly tokenHash: string;
}

/** A token as it is handed out, with the text that the cookie holds. */
export interface IssuedToken extends DeviceToken {
  readonly value: string;
}

/**
 * The texts of device cookies: `deviceId.token.seal`. The seal tells a token that was once given out, to this user, from
 * one that was made up: only the former, shown again after it was replaced, is a sign of theft.
 */
export interface DeviceTokens {
  /** @param deviceId of the device that gets another token. Left out: of a new one. */
  readonly issue: (userId: string, deviceId?: string) => Promise<IssuedToken>;
  /** Null for what was never given out to this user. */
  readonly read: (userId: string, value: string) => Promise<DeviceToken | null>;
}

export function createDeviceTokens(
  digest: KeyedDigest,
  randomBytes: (size: number) => Uint8Array,
): DeviceTokens {
  const random = (size: number): string => Buffer.from(randomBytes(size)).toString('base64url');
  const seal = (...texts: readonly string[]): Promise<string> => digest('device-token', ...texts);
  return {
    async issue(userId, deviceId = random(DEVICE_ID_BYTES)) {
      const token = random(TOKEN_BYTES);
      const value = [deviceId, token, await seal(userId, deviceId, token)].join('.');
      return { deviceId, tokenHash: toHash(token), value };
    },
    async read(userId, value) {
      const [, deviceId, token, shown] = COOKIE.exec(value) ?? [];
      if (deviceId === undefined || token === undefined || shown === undefined) return null;
      const isGenuine = isSame(shown, await seal(userId, deviceId, token));
      return isGenuine ? { deviceId, tokenHash: toHash(token) } : null;
    },
  };
}

/** Base64url of the sizes above and of a digest. */
const COOKIE = /^([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/;

function toHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Both are digests, and of one length. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Two tabs that log in at once show the same token: so long one that was just replaced is no sign of theft. */
const GRACE_MS = 10_000;
const DAY_SECONDS = 86_400;

/** What came of showing a token. */
export type DeviceTokenCheck =
  /** The user's device, and the token that takes the place of the one shown. */
  | { readonly kind: 'known'; readonly device: TrustedDevice; readonly value: string }
  /** Replaced a moment ago: neither trust nor theft. */
  | { readonly kind: 'just-replaced' }
  /** Replaced before that, so two have it. The device has been removed. */
  | { readonly kind: 'stolen'; readonly device: TrustedDevice }
  /** Never given out to this user, removed, or over. */
  | { readonly kind: 'unknown' };

/** What is written of a device when it is trusted. */
export type NewDevice = Pick<TrustedDevice, 'userId' | 'binding' | 'label'>;

/** The trusted devices of all users. */
export interface DeviceRegistry {
  readonly add: (device: NewDevice) => Promise<{ readonly device: TrustedDevice; readonly value: string }>;
  /** Shows the token of a cookie, and replaces it. */
  readonly rotate: (userId: string, value: string) => Promise<DeviceTokenCheck>;
  /** The devices that are trusted still, oldest first. */
  readonly list: (userId: string) => Promise<readonly TrustedDevice[]>;
  readonly remove: (userId: string, deviceId: string) => Promise<boolean>;
  readonly removeAll: (userId: string) => Promise<number>;
  /** The device a cookie is of goes, without a word: it is trusted anew. */
  readonly removeByToken: (userId: string, value: string) => Promise<void>;
}

interface DeviceBookParts {
  readonly store: DeviceStore;
  readonly tokens: DeviceTokens;
  readonly maxAgeDays: number;
  readonly maxDevices: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createDeviceRegistry({
  store,
  tokens,
  maxAgeDays,
  maxDevices,
  now,
}: DeviceBookParts): DeviceRegistry {
  async function rotate(userId: string, seen: DeviceToken, next: IssuedToken): Promise<DeviceTokenCheck> {
    const hashes = { seenHash: seen.tokenHash, nextHash: next.tokenHash };
    const rotation = await store.rotate(userId, seen.deviceId, { ...hashes, usedAt: now() });
    // Nothing but these two is a device's: an odd answer trusts nobody.
    if (rotation.outcome !== 'rotated' && rotation.outcome !== 'stale') return { kind: 'unknown' };
    const { device, outcome } = rotation;
    if (!(device.expiresAt > now()) || device.userId !== userId) return { kind: 'unknown' };
    if (outcome === 'rotated') return { kind: 'known', device, value: next.value };
    const isJust = device.previousHash === seen.tokenHash && now() - device.lastUsedAt <= GRACE_MS;
    if (isJust) return { kind: 'just-replaced' };
    // Of two that find it out at once, one tells.
    return (await store.remove(userId, device.deviceId)) ? { kind: 'stolen', device } : { kind: 'unknown' };
  }

  return {
    async add(given) {
      const { deviceId, tokenHash, value } = await tokens.issue(given.userId);
      const lifeSeconds = maxAgeDays * DAY_SECONDS;
      const createdAt = now();
      const times = { createdAt, lastUsedAt: createdAt, expiresAt: createdAt + lifeSeconds * 1000 };
      const device: TrustedDevice = {
        version: 1,
        deviceId,
        tokenHash,
        previousHash: null,
        ...given,
        ...times,
      };
      await store.add(device, lifeSeconds, maxDevices);
      return { device, value };
    },
    async rotate(userId, value) {
      const seen = await tokens.read(userId, value);
      if (seen === null) return { kind: 'unknown' };
      return rotate(userId, seen, await tokens.issue(userId, seen.deviceId));
    },
    list: async (userId) => (await store.list(userId)).filter(({ expiresAt }) => expiresAt > now()),
    remove: (userId, deviceId) => store.remove(userId, deviceId),
    removeAll: (userId) => store.removeAll(userId),
    async removeByToken(userId, value) {
      const seen = await tokens.read(userId, value);
      if (seen !== null) await store.remove(userId, seen.deviceId);
    },
  };
}
