import { failureCounter } from '../limits/limits';
import type { LoginContext } from '../login/context';
import type { DeviceEnd } from '../login/events';
import { findUser, toUserIdText } from '../login/users';
import type { TrustedDevice, UserId } from '../stores/store';
import type { DeviceRegistry } from './device-tokens';
import type { KeyedDigest } from '../login/context';

/** The option `trustedDevices`. */
export interface TrustedDevicesOption {
  /**
   * Returns a string that changes with the user's password, such as its hash. Changing it ends all trust. The user is as
   * `loadUser` returned it. Only a keyed digest of the string is stored. An empty string is a `TypeError`.
   */
  getPasswordVersion(user: Express.User): string | Promise<string>;
  /** Days a device is trusted, counted from the code, however often it is used: 1 to 90. Default: 30. */
  readonly maxAgeDays?: number | undefined;
  /** Devices a user may have; the oldest is removed first: 1 to 20. Default: 5. */
  readonly maxDevices?: number | undefined;
  /** Name of the cookie; begins with `__Host-`. Default: `__Host-sms-otp-device`. */
  readonly cookieName?: string | undefined;
}

/** What a device's trust hangs on, as a keyed digest: the password, and all confirmed numbers in no order. */
export type BindDevice = (user: Express.User, userId: string) => Promise<string>;

export function createDeviceBinding(
  { listPhones }: Pick<LoginContext, 'listPhones'>,
  { getPasswordVersion }: Pick<TrustedDevicesOption, 'getPasswordVersion'>,
  digest: KeyedDigest,
): BindDevice {
  return async (user, userId) => {
    const version: unknown = await getPasswordVersion(user);
    // A version that is always missing would never change, and the devices outlive every password.
    if (typeof version !== 'string' || version === '') {
      throw new TypeError('getPasswordVersion must give a text that is not empty');
    }
    const mobiles = await listPhones(user);
    return digest('device-binding', userId, version, ...mobiles.toSorted());
  };
}

/** A trusted device as its user's page may show it. Times are milliseconds since 1970. */
export type ListedDevice = Pick<
  TrustedDevice,
  'deviceId' | 'label' | 'createdAt' | 'lastUsedAt' | 'expiresAt'
>;

/** What a user may do with the devices on which no code is asked for. Each call may throw a `StoreError`. */
export interface TrustedDevices {
  /** The user's devices, oldest first. `label` may be empty. */
  readonly list: (userId: UserId) => Promise<readonly ListedDevice[]>;
  /** Trusts a device no more; true when it was trusted. Its sessions stay. */
  readonly revoke: (userId: UserId, deviceId: string) => Promise<boolean>;
  /** Trusts none of the user's devices any more; how many there were. */
  readonly revokeAll: (userId: UserId) => Promise<number>;
}

/** Revokes all devices of a user for a reason of ours. */
export type RevokeDevices = (userId: string, why: DeviceEnd, address: string | undefined) => Promise<number>;

/** The public part, and the one for our own reasons. */
export interface DeviceAdmin extends TrustedDevices {
  readonly revokeFor: RevokeDevices;
}

/** Tells that a device is trusted no more. */
function tellDeviceEnd(
  emit: LoginContext['emit'],
  { userId, deviceId, label }: TrustedDevice,
  why: DeviceEnd,
  address: string | undefined,
): void {
  emit({ type: 'device-revoked', userId, address, deviceId, label, reason: why });
}

export function createDeviceAdmin({ emit }: Pick<LoginContext, 'emit'>, book: DeviceRegistry): DeviceAdmin {
  async function revokeFor(userId: string, why: DeviceEnd, address: string | undefined): Promise<number> {
    const devices = await book.list(userId);
    const removed = await book.removeAll(userId);
    for (const device of devices) tellDeviceEnd(emit, device, why, address);
    return removed;
  }

  return {
    async list(id) {
      const devices = await book.list(toUserIdText(id).userId);
      return devices.map(({ deviceId, label, createdAt, lastUsedAt, expiresAt }) => {
        return { deviceId, label, createdAt, lastUsedAt, expiresAt };
      });
    },
    async revoke(id, deviceId) {
      const { userId } = toUserIdText(id);
      const device = (await book.list(userId)).find((one) => one.deviceId === deviceId);
      if (device === undefined || !(await book.remove(userId, deviceId))) return false;
      tellDeviceEnd(emit, device, 'revoked', undefined);
      return true;
    },
    revokeAll: (id) => revokeFor(toUserIdText(id).userId, 'revoked', undefined),
    revokeFor,
  };
}

/** The cookie a device is to hold from now on. */
export interface DeviceCookie {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a device's cookie is worth at a login. */
export type DeviceAuthentication =
  | {
      readonly kind: 'trusted';
      /** As `loadUser` gave it, like after a right code. */
      readonly user: Express.User;
      readonly userId: string;
      readonly at: number;
      readonly cookie: DeviceCookie;
    }
  /** No trust now; the cookie stays as it is. */
  | { readonly kind: 'not-now' }
  /** Good for nothing: it goes. */
  | { readonly kind: 'worthless' }
  /** The same, and two have had it. */
  | { readonly kind: 'stolen' };

/** Whose device it is, and what came with the request. */
export interface DeviceRequest {
  readonly user: Express.User;
  /** What the cookie holds, untouched; undefined when there is none. */
  readonly value: string | undefined;
  readonly address: string | undefined;
}

/** Trust in devices, as a login needs it. */
export interface DeviceAuthenticator {
  /**
   * The decision to ask for no code on this device. Accidents and what the app's own callbacks throw go on: nobody is in.
   */
  readonly authenticate: (question: DeviceRequest) => Promise<DeviceAuthentication>;
  /** Trusts the device from now on, in place of what its cookie said before. */
  readonly trust: (question: DeviceRequest & { readonly label: string }) => Promise<DeviceCookie>;
}

export function createDeviceAuthenticator(
  parts: LoginContext,
  book: DeviceRegistry,
  bind: BindDevice,
): DeviceAuthenticator {
  const { emit, now } = parts;

  /**
   * While the user's second factor is locked or disabled, a device is not trusted either: somebody who knows the password
   * is guessing, and then no way in is left that is shorter than the one being guarded.
   */
  async function isLocked(userId: string): Promise<boolean> {
    const counter = { ...failureCounter(parts.settings.limits, userId), isOnlyRead: true };
    const { refusedBy } = await parts.store.counters.charge([counter]);
    return refusedBy !== null;
  }

  return {
    async authenticate({ user: firstFactorUser, value, address }) {
      if (value === undefined) return { kind: 'not-now' };
      const identity = toUserIdText(parts.getUserId(firstFactorUser));
      const { userId } = identity;
      if (await isLocked(userId)) return { kind: 'not-now' };
      // Who is gone or disabled passes no second factor: the way of the code tells it.
      const user = await findUser(parts, { ...identity, purpose: 'login' }, undefined);
      if (user === null) return { kind: 'not-now' };
      // Asked before the token is replaced: what the app throws here changes nothing.
      const binding = await bind(user, userId);
      const shown = await book.rotate(userId, value);
      if (shown.kind === 'just-replaced') return { kind: 'not-now' };
      if (shown.kind === 'unknown') return { kind: 'worthless' };
      const { device } = shown;
      if (shown.kind === 'stolen') {
        tellDeviceEnd(emit, device, 'stolen', address);
        return { kind: 'stolen' };
      }
      if (device.binding !== binding) {
        // False: another request has removed it in between, and has told.
        if (await book.remove(userId, device.deviceId)) tellDeviceEnd(emit, device, 'changed', address);
        return { kind: 'worthless' };
      }
      const { deviceId, label, expiresAt } = device;
      emit({ type: 'device-used', userId, address, deviceId, label });
      return { kind: 'trusted', user, userId, at: now(), cookie: { value: shown.value, expiresAt } };
    },
    async trust({ user, value, address, label }) {
      const { userId } = toUserIdText(parts.getUserId(user));
      const binding = await bind(user, userId);
      if (value !== undefined) await book.removeByToken(userId, value);
      const added = await book.add({ userId, binding, label });
      const { deviceId, expiresAt } = added.device;
      emit({ type: 'device-trusted', userId, address, deviceId, label });
      return { value: added.value, expiresAt };
    },
  };
}
