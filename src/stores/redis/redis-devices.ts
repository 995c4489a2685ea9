import { StoreError } from '../../errors';
import { checkDevice, checkRotation } from '../check-input';
import { parseDevice, sortDevices, toRotation } from '../device-record';
import { requireWholeNumber } from '../records';
import type { DeviceRotation, DeviceStore, TrustedDevice } from '../store';
import { ADD, LIST, REMOVE, REMOVE_ALL, ROTATE } from './device-scripts';
import { milliseconds } from './milliseconds';
import type { RunScript } from './redis-client';

/** @param root What all keys begin with: the hash tag and a colon. */
export function redisDevices(run: RunScript, root: string): DeviceStore {
  const devicesKey = (userId: string): string => `${root}devices:${userId}`;

  async function add(device: TrustedDevice, ttlSeconds: number, most: number): Promise<void> {
    checkDevice(device, ttlSeconds, most);
    const values = [device.deviceId, milliseconds(ttlSeconds), most, toText(device)];
    await run('devices.add', ADD, [devicesKey(device.userId)], values);
  }

  async function rotate(
    userId: string,
    deviceId: string,
    token: { readonly seenHash: string; readonly nextHash: string; readonly usedAt: number },
  ): Promise<DeviceRotation> {
    checkRotation(token);
    const values = [deviceId, token.seenHash, token.nextHash, token.usedAt];
    const reply = await run('devices.rotate', ROTATE, [devicesKey(userId)], values);
    if (reply === null) return { outcome: 'unknown' };
    const [outcome, text] = Array.isArray(reply) ? (reply as unknown[]) : [];
    return toRotation(outcome, toDevice(text, userId), deviceId);
  }

  async function list(userId: string): Promise<readonly TrustedDevice[]> {
    const reply = await run('devices.list', LIST, [devicesKey(userId)]);
    if (!Array.isArray(reply)) throw new StoreError('devices.list: unknown answer');
    return sortDevices(reply.map((text) => toDevice(text, userId)));
  }

  return {
    add,
    rotate,
    list,
    remove: async (userId, deviceId) => {
      const removed = await run('devices.remove', REMOVE, [devicesKey(userId)], [deviceId]);
      return requireWholeNumber('devices.remove', removed) === 1;
    },
    removeAll: async (userId) =>
      requireWholeNumber(
        'devices.removeAll',
        await run('devices.removeAll', REMOVE_ALL, [devicesKey(userId)]),
      ),
  };
}

/** The text under which a device is kept, without its beginning; see `ADD`. */
function toText({ createdAt, lastUsedAt, tokenHash, previousHash, ...record }: TrustedDevice): string {
  return [createdAt, lastUsedAt, tokenHash, previousHash ?? '', JSON.stringify(record)].join(':');
}

/** @throws {StoreError} `ERR_STORE` when the text is none that this release writes for that user. */
function toDevice(text: unknown, userId: string): TrustedDevice {
  const parts = typeof text === 'string' ? /^1:\d+:([^:]+):([^:]+):([^:]+):([^:]*):(.*)$/s.exec(text) : null;
  if (parts === null) throw new StoreError('device: unknown record');
  const [, createdAt, lastUsedAt, tokenHash, previousHash, record] = parts;
  return parseDevice(record, userId, {
    createdAt: Number(createdAt),
    lastUsedAt: Number(lastUsedAt),
    tokenHash,
    previousHash: previousHash === '' ? null : previousHash,
  });
}
