import { StoreError } from '../../errors';
import { checkDevice, checkRotation } from '../check-input';
import { parseDevice, sortDevices, toRotation } from '../device-record';
import { requireWholeNumber } from '../records';
import type { DeviceRotation, DeviceStore, TrustedDevice } from '../store';
import { deviceStatements } from './device-statements';
import type { Row, RunQuery } from './run-query';
import type { Tables } from './schema';

export function postgresDevices(run: RunQuery, tables: Tables): DeviceStore {
  const statements = deviceStatements(tables);

  async function add(device: TrustedDevice, ttlSeconds: number, most: number): Promise<void> {
    checkDevice(device, ttlSeconds, most);
    const values = [device.userId, device.deviceId, JSON.stringify(device), ttlSeconds, most];
    const added = await run('devices.add', statements.add, values);
    if (added.length !== 1) throw new StoreError('devices.add: unknown record');
  }

  async function rotate(
    userId: string,
    deviceId: string,
    token: { readonly seenHash: string; readonly nextHash: string; readonly usedAt: number },
  ): Promise<DeviceRotation> {
    checkRotation(token);
    const { seenHash, nextHash, usedAt } = token;
    const changes = { tokenHash: nextHash, previousHash: seenHash, lastUsedAt: usedAt };
    const values = [userId, deviceId, seenHash, JSON.stringify(changes)];
    const [row] = await run('devices.rotate', statements.rotate, values);
    if (row === undefined) return { outcome: 'unknown' };
    return toRotation(row.outcome, toDevice(row, userId), deviceId);
  }

  async function removeAll(userId: string): Promise<number> {
    const [row] = await run('devices.removeAll', statements.removeAll, [userId]);
    return row === undefined ? 0 : requireWholeNumber('devices.removeAll', row.count);
  }

  return {
    add,
    rotate,
    list: async (userId) => {
      const rows = await run('devices.list', statements.list, [userId]);
      return sortDevices(rows.map((row) => toDevice(row, userId)));
    },
    remove: async (userId, deviceId) =>
      (await run('devices.remove', statements.remove, [userId, deviceId])).length === 1,
    removeAll,
  };
}

/** @throws {StoreError} `ERR_STORE` when the row is none that this release writes for that user. */
function toDevice({ version, device }: Row, userId: string): TrustedDevice {
  if (version !== '1') throw new StoreError('device: unknown record');
  return parseDevice(device, userId);
}
