import type { Records } from '../load-records';
import type { BrowserStore, DeviceStore } from '../store';
import { datedStatements, isLive, toIds } from './dated-records';
import type { RunQuery } from './run-query';
import type { Tables } from './tables';

export function postgresDevices(
  run: RunQuery,
  tables: Tables,
  records: Promise<Records>,
): DeviceStore {
  const statements = deviceStatements(tables);

  return {
    add: async (device, ttlSeconds, most) => {
      (await records).checkDevice(device, ttlSeconds, most);
      const values = [device.userId, device.deviceId, JSON.stringify(device), ttlSeconds, most];
      toIds('devices.add', await run('devices.add', statements.add, values));
    },
    rotate: async (userId, deviceId, token) => {
      const { checkRotation, parseDevice, toRotation } = await records;
      checkRotation(token);
      const { seenHash, nextHash, usedAt } = token;
      const changes = { tokenHash: nextHash, previousHash: seenHash, lastUsedAt: usedAt };
      const values = [userId, deviceId, seenHash, JSON.stringify(changes)];
      const [row] = await run('devices.rotate', statements.rotate, values);
      if (row === undefined) return { outcome: 'unknown' };
      return toRotation(row.outcome, parseDevice(row.record, userId), deviceId);
    },
    list: async (userId) => {
      const rows = await run('devices.list', statements.list, [userId]);
      const { parseDevice } = await records;
      return rows.map(({ record }) => parseDevice(record, userId));
    },
    remove: async (userId, deviceId) =>
      (await run('devices.remove', statements.remove, [userId, deviceId])).length === 1,
    removeAll: async (userId) => {
      return toIds(
        'devices.removeAll',
        await run('devices.removeAll', statements.removeAll, [userId]),
      ).length;
    },
  };
}

function deviceStatements({ devices }: Tables) {
  return {
    ...datedStatements(devices, { column: 'devices', record: 'device', date: 'createdAt' }),
    /**
     * Values: user id, device id, the hash seen, the changed fields. Returns a row: `outcome`,
     * `record`, which is null in a row of an unknown version. The locked row is the newest one,
     * whatever was written while this statement waited for it.
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
  WHERE kept.user_id = found.user_id AND found.version = 1
    AND found.device ->> 'tokenHash' = $3::text
  RETURNING kept.devices -> $2::text -> 'device' AS device
)
SELECT CASE WHEN rotated.device IS NULL THEN 'stale' ELSE 'rotated' END AS outcome,
  CASE WHEN found.version = 1 THEN COALESCE(rotated.device, found.device)::text END AS record
FROM found LEFT JOIN rotated ON true`,
    /** Values: user id, device id. Returns a row when it was there. */
    remove: `
UPDATE ${devices}
SET devices = devices - $2::text,
  expires_at = CASE WHEN devices - $2::text = '{}' THEN '-infinity' ELSE expires_at END
WHERE user_id = $1 AND devices ? $2::text AND ${isLive('(devices -> $2::text)')}
RETURNING user_id`,
  };
}

export function postgresBrowsers(
  run: RunQuery,
  tables: Tables,
  records: Promise<Records>,
): BrowserStore {
  const names = { column: 'browsers', record: 'browser', date: 'seenAt' };
  const statements = datedStatements(tables.browsers, names);

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      const values = [browser.userId, browser.browserId, JSON.stringify(browser), ttlSeconds, most];
      return toIds('browsers.remember', await run('browsers.remember', statements.add, values));
    },
    list: async (userId) => {
      const { parseBrowser } = await records;
      const rows = await run('browsers.list', statements.list, [userId]);
      return rows.map(({ record }) => parseBrowser(record, userId)).toReversed();
    },
    forget: async (userId) =>
      toIds('browsers.forget', await run('browsers.forget', statements.removeAll, [userId])),
  };
}
