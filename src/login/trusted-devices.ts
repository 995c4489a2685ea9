import type { DeviceBook } from '../factors/device-book';
import type { TrustedDevice, UserId } from '../stores/store';
import type { DeviceEnd } from './life-events';
import type { LoginParts } from './login-parts';
import { toUserIdText } from './user-id';

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
export function tellDeviceEnd(
  emit: LoginParts['emit'],
  { userId, deviceId, label }: TrustedDevice,
  why: DeviceEnd,
  address: string | undefined,
): void {
  emit({ type: 'device-revoked', userId, address, deviceId, label, why });
}

export function createDeviceAdmin({ emit }: Pick<LoginParts, 'emit'>, book: DeviceBook): DeviceAdmin {
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
