import { StoreError } from '../../errors';
import { requireWholeNumber, sortDevices } from '../check-values';
import type { Records } from '../load-records';
import type { DeviceRotation, DeviceStore, TrustedDevice } from '../store';
import type { Row, RunQuery } from './run-query';
import { NOW, type Tables } from './schema';

export function postgresDevices(run: RunQuery, tables: Tables, records: Promise<Records>): DeviceStore {
  const statements = deviceStatements(tables);

  async function add(device: TrustedDevice, ttlSeconds: number, most: number): Promise<void> {
    (await records).checkDevice(device, ttlSeconds, most);
    const values = [device.userId, device.deviceId, JSON.stringify(device), ttlSeconds, most];
    const added = await run('devices.add', statements.add, values);
    if (added.length !== 1) throw new StoreError('devices.add: unknown record');
  }

  async function rotate(
    userId: string,
    deviceId: string,
    token: Parameters<DeviceStore['rotate']>[2],
  ): Promise<DeviceRotation> {
    const { checkRotation, toRotation } = await records;
    checkRotation(token);
    const { seenHash, nextHash, usedAt } = token;
    const changes = { tokenHash: nextHash, previousHash: seenHash, lastUsedAt: usedAt };
    const values = [userId, deviceId, seenHash, JSON.stringify(changes)];
    const [row] = await run('devices.rotate', statements.rotate, values);
    if (row === undefined) return { outcome: 'unknown' };
    return toRotation(row.outcome, await toDevice(row, userId), deviceId);
  }

  async function list(userId: string): Promise<readonly TrustedDevice[]> {
    const rows = await run('devices.list', statements.list, [userId]);
    return sortDevices(await Promise.all(rows.map((row) => toDevice(row, userId))));
  }

  async function removeAll(userId: string): Promise<number> {
    const [row] = await run('devices.removeAll', statements.removeAll, [userId]);
    return row === undefined ? 0 : requireWholeNumber('devices.removeAll', row.count);
  }

  /** @throws {StoreError} `ERR_STORE` when the row is not one that this release writes for that user. */
  async function toDevice({ version, device }: Row, userId: string): Promise<TrustedDevice> {
    if (version !== '1') throw new StoreError('device: unknown record');
    return (await records).parseDevice(device, userId);
  }

  return {
    add,
    rotate,
    list,
    remove: async (userId, deviceId) =>
      (await run('devices.remove', statements.remove, [userId, deviceId])).length === 1,
    removeAll,
  };
}

/**
 * Every statement is atomic by itself; the clock is the database's. One row for each user, so that concurrent writes
 * meet in it: under each device id are `device`, the record, and `ends`, the end of its life in seconds since 1970.
 */
function deviceStatements({ devices }: Tables) {
  return {
    /** Values: user id, device id, record, seconds to live, the most there may be. Returns a row when it was added. */
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
    /**
     * Values: user id, device id, the hash seen, the changed fields. Returns a row with `version`, `outcome` and `device`.
     * The locked row is the newest one, whatever was written while this statement waited for it.
     */
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
    /** Value: user id. Returns a row for each device, with `version` and `device`. */
    list: `
SELECT version::text AS version, (entry -> 'device')::text AS device
FROM ${devices}, jsonb_each(devices) AS each (id, entry)
WHERE user_id = $1 AND ${isLive('entry')}`,
    /** Values: user id, device id. Returns a row when it was there. */
    remove: `
UPDATE ${devices}
SET devices = devices - $2::text,
  expires_at = CASE WHEN devices - $2::text = '{}' THEN '-infinity' ELSE expires_at END
WHERE user_id = $1 AND devices ? $2::text AND ${isLive('(devices -> $2::text)')}
RETURNING user_id`,
    /** Value: user id. Returns a row with how many there were. */
    removeAll: `
DELETE FROM ${devices} WHERE user_id = $1
RETURNING (SELECT count(*) FROM jsonb_each(devices) AS each (id, entry) WHERE ${isLive('entry')})::text AS count`,
  };
}

const NOW_SECONDS = `extract(epoch FROM ${NOW})::float8`;

/** An entry without `ends` counts as live, so that parsing it refuses it. */
function isLive(entry: string): string {
  return `COALESCE((${entry} ->> 'ends')::float8 > ${NOW_SECONDS}, true)`;
}
