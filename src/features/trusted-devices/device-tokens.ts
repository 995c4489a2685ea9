import { createHash, timingSafeEqual } from 'node:crypto';
import { DAY_SECONDS } from '../../limits/charge';
import type { KeyedDigest } from '../../keys';
import { repeatUntilDone } from '../../core/repeat';
import type { RecordSet } from '../../stores/record-sets';
import type { PutResult, RecordPut, StoredRecord, TrustedDevice } from '../../stores/store';

/** The result of checking a token. */
export type DeviceTokenCheck =
  /** A device of the user, and the token that a success puts in place of its own. */
  | { readonly kind: 'known'; readonly device: TrustedDevice; readonly next: PreparedToken }
  /** The token was replaced less than 10 s ago: the device counts as neither trusted nor stolen. */
  | { readonly kind: 'just-replaced' }
  /**
   * The token was replaced longer ago and shown again, so two browsers have it. No token of the
   * device is trusted any more, and each one is reported as stolen until the device is removed.
   */
  | {
      readonly kind: 'stolen';
      readonly device: TrustedDevice;
      /** Whether this request is the first one to notice it. */
      readonly isFirst: boolean;
    }
  /** The token was never issued to this user, or the device was removed or has expired. */
  | { readonly kind: 'unknown' };

/** A device's record with another token, to be written with a success. */
interface PreparedToken {
  readonly put: RecordPut;
  /** The next value of the cookie. */
  readonly value: string;
  /**
   * Takes the token back, so that the one before is valid again. Never rejects.
   * @param result Null: the record may have been written.
   */
  readonly undo: (result: PutResult | null) => Promise<void>;
}

interface DeviceRegistryOptions {
  readonly devices: RecordSet<TrustedDevice>;
  readonly tokens: ReturnType<typeof createDeviceTokens>;
  readonly maxAgeDays: number;
  readonly now: () => number;
}

/**
 * Milliseconds for which a replaced token does not count as stolen: two tabs may show the same
 * token at the same time.
 */
const GRACE_MS = 10_000;

/** The most devices of a user. A new one replaces the oldest. */
const MOST_DEVICES = 5;

/** The trusted devices of all users. */
export type DeviceRegistry = Readonly<ReturnType<typeof createDeviceRegistry>>;

export function createDeviceRegistry(options: DeviceRegistryOptions) {
  const { devices, tokens, maxAgeDays, now } = options;
  return {
    /**
     * Makes a device, and replaces the one that a cookie names.
     * @param value The cookie's value; undefined if there is none.
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
    /** Checks the token of a cookie, and prepares the next one. */
    async check(userId: string, value: string): Promise<DeviceTokenCheck> {
      const seen = await tokens.read(userId, value);
      if (seen === null) return { kind: 'unknown' };

      const device = await devices.find(userId, seen.deviceId);
      if (device?.tokenHash !== seen.tokenHash) return explainStale(device, seen);
      const issued = await tokens.issue(userId, seen.deviceId);
      return { kind: 'known', device, next: prepareNext(device, issued) };
    },
    /** Lists the devices that are still trusted, the oldest first. */
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
      // If another request has changed the device since its token was checked, the login fails.
      put: devices.toPut(next, { ifTag: record.tag }),
      value,
      undo: (result) => takeBack(next, result === null ? record : result.replaced),
    };
  }

  async function takeBack(written: TrustedDevice, replaced: StoredRecord | null): Promise<void> {
    await repeatUntilDone(() => devices.undo(written, replaced)).first;
  }

  /**
   * Explains why a device has another token than the one shown.
   * @param hasLost Whether another request has changed the device since this one read it.
   */
  async function explainStale(
    device: TrustedDevice | null,
    seen: DeviceToken,
    hasLost = false,
  ): Promise<DeviceTokenCheck> {
    if (device === null) return { kind: 'unknown' };
    // Of two requests that notice a theft at the same time, one reports it and ends everything. A
    // later one completes what the first one has left.
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

/** Returns the device with a token that no browser has: it was issued and discarded. */
function withoutToken(device: TrustedDevice, { tokenHash }: IssuedToken): TrustedDevice {
  return { ...device, tokenHash, previousHash: tokenHash };
}

function isWithoutToken({ tokenHash, previousHash }: TrustedDevice): boolean {
  return previousHash === tokenHash;
}

/** The token in a device's cookie. */
export interface DeviceToken {
  readonly deviceId: string;
  /** The hash of the token, which is all that is stored. */
  readonly tokenHash: string;
}

/** A new token, with the value of its cookie. */
export interface IssuedToken extends DeviceToken {
  readonly value: string;
}

const DEVICE_ID_BYTES = 16;
const TOKEN_BYTES = 32;
/** Matches the id, the token and the seal in base64url. */
const COOKIE = /^(?<deviceId>[\w-]{22})\.(?<token>[\w-]{43})\.(?<shown>[\w-]{43})$/;

/**
 * Creates the values of device cookies: `deviceId.token.seal`. The seal distinguishes an issued
 * token from an invented one. Only an issued token that is shown again after its replacement is a
 * sign of theft.
 */
export function createDeviceTokens(
  digests: readonly KeyedDigest[],
  randomBytes: (size: number) => Uint8Array,
) {
  const random = (size: number): string => Buffer.from(randomBytes(size)).toString('base64url');
  /** One seal per secret: the first is issued, all of them are accepted. */
  const seals = (...strings: readonly string[]): Promise<readonly string[]> =>
    Promise.all(digests.map((digest) => digest('device-token', ...strings)));
  return {
    /**
     * Issues a token.
     * @param deviceId The device that gets the token. Left out: a new one.
     */
    async issue(userId: string, deviceId = random(DEVICE_ID_BYTES)): Promise<IssuedToken> {
      const token = random(TOKEN_BYTES);
      const [seal] = await seals(userId, deviceId, token);
      const value = [deviceId, token, seal].join('.');
      return { deviceId, tokenHash: toHash(token), value };
    },
    /** Returns the token of a cookie; null if it was never issued to this user. */
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
