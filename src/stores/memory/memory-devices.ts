import { checkDevice, checkHashes, checkRotation, RECOVERY_CODE_LIFE_SECONDS, sortDevices } from '../records';
import type { DeviceRotation, DeviceStore, RecoveryCodeStore, TrustedDevice } from '../store';
import { createBoundedMap, type Entry, promise } from './bounded-map';

interface KeptDevice extends Entry {
  device: TrustedDevice;
}

type Token = Parameters<DeviceStore['rotate']>[2];

export function memoryDevices(maxEntries: number, now: () => number): DeviceStore {
  /** The keys of each user's devices. */
  const keysOf = new Map<string, Set<string>>();
  const devices = createBoundedMap<KeptDevice>(maxEntries, now, forget);

  function forget({ key, device: { userId } }: KeptDevice): void {
    const keys = keysOf.get(userId);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(userId);
  }

  function liveOf(userId: string): readonly KeptDevice[] {
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

/** The codes of one user. */
interface KeptCodes extends Entry {
  readonly hashes: Set<string>;
}

export function memoryRecoveryCodes(maxEntries: number, now: () => number): RecoveryCodeStore {
  const users = createBoundedMap<KeptCodes>(maxEntries, now);

  function replace(userId: string, hashes: readonly string[], isFirst: boolean): boolean {
    checkHashes(hashes);
    const found = users.get(userId);
    if (isFirst && found !== undefined) return false;
    if (found !== undefined) users.delete(found);
    if (hashes.length > 0) keep(userId, hashes);
    return true;
  }

  function keep(userId: string, hashes: readonly string[]): void {
    users.makeRoom(1);
    const deadlineMs = now() + RECOVERY_CODE_LIFE_SECONDS * 1000;
    users.put({ key: userId, hashes: new Set(hashes), deadlineMs, position: -1 });
  }

  function spend(userId: string, hash: string): { isSpent: boolean; left: number } {
    const found = users.get(userId);
    const isSpent = found?.hashes.delete(hash) === true;
    // Who has spent the last one has none, and gives the room back.
    if (found?.hashes.size === 0) users.delete(found);
    return { isSpent, left: found?.hashes.size ?? 0 };
  }

  return {
    replace: (userId, hashes, options) => promise(() => replace(userId, hashes, options?.isFirst === true)),
    spend: (userId, hash) => promise(() => spend(userId, hash)),
    count: (userId) => promise(() => users.get(userId)?.hashes.size ?? 0),
  };
}
