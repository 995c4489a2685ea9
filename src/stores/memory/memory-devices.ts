import { RECOVERY_CODE_LIFE_SECONDS, sortDevices } from '../check-values';
import type { Records } from '../load-records';
import type { DeviceRotation, DeviceStore, RecoveryCodeStore, TrustedDevice } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

export function memoryDevices(maxEntries: number, now: () => number, records: Promise<Records>): DeviceStore {
  const devices = new ExpiringMap<StoredDevice>(maxEntries, now, forget);
  /** The keys of each user's devices. */
  const keysByUser = new Map<string, Set<string>>();

  function forget({ key, device: { userId } }: StoredDevice): void {
    const keys = keysByUser.get(userId);
    keys?.delete(key);
    if (keys?.size === 0) keysByUser.delete(userId);
  }

  function liveOf(userId: string): readonly StoredDevice[] {
    return [...(keysByUser.get(userId) ?? [])].flatMap((key) => devices.get(key) ?? []);
  }

  function list(userId: string): readonly TrustedDevice[] {
    return sortDevices(liveOf(userId).map(({ device }) => device));
  }

  function add(device: TrustedDevice, ttlSeconds: number, most: number): void {
    const { userId, deviceId } = device;
    remove(userId, deviceId);
    // The added device stays: of the others there is room for one fewer.
    const others = list(userId);
    for (const oldest of others.slice(0, Math.max(0, others.length - most + 1)))
      remove(userId, oldest.deviceId);
    devices.makeRoom(1);
    const key = toKey(userId, deviceId);
    devices.add({ key, device: { ...device }, deadlineMs: now() + ttlSeconds * 1000 });
    keysByUser.set(userId, (keysByUser.get(userId) ?? new Set()).add(key));
  }

  function rotate(userId: string, deviceId: string, { seenHash, nextHash, usedAt }: Token): DeviceRotation {
    const stored = devices.get(toKey(userId, deviceId));
    if (stored === undefined) return { outcome: 'unknown' };
    if (stored.device.tokenHash !== seenHash) return { outcome: 'stale', device: stored.device };
    stored.device = { ...stored.device, tokenHash: nextHash, previousHash: seenHash, lastUsedAt: usedAt };
    return { outcome: 'rotated', device: stored.device };
  }

  function remove(userId: string, deviceId: string): boolean {
    const stored = devices.get(toKey(userId, deviceId));
    if (stored !== undefined) devices.delete(stored);
    return stored !== undefined;
  }

  function removeAll(userId: string): number {
    const live = liveOf(userId);
    for (const stored of live) devices.delete(stored);
    return live.length;
  }

  return {
    add: async (device, ttlSeconds, most) => {
      (await records).checkDevice(device, ttlSeconds, most);
      add(device, ttlSeconds, most);
    },
    rotate: async (userId, deviceId, token) => {
      (await records).checkRotation(token);
      return rotate(userId, deviceId, token);
    },
    list: (userId) => toPromise(() => list(userId)),
    remove: (userId, deviceId) => toPromise(() => remove(userId, deviceId)),
    removeAll: (userId) => toPromise(() => removeAll(userId)),
  };
}

interface StoredDevice extends Expiring {
  device: TrustedDevice;
}

type Token = Parameters<DeviceStore['rotate']>[2];

/** Ids are arbitrary strings: JSON keeps any two pairs apart. */
function toKey(userId: string, deviceId: string): string {
  return JSON.stringify([userId, deviceId]);
}

export function memoryRecoveryCodes(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): RecoveryCodeStore {
  const users = new ExpiringMap<StoredCodes>(maxEntries, now);

  function replace(userId: string, hashes: readonly string[], isFirst: boolean): boolean {
    const found = users.get(userId);
    if (isFirst && found !== undefined) return false;
    if (found !== undefined) users.delete(found);
    if (hashes.length > 0) {
      users.makeRoom(1);
      const deadlineMs = now() + RECOVERY_CODE_LIFE_SECONDS * 1000;
      users.add({ key: userId, hashes: new Set(hashes), deadlineMs });
    }
    return true;
  }

  function spend(userId: string, hash: string): { isSpent: boolean; left: number } {
    const found = users.get(userId);
    const isSpent = found?.hashes.delete(hash) === true;
    // A user who has spent the last code gives the room back.
    if (found?.hashes.size === 0) users.delete(found);
    return { isSpent, left: found?.hashes.size ?? 0 };
  }

  return {
    replace: async (userId, hashes, options) => {
      (await records).checkHashes(hashes);
      return replace(userId, hashes, options?.isFirst === true);
    },
    spend: (userId, hash) => toPromise(() => spend(userId, hash)),
    count: (userId) => toPromise(() => users.get(userId)?.hashes.size ?? 0),
  };
}

/** The recovery codes of one user. */
interface StoredCodes extends Expiring {
  readonly hashes: Set<string>;
}
