import { requireStrings } from '../check-values';
import type { Records } from '../load-records';
import type { BrowserStore } from '../store';
import { milliseconds, type RedisScript, type RunScript } from './redis-client';
import { ADD, LIST, REMOVE_ALL } from './redis-dated-records';

/**
 * The browsers of a user are dated records, `1:ends:seen:browser`, the last one as JSON.
 *
 * @param root The beginning of all keys: the hash tag and a colon.
 */
export function redisBrowsers(run: RunScript, root: string, records: Promise<Records>): BrowserStore {
  async function call(
    operation: string,
    script: RedisScript,
    userId: string,
    values: readonly (string | number)[] = [],
  ): Promise<readonly string[]> {
    return requireStrings(operation, await run(operation, script, [`${root}browsers:${userId}`], values));
  }

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      const { browserId, userId, seenAt } = browser;
      const values = [browserId, milliseconds(ttlSeconds), most, `${seenAt}:${JSON.stringify(browser)}`];
      return call('browsers.remember', ADD, userId, values);
    },
    list: async (userId) => {
      const { parseBrowser } = await records;
      const found = await call('browsers.list', LIST, userId);
      return found.map((text) => parseBrowser(text.replace(/^1:\d+:[^:]+:/, ''), userId)).toReversed();
    },
    forget: (userId) => call('browsers.forget', REMOVE_ALL, userId),
  };
}
