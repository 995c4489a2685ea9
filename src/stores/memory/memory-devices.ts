import { checkDevice, checkRotation } from '../check-input';
import { sortDevices } from '../device-record';
import type { DeviceRotation, DeviceStore, TrustedDevice } from '../store';
import { createBoundedMap, type Entry } from './bounded-map';
import { promise } from './promise';

interface Kept extends Entry {
  device: TrustedDevice;
}

type Token = Parameters<DeviceStore['rotate']>[2];

export function memoryDevices(maxEntries: number, now: () => number): DeviceStore {
  /** The keys of each user's devices. */
  const keysOf = new Map<string, Set<string>>();
  const devices = createBoundedMap<Kept>(maxEntries, now, forget);

  function forget({ key, device: { userId } }: Kept): void {
    const keys = keysOf.get(userId);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(userId);
  }

  function liveOf(userId: string): readonly Kept[] {
    return [...(keysOf.get(userId) ?? [])].flatMap((key) => devices.get(key) ?? []);
  }

  function list(userId: string): readonly TrustedDevice[] {
    return sortDevices(liveOf(userId).map(({ device }) => device));
  }

  function add(device: TrustedDevice, ttlSeconds: number, most: number): void {
    checkDevice(device, ttlSeconds, most);
    const { userId, deviceId } = device;
    remove(userId, deviceId);
    // The one that is added stays: `most` less one of the others do.
    const others = list(userId);
    for (const oldest of others.slice(0, Math.max(0, others.length - most + 1)))
      remove(userId, oldest.deviceId);
    devices.makeRoom(1);
    const key = keyOf(userId, deviceId);
    devices.put({ key, device: { ...device }, deadlineMs: now() + ttlSeconds * 1000, position: -1 });
    keysOf.set(userId, (keysOf.get(userId) ?? new Set()).add(key));
  }

  function rotate(userId: string, deviceId: string, { seenHash, nextHash, usedAt }: Token): DeviceRotation {
    const kept = devices.get(keyOf(userId, deviceId));
    if (kept === undefined) return { outcome: 'unknown' };
    if (kept.device.tokenHash !== seenHash) return { outcome: 'stale', device: kept.device };
    kept.device = { ...kept.device, tokenHash: nextHash, previousHash: seenHash, lastUsedAt: usedAt };
    return { outcome: 'rotated', device: kept.device };
  }

  function remove(userId: string, deviceId: string): boolean {
    const kept = devices.get(keyOf(userId, deviceId));
    if (kept !== undefined) devices.delete(kept);
    return kept !== undefined;
  }

  function removeAll(userId: string): number {
    const kept = liveOf(userId);
    for (const one of kept) devices.delete(one);
    return kept.length;
  }

  return {
    add: (device, ttlSeconds, most) => promise(() => add(device, ttlSeconds, most)),
    rotate: (userId, deviceId, token) =>
      promise(() => {
        checkRotation(token);
        return rotate(userId, deviceId, token);
      }),
    list: (userId) => promise(() => list(userId)),
    remove: (userId, deviceId) => promise(() => remove(userId, deviceId)),
    removeAll: (userId) => promise(() => removeAll(userId)),
  };
}

/** Ids are any text: no other pair makes the same. */
function keyOf(userId: string, deviceId: string): string {
  return JSON.stringify([userId, deviceId]);
}
