import { StoreError } from '../../errors';
import { sortBrowsers } from '../check-values';
import type { Records } from '../load-records';
import type { BrowserStore } from '../store';
import { datedStatements, toIds } from './dated-records';
import type { RunQuery } from './run-query';
import type { Tables } from './schema';

export function postgresBrowsers(
  run: RunQuery,
  { browsers }: Tables,
  records: Promise<Records>,
): BrowserStore {
  const names = { column: 'browsers', record: 'browser', date: 'seenAt' };
  const statements = datedStatements(browsers, names);

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      const values = [browser.userId, browser.browserId, JSON.stringify(browser), ttlSeconds, most];
      return toIds('browsers.remember', await run('browsers.remember', statements.add, values));
    },
    list: async (userId) => {
      const { parseBrowser } = await records;
      const rows = await run('browsers.list', statements.list, [userId]);
      if (rows.some(({ version }) => version !== '1')) throw new StoreError('browser: unknown record');
      return sortBrowsers(rows.map(({ record }) => parseBrowser(record, userId)));
    },
    forget: async (userId) =>
      toIds('browsers.forget', await run('browsers.forget', statements.removeAll, [userId])),
  };
}
