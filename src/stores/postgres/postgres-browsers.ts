import type { Records } from '../load-records';
import type { BrowserStore } from '../store';
import { datedStatements, toIds } from './dated-records';
import type { RunQuery } from './run-query';
import type { Tables } from './schema';

export function postgresBrowsers(run: RunQuery, tables: Tables, records: Promise<Records>): BrowserStore {
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
    forget: async (userId) => toIds('browsers.forget', await run('browsers.forget', statements.removeAll, [userId])),
  };
}
