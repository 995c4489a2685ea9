import { StoreError } from '../errors';
import { isText, membersOf, parseJson, RECORD_VERSION } from './records';
import type { DeviceRotation, TrustedDevice } from './store';

/** What this release writes, member for member. */
export function isDevice(value: unknown): value is TrustedDevice {
  const record = membersOf(value);
  return (
    record.version === RECORD_VERSION &&
    isText(record.deviceId) &&
    isText(record.userId) &&
    isTokenHash(record.tokenHash) &&
    (record.previousHash === null || isTokenHash(record.previousHash)) &&
    isText(record.binding) &&
    typeof record.label === 'string' &&
    Number.isFinite(record.createdAt) &&
    Number.isFinite(record.lastUsedAt) &&
    Number.isFinite(record.expiresAt)
  );
}

/** Base64url, as `TrustedDevice` says: Redis keeps it between colons. */
export function isTokenHash(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,128}$/.test(value);
}

/**
 * Reads a device that comes back from a store: foreign data.
 * @param keptBeside Members that the store keeps beside the record.
 * @throws {StoreError} `ERR_STORE` when it is not, member for member, what this release writes for that user.
 */
export function parseDevice(
  text: unknown,
  userId: string,
  keptBeside: Readonly<Record<string, unknown>> = {},
): TrustedDevice {
  const record = { ...membersOf(parseJson(text)), ...keptBeside };
  if (!isDevice(record) || record.userId !== userId) throw new StoreError('device: unknown record');
  return record;
}

/**
 * What came of a rotation.
 * @throws {StoreError} `ERR_STORE` when the outcome is another one, or the device is.
 */
export function toRotation(outcome: unknown, device: TrustedDevice, deviceId: string): DeviceRotation {
  const isKnown = outcome === 'rotated' || outcome === 'stale';
  if (!isKnown || device.deviceId !== deviceId) throw new StoreError('devices.rotate: unknown answer');
  return { outcome, device };
}

/** Oldest first; of one age in the order of their ids, so that every store gives the same. */
export function sortDevices(devices: readonly TrustedDevice[]): TrustedDevice[] {
  return devices.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.deviceId < other.deviceId ? -1 : 1),
  );
}
