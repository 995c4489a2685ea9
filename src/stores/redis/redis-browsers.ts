import { requireIds, requireList, sortBrowsers } from '../check-values';
import type { Records } from '../load-records';
import type { BrowserStore } from '../store';
import { milliseconds, type RunScript } from './redis-client';
import { ADD, LIST, REMOVE_ALL } from './redis-dated-records';

/**
 * The browsers of a user are dated records: of each, `seenAt` and the browser as JSON.
 *
 * @param root The beginning of all keys: the hash tag and a colon.
 */
export function redisBrowsers(run: RunScript, root: string, records: Promise<Records>): BrowserStore {
  const browsersKey = (userId: string): string => `${root}browsers:${userId}`;

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      const text = `${browser.seenAt}:${JSON.stringify(browser)}`;
      const values = [browser.browserId, milliseconds(ttlSeconds), most, text];
      const left = await run('browsers.remember', ADD, [browsersKey(browser.userId)], values);
      return requireIds('browsers.remember', left);
    },
    list: async (userId) => {
      const { parseBrowser } = await records;
      const found = requireList('browsers.list', await run('browsers.list', LIST, [browsersKey(userId)]));
      return sortBrowsers(found.map((text) => parseBrowser(toJson(text), userId)));
    },
    forget: async (userId) =>
      requireIds('browsers.forget', await run('browsers.forget', REMOVE_ALL, [browsersKey(userId)])),
  };
}

/** Returns the record, or null when the string is not one that this release writes. */
function toJson(text: unknown): string | null {
  return (typeof text === 'string' && /^1:\d+:[^:]+:(.*)$/s.exec(text)?.[1]) || null;
}
