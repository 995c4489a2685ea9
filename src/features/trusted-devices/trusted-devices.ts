import type { KeyedDigest } from '../../keys';
import { MESSAGE } from '../../core/addresses';
import { findLock } from '../../core/charge-send';
import type { Core } from '../../core/context';
import type { PreparedCookie } from '../../core/prepared-cookie';
import type { DeviceEnd } from '../../events';
import { findPhones } from '../../core/phones';
import { findUser, toUserIdText, type VerifiedMark } from '../../core/users';
import type { TrustedDevice, UserId } from '../../stores/store';
import type { DeviceRegistry, DeviceTokenCheck } from './device-tokens';

/** The option `trustedDevices`. */
export interface TrustedDevicesOption {
  /**
   * Returns a string that changes with the user's password, such as `String(user.passwordVersion)`.
   * Do not return the password's hash: the user is the one from `loadUser`, who becomes `req.user`.
   * A changed string ends all trust. Only a keyed digest of it is stored. An empty string is a
   * `TypeError`.
   */
  getPasswordVersion(user: Express.User): string | Promise<string>;
  /**
   * Days that a device is trusted, counted from the code, however often it is used: 1 to 90.
   * Default: 30.
   */
  readonly maxAgeDays?: number | undefined;
}

/** Decides about trust in devices at a login. */
export type DeviceAuthenticator = Readonly<ReturnType<typeof createDeviceAuthenticator>>;

/** The user of the device, and what came with the request. */
export interface DeviceRequest {
  readonly user: Express.User;
  /** The cookie's value, unchecked; undefined if there is none. */
  readonly value: string | undefined;
  readonly address: string | undefined;
}

/** A device that may need no code. */
export interface DeviceLoginRequest extends DeviceRequest {
  /** The user's browser for which attempts are counted. */
  readonly bucket: string;
}

/** Whether a device needs no code at a login. */
export type DeviceAuthentication =
  | {
      readonly kind: 'trusted';
      /** The user as `loadUser` returned it, as after a right code. */
      readonly user: Express.User;
      readonly mark: VerifiedMark;
      /** The next token of the device, which is written with the login. */
      readonly next: PreparedCookie;
    }
  /** The device is not trusted now. Its cookie stays as it is. */
  | { readonly kind: 'not-now' }
  /** The device is no longer trusted. Its cookie is removed. */
  | { readonly kind: 'worthless' }
  /**
   * Two browsers have had the token, so the device is no longer trusted. `removeStolen` removes it
   * after everything else of the user has ended.
   */
  | { readonly kind: 'stolen'; readonly deviceId: string };

export function createDeviceAuthenticator(core: Core, registry: DeviceRegistry, bind: BindDevice) {
  const { emit, now } = core;

  return {
    /**
     * Decides whether this device needs no code. Rethrows errors of the store and of the app's own
     * callbacks.
     */
    async authenticate(request: DeviceLoginRequest): Promise<DeviceAuthentication> {
      const { user: firstFactorUser, value, address, bucket } = request;
      if (value === undefined) return { kind: 'not-now' };
      const identity = toUserIdText(core.getUserId(firstFactorUser));
      const { userId } = identity;
      // Someone who knows the password is guessing codes, and must not find a way around the lock.
      // Guesses in other browsers do not lock a known one.
      const locked = await findLock(core, { user: userId, method: MESSAGE }, bucket);
      if (locked !== null) return { kind: 'not-now' };
      // A deleted or disabled user is refused later, when the message would be sent.
      const user = await findUser(core, { ...identity, purpose: 'login' }, undefined);
      if (user === null) return { kind: 'not-now' };
      const bindings = await bind(user, userId);
      if (bindings === null) return { kind: 'not-now' };
      const shown = await registry.check(userId, value);
      if (shown.kind === 'just-replaced') return { kind: 'not-now' };
      if (shown.kind === 'unknown') return { kind: 'worthless' };
      const { device } = shown;
      if (shown.kind === 'stolen') {
        if (shown.isFirst) emitDeviceEnd(emit, device, 'stolen', address);
        return { kind: 'stolen', deviceId: device.deviceId };
      }
      if (!bindings.includes(device.binding)) {
        // If it is already removed, another request has emitted the event.
        if (await registry.remove(userId, device.deviceId))
          emitDeviceEnd(emit, device, 'changed', address);
        return { kind: 'worthless' };
      }
      const mark: VerifiedMark = { userId, method: 'trusted-device', at: now() };
      return { kind: 'trusted', user, mark, next: toNextCookie(shown, address) };
    },
    /** Removes a stolen device. Until then its cookie is recognized as stolen. */
    async removeStolen(user: Express.User, deviceId: string): Promise<void> {
      await registry.remove(toUserIdText(core.getUserId(user)).userId, deviceId);
    },
    /**
     * Prepares the trust in a device, and replaces the one that its cookie named. Returns null if
     * the user's numbers are not known now.
     */
    async prepare({
      user,
      value,
      address,
      label,
    }: DeviceRequest & { readonly label: string }): Promise<PreparedCookie | null> {
      const { userId } = toUserIdText(core.getUserId(user));
      const bindings = await bind(user, userId);
      if (bindings === null) return null;
      const [binding = ''] = bindings;
      const prepared = await registry.prepare({ userId, binding, label }, value);
      const { device, put, undo } = prepared;
      const { deviceId, expiresAt } = device;
      return {
        put,
        undo,
        done() {
          emit({ type: 'device-trusted', userId, address, deviceId, label });
          return Promise.resolve({ value: prepared.value, expiresAt });
        },
      };
    },
  };

  /**
   * Prepares the next token. A token is accepted for one login only: of two requests that show it
   * at the same time, one is let in.
   */
  function toNextCookie(
    { device, next }: Extract<DeviceTokenCheck, { readonly kind: 'known' }>,
    address: string | undefined,
  ): PreparedCookie {
    const { put, value, undo } = next;
    const { userId, deviceId, label, expiresAt } = device;
    return {
      put,
      undo,
      done() {
        emit({ type: 'device-used', userId, address, deviceId, label });
        return Promise.resolve({ value, expiresAt });
      },
    };
  }
}

/**
 * Returns keyed digests, one per secret, of what a trusted device depends on: the password version
 * and the sorted confirmed numbers. The first one is stored. Null if the numbers are not known: the
 * device is not trusted now, but stays for later.
 */
export type BindDevice = (user: Express.User, userId: string) => Promise<readonly string[] | null>;

export function createDeviceBinding(
  core: Pick<Core, 'listPhones' | 'warn'>,
  { getPasswordVersion }: Pick<TrustedDevicesOption, 'getPasswordVersion'>,
  digests: readonly KeyedDigest[],
): BindDevice {
  return async (user, userId) => {
    const version: unknown = await getPasswordVersion(user);
    // A version that is always missing would never change, so devices would stay trusted after
    // every change of the password.
    if (typeof version !== 'string' || version === '') {
      throw new TypeError('getPasswordVersion must return a string that is not empty');
    }
    const phones = await findPhones(core, user);
    if ('found' in phones) return null;
    const mobiles = phones.map(({ mobile }) => mobile);
    const strings = ['device-binding', userId, version, ...mobiles.toSorted()];
    return Promise.all(digests.map((digest) => digest(...strings)));
  };
}

/** A trusted device as its user's page may show it. Times are milliseconds since 1970. */
export type ListedDevice = Pick<
  TrustedDevice,
  'deviceId' | 'label' | 'createdAt' | 'lastUsedAt' | 'expiresAt'
>;

export function toListedDevice(device: TrustedDevice): ListedDevice {
  const { deviceId, label, createdAt, lastUsedAt, expiresAt } = device;
  return { deviceId, label, createdAt, lastUsedAt, expiresAt };
}

/** Lists and revokes the devices that need no code. Calls may reject with a `StoreError`. */
export interface TrustedDevices {
  /** Lists the user's devices, the oldest first. `label` may be empty. */
  readonly list: (userId: UserId) => Promise<readonly ListedDevice[]>;
  /**
   * Ends the trust in a device; returns whether it was trusted. Sessions of the device stay logged
   * in.
   */
  readonly revoke: (userId: UserId, deviceId: string) => Promise<boolean>;
  /** Ends the trust in all of the user's devices; returns how many there were. */
  readonly revokeAll: (userId: UserId) => Promise<number>;
}

/** Revokes all devices of a user, or all but one, for a reason of the library. */
export type RevokeDevices = (
  userId: string,
  reason: DeviceEnd,
  address: string | undefined,
  except?: string,
) => Promise<number>;

/** The public calls, and those for the library's own reasons. */
export interface DeviceAdmin extends TrustedDevices {
  readonly revokeFor: RevokeDevices;
}

export function createDeviceAdmin(
  { emit }: Pick<Core, 'emit'>,
  registry: DeviceRegistry,
): DeviceAdmin {
  const revokeFor: RevokeDevices = async (userId, reason, address, except) => {
    const listed = await registry.list(userId);
    const removed = await registry.removeAll(userId, except);
    const devices = listed.filter(({ deviceId }) => deviceId !== except);
    for (const device of devices) emitDeviceEnd(emit, device, reason, address);
    return removed;
  };

  return {
    list: async (id) => (await registry.list(toUserIdText(id).userId)).map(toListedDevice),
    async revoke(id, deviceId) {
      const { userId } = toUserIdText(id);
      const device = (await registry.list(userId)).find((one) => one.deviceId === deviceId);
      if (device === undefined || !(await registry.remove(userId, deviceId))) return false;
      emitDeviceEnd(emit, device, 'revoked', undefined);
      return true;
    },
    revokeAll: (id) => revokeFor(toUserIdText(id).userId, 'revoked', undefined),
    revokeFor,
  };
}

function emitDeviceEnd(
  emit: Core['emit'],
  { userId, deviceId, label }: TrustedDevice,
  reason: DeviceEnd,
  address: string | undefined,
): void {
  emit({ type: 'device-revoked', userId, address, deviceId, label, reason });
}
