import { createHash, timingSafeEqual } from 'node:crypto';
import type { KeyedDigest } from './keyed-digest';

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
