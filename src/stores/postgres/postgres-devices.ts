import { StoreError } from '../../errors';
import {
  checkDevice,
  checkRotation,
  parseDevice,
  requireWholeNumber,
  sortDevices,
  toRotation,
} from '../records';
import type { DeviceRotation, DeviceStore, TrustedDevice } from '../store';
import type { Row, RunQuery } from './run-query';
import type { Tables } from './schema';

/**
 * Every statement is atomic by itself; the clock is that of the database. One row a user, so that two who write at once
 * meet in it: under each id stand `device`, the record, and `ends`, the end of its life in seconds since 1970.
 */
export interface DeviceStatements {
  /** Values: user id, device id, record, seconds to live, the most there may be. A row when it was added. */
  readonly add: string;
  /** Values: user id, device id, the hash seen, what changes. A row with `version`, `outcome` and `device`. */
  readonly rotate: string;
  /** Value: user id. A row for each, with `version` and `device`. */
  readonly list: string;
  /** Values: user id, device id. A row when it was there. */
  readonly remove: string;
  /** Value: user id. A row with how many there were. */
  readonly removeAll: string;
}

const NOW = 'statement_timestamp()';
const NOW_SECONDS = `extract(epoch FROM ${NOW})::float8`;

/** Of an entry that says no end there is none. */
const isLive = (entry: string): string => `COALESCE((${entry} ->> 'ends')::float8 > ${NOW_SECONDS}, true)`;

function deviceStatements({ devices }: Tables): DeviceStatements {
  return {
    add: `
INSERT INTO ${devices} AS kept (user_id, devices, expires_at)
VALUES (
  $1,
  jsonb_build_object($2::text, jsonb_build_object('ends', ${NOW_SECONDS} + $4::float8, 'device', $3::jsonb)),
  ${NOW} + make_interval(secs => $4::float8)
)
ON CONFLICT (user_id) DO UPDATE
SET expires_at = GREATEST(kept.expires_at, EXCLUDED.expires_at), devices = EXCLUDED.devices || COALESCE((
  SELECT jsonb_object_agg(id, entry) FROM (
    SELECT id, entry FROM jsonb_each(kept.devices) AS other (id, entry)
    WHERE id <> $2::text AND ${isLive('entry')}
    ORDER BY (entry -> 'device' ->> 'createdAt')::float8 DESC, id COLLATE "C" DESC
    LIMIT $5::bigint - 1
  ) AS newest
), '{}')
WHERE kept.version = 1
RETURNING user_id`,
    // The locked row is the newest one, whatever was written while this statement waited for it.
    rotate: `
WITH found AS (
  SELECT *, devices -> $2::text -> 'device' AS device FROM ${devices}
  WHERE user_id = $1 AND devices ? $2::text AND ${isLive('(devices -> $2::text)')}
  FOR UPDATE
), rotated AS (
  UPDATE ${devices} AS kept
  SET devices = jsonb_set(found.devices, ARRAY[$2::text, 'device'], found.device || $4::jsonb)
  FROM found
  WHERE kept.user_id = found.user_id AND found.version = 1 AND found.device ->> 'tokenHash' = $3::text
  RETURNING kept.devices -> $2::text -> 'device' AS device
)
SELECT found.version::text AS version, CASE WHEN rotated.device IS NULL THEN 'stale' ELSE 'rotated' END AS outcome,
  COALESCE(rotated.device, found.device)::text AS device
FROM found LEFT JOIN rotated ON true`,
    list: `
SELECT version::text AS version, (entry -> 'device')::text AS device
FROM ${devices}, jsonb_each(devices) AS each (id, entry)
WHERE user_id = $1 AND ${isLive('entry')}`,
    remove: `
UPDATE ${devices}
SET devices = devices - $2::text,
  expires_at = CASE WHEN devices - $2::text = '{}' THEN '-infinity' ELSE expires_at END
WHERE user_id = $1 AND devices ? $2::text AND ${isLive('(devices -> $2::text)')}
RETURNING user_id`,
    removeAll: `
DELETE FROM ${devices} WHERE user_id = $1
RETURNING (SELECT count(*) FROM jsonb_each(devices) AS each (id, entry) WHERE ${isLive('entry')})::text AS count`,
  };
}

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
