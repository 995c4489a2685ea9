import { createHash, timingSafeEqual } from 'node:crypto';
import { DAY_SECONDS } from '../../limits/charge';
import type { KeyedDigest } from '../../keys';
import { repeatUntilDone } from '../../core/repeat';
import type { RecordSet } from '../../stores/record-sets';
import type { PutResult, RecordPut, StoredRecord, TrustedDevice } from '../../stores/store';

/** The result of checking a token. */
export type DeviceTokenCheck =
  /** A device of the user, and what replaces its token with a success. */
  | { readonly kind: 'known'; readonly device: TrustedDevice; readonly next: PreparedToken }
  /** Replaced less than 10 s ago: neither trusted nor stolen. */
  | { readonly kind: 'just-replaced' }
  /**
   * Replaced longer ago and shown again, so two browsers have it. No token of the device is trusted
   * any more, and each one is found stolen until the device is removed.
   */
  | {
      readonly kind: 'stolen';
      readonly device: TrustedDevice;
      /** Whether this request is the first that has noticed it. */
      readonly isFirst: boolean;
    }
  /** Never issued to this user, removed, or expired. */
  | { readonly kind: 'unknown' };

/** A device's record with another token, to be written with a success. */
interface PreparedToken {
  readonly put: RecordPut;
  /** The cookie's value from then on. */
  readonly value: string;
  /** Returns whether nothing else has changed the device since its token was checked. */
  readonly stands: (result: PutResult) => boolean;
  /**
   * Takes the token back, so that the one before is good again. Never rejects.
   * @param result Null: it may have been written.
   */
  readonly undo: (result: PutResult | null) => Promise<void>;
}

interface DeviceRegistryOptions {
  readonly devices: RecordSet<TrustedDevice>;
  readonly tokens: ReturnType<typeof createDeviceTokens>;
  readonly maxAgeDays: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Two tabs may present one token at once, so one that was replaced less than 10 s ago is not
 * treated as stolen.
 */
const GRACE_MS = 10_000;

/** The devices a user may have. The oldest is removed for a new one. */
const MOST_DEVICES = 5;

/** The trusted devices of all users. */
export type DeviceRegistry = Readonly<ReturnType<typeof createDeviceRegistry>>;

export function createDeviceRegistry(options: DeviceRegistryOptions) {
  const { devices, tokens, maxAgeDays, now } = options;
  return {
    /**
     * Makes a device, in place of the one that a cookie names.
     * @param value The cookie's; undefined when there is none.
     */
    async prepare(
      given: Pick<TrustedDevice, 'userId' | 'binding' | 'label'>,
      value: string | undefined,
    ) {
      const seen = value === undefined ? null : await tokens.read(given.userId, value);
      const issued = await tokens.issue(given.userId, seen?.deviceId);
      const { deviceId, tokenHash } = issued;
      const createdAt = now();
      const expiresAt = createdAt + maxAgeDays * DAY_SECONDS * 1000;
      const times = { createdAt, lastUsedAt: createdAt, expiresAt };
      const device: TrustedDevice = {
        version: 1,
        deviceId,
        tokenHash,
        previousHash: null,
        ...given,
        ...times,
      };
      return {
        device,
        put: devices.toPut(device, { most: MOST_DEVICES }),
        value: issued.value,
        undo: (result: PutResult | null) => takeBack(device, result?.replaced ?? null),
      };
    },
    /** Checks the token of a cookie, and prepares another one in its place. */
    async check(userId: string, value: string): Promise<DeviceTokenCheck> {
      const seen = await tokens.read(userId, value);
      if (seen === null) return { kind: 'unknown' };

      const device = await devices.find(userId, seen.deviceId);
      if (device?.tokenHash !== seen.tokenHash) return explainStale(device, seen);
      const issued = await tokens.issue(userId, seen.deviceId);
      return { kind: 'known', device, next: prepareNext(device, issued) };
    },
    /** Lists the devices that are still trusted, oldest first. */
    list: devices.list,
    remove: devices.remove,
    removeAll: async (userId: string, except?: string): Promise<number> =>
      (await devices.removeAll(userId, except)).length,
  };

  function prepareNext(before: TrustedDevice, { tokenHash, value }: IssuedToken): PreparedToken {
    const hashes = { tokenHash, previousHash: before.tokenHash };
    const next: TrustedDevice = { ...before, ...hashes, lastUsedAt: now() };
    const { record } = devices.toPut(before);
    return {
      put: devices.toPut(next),
      value,
      stands: ({ replaced }) => replaced?.tag === record.tag,
      undo: (result) => takeBack(next, result === null ? record : result.replaced),
    };
  }

  async function takeBack(written: TrustedDevice, replaced: StoredRecord | null): Promise<void> {
    await repeatUntilDone(() => devices.undo(written, replaced)).first;
  }

  /**
   * The device has another token than the one shown.
   * @param hasLost Whether another request has changed the device since this one read it.
   */
  async function explainStale(
    device: TrustedDevice | null,
    seen: DeviceToken,
    hasLost = false,
  ): Promise<DeviceTokenCheck> {
    if (device === null) return { kind: 'unknown' };
    // Of two requests that notice a theft at once, one reports it and ends everything. A later one
    // completes what that one has left.
    if (isWithoutToken(device))
      return hasLost ? { kind: 'unknown' } : { kind: 'stolen', device, isFirst: false };
    const isJust = device.previousHash === seen.tokenHash && now() - device.lastUsedAt <= GRACE_MS;
    if (isJust) return { kind: 'just-replaced' };
    const { userId, deviceId } = device;
    if (await devices.swap(device, withoutToken(device, await tokens.issue(userId, deviceId))))
      return { kind: 'stolen', device, isFirst: true };
    return explainStale(await devices.find(userId, deviceId), seen, true);
  }
}

/** Returns the device with a token that no browser has: it was issued and thrown away. */
function withoutToken(device: TrustedDevice, { tokenHash }: IssuedToken): TrustedDevice {
  return { ...device, tokenHash, previousHash: tokenHash };
}

function isWithoutToken({ tokenHash, previousHash }: TrustedDevice): boolean {
  return previousHash === tokenHash;
}

/** The token in a device's cookie. */
export interface DeviceToken {
  readonly deviceId: string;
  /** What is stored of the token. */
  readonly tokenHash: string;
}

/** A new token, with the value of its cookie. */
export interface IssuedToken extends DeviceToken {
  readonly value: string;
}

const DEVICE_ID_BYTES = 16;
/** 256 bits. */
const TOKEN_BYTES = 32;
/** Base64url of these sizes and of a digest. */
const COOKIE = /^(?<deviceId>[\w-]{22})\.(?<token>[\w-]{43})\.(?<shown>[\w-]{43})$/;

/**
 * Makes the values of device cookies: `deviceId.token.seal`. The seal distinguishes a token that
 * was issued to this user from one that was made up: only the former, shown again after it was
 * replaced, is a sign of theft.
 */
export function createDeviceTokens(
  digests: readonly KeyedDigest[],
  randomBytes: (size: number) => Uint8Array,
) {
  const random = (size: number): string => Buffer.from(randomBytes(size)).toString('base64url');
  /** One seal for each secret: the first is issued, all are read. */
  const seals = (...strings: readonly string[]): Promise<readonly string[]> =>
    Promise.all(digests.map((digest) => digest('device-token', ...strings)));
  return {
    /** @param deviceId The device that gets another token. Left out: a new one. */
    async issue(userId: string, deviceId = random(DEVICE_ID_BYTES)): Promise<IssuedToken> {
      const token = random(TOKEN_BYTES);
      const [seal] = await seals(userId, deviceId, token);
      const value = [deviceId, token, seal].join('.');
      return { deviceId, tokenHash: toHash(token), value };
    },
    /** Returns null for a value that was never issued to this user. */
    async read(userId: string, value: string): Promise<DeviceToken | null> {
      const { deviceId, token, shown } = COOKIE.exec(value)?.groups ?? {};
      if (deviceId === undefined || token === undefined || shown === undefined) return null;
      const genuine = await seals(userId, deviceId, token);
      // All are digests of the same length.
      const isGenuine = genuine.some((seal) =>
        timingSafeEqual(Buffer.from(shown), Buffer.from(seal)),
      );
      return isGenuine ? { deviceId, tokenHash: toHash(token) } : null;
    },
  };
}

function toHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
