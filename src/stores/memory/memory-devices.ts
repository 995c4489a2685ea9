import { RECOVERY_CODE_LIFE_SECONDS } from '../check-values';
import type { Records } from '../load-records';
import type {
  BrowserStore,
  DeviceStore,
  KnownBrowser,
  RecoveryCodeStore,
  TrustedDevice,
} from '../store';
import { DatedMap } from './dated-map';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

export function memoryDevices(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): DeviceStore {
  const devices = new DatedMap<TrustedDevice>(maxEntries, now);

  return {
    add: async (device, ttlSeconds, most) => {
      (await records).checkDevice(device, ttlSeconds, most);
      const { userId, deviceId: id, createdAt: date } = device;
      devices.add({ userId, id, date, value: { ...device } }, ttlSeconds, most);
    },
    rotate: async (userId, deviceId, token) => {
      (await records).checkRotation(token);
      const stored = devices.find(userId, deviceId);
      if (stored === undefined) return { outcome: 'unknown' };
      const { seenHash, nextHash, usedAt } = token;
      if (stored.value.tokenHash !== seenHash) return { outcome: 'stale', device: stored.value };
      stored.value = {
        ...stored.value,
        tokenHash: nextHash,
        previousHash: seenHash,
        lastUsedAt: usedAt,
      };
      return { outcome: 'rotated', device: stored.value };
    },
    list: (userId) => toPromise(() => devices.values(userId)),
    remove: (userId, deviceId) => toPromise(() => devices.remove(userId, deviceId)),
    removeAll: (userId) => toPromise(() => devices.removeAll(userId).length),
  };
}

export function memoryBrowsers(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): BrowserStore {
  const browsers = new DatedMap<KnownBrowser>(maxEntries, now);

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      const { userId, browserId: id, seenAt: date } = browser;
      return browsers.add({ userId, id, date, value: { ...browser } }, ttlSeconds, most);
    },
    list: (userId) => toPromise(() => browsers.values(userId).toReversed()),
    forget: (userId) => toPromise(() => browsers.removeAll(userId)),
  };
}

export function memoryRecoveryCodes(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): RecoveryCodeStore {
  const users = new ExpiringMap<StoredCodes>(maxEntries, now);

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
      const found = users.get(userId);
      if (options?.isFirst === true && found !== undefined) return false;
      if (found !== undefined) users.delete(found);
      if (hashes.length > 0) {
        users.makeRoom(1);
        const deadlineMs = now() + RECOVERY_CODE_LIFE_SECONDS * 1000;
        users.add({ key: userId, hashes: new Set(hashes), deadlineMs });
      }
      return true;
    },
    spend: (userId, hash) => toPromise(() => spend(userId, hash)),
    count: (userId) => toPromise(() => users.get(userId)?.hashes.size ?? 0),
  };
}

/** The recovery codes of one user. */
interface StoredCodes extends Expiring {
  readonly hashes: Set<string>;
}
