import { sortBrowsers } from '../check-values';
import type { Records } from '../load-records';
import type { BrowserStore, KnownBrowser } from '../store';
import { type Expiring, ExpiringMap, toPromise } from './expiring-map';

export function memoryBrowsers(
  maxEntries: number,
  now: () => number,
  records: Promise<Records>,
): BrowserStore {
  const users = new ExpiringMap<StoredBrowsers>(maxEntries, now);

  function liveOf(userId: string): StoredBrowser[] {
    return (users.get(userId)?.browsers ?? []).filter(({ deadlineMs }) => deadlineMs > now());
  }

  function list(userId: string): readonly KnownBrowser[] {
    return sortBrowsers(liveOf(userId).map(({ browser }) => browser));
  }

  function remember(browser: KnownBrowser, ttlSeconds: number, most: number): readonly string[] {
    const { userId: key, browserId } = browser;
    const others = idsOf(list(key)).filter((id) => id !== browserId);
    // The written browser stays: of the others there is room for one fewer.
    const kept = new Set(others.slice(0, most - 1));
    const browsers = liveOf(key).filter((one) => kept.has(one.browser.browserId));
    browsers.push({ browser: { ...browser }, deadlineMs: now() + ttlSeconds * 1000 });
    if (users.get(key) === undefined) users.makeRoom(1);
    users.add({ key, browsers, deadlineMs: Math.max(...browsers.map(({ deadlineMs }) => deadlineMs)) });
    return others.slice(most - 1);
  }

  function forget(userId: string): readonly string[] {
    const [ids, found] = [idsOf(list(userId)), users.get(userId)];
    if (found !== undefined) users.delete(found);
    return ids;
  }

  return {
    remember: async (browser, ttlSeconds, most) => {
      (await records).checkBrowser(browser, ttlSeconds, most);
      return remember(browser, ttlSeconds, most);
    },
    list: (userId) => toPromise(() => list(userId)),
    forget: (userId) => toPromise(() => forget(userId)),
  };
}

function idsOf(browsers: readonly KnownBrowser[]): readonly string[] {
  return browsers.map(({ browserId }) => browserId);
}

/** The browsers of one user. */
interface StoredBrowsers extends Expiring {
  readonly browsers: readonly StoredBrowser[];
}

interface StoredBrowser {
  readonly browser: KnownBrowser;
  readonly deadlineMs: number;
}
