import { timingSafeEqual } from 'node:crypto';
import { browserIdOf, OTHER_BROWSERS, toBucket } from '../../limits/buckets';
import { chargeRows, DAY_SECONDS } from '../../limits/charge';
import type { LimitTable } from '../../limits/rows';
import { cutOffCounter } from '../../limits/table';
import type { KeyedDigest } from '../../keys';
import type { PreparedCookie } from '../../core/prepared-cookie';
import { repeatUntilDone } from '../../core/repeat';
import type { RecordSet } from '../../stores/record-sets';
import type { CounterStore, KnownBrowser } from '../../stores/store';

/** The option `knownBrowsers`. */
export interface KnownBrowsersOption {
  /** Days that a browser stays known after the user's last success in it: 1 to 365. Default: 90. */
  readonly maxAgeDays?: number | undefined;
}

/** Recognizes the browsers of users. If the store fails, calls reject with a `StoreError`. */
interface KnownBrowsers {
  /**
   * Returns the id of the browser if its cookie is genuine and belongs to this user, otherwise
   * `OTHER_BROWSERS`. Does not ask the store.
   */
  readonly findBucket: (cookie: string | undefined, userId: string) => Promise<string>;
  /**
   * Returns whether this browser is counted separately: its cookie is genuine and belongs to this
   * user, and its failures are not used up. Counts nothing.
   */
  readonly isKnown: (cookie: string | undefined, userId: string) => Promise<boolean>;
  /**
   * Prepares to make the browser of a success known. Returns null if its cookie is still recent.
   */
  readonly prepare: (success: BrowserSuccess) => Promise<PreparedCookie | null>;
}

/** A success in a browser. */
interface BrowserSuccess {
  /** The cookie's value, unchecked; undefined if there is none. */
  readonly cookie: string | undefined;
  readonly userId: string;
  /** The browser for which the pending login is counted. */
  readonly bucket: string;
}

interface KnownBrowsersOptions {
  readonly browsers: RecordSet<KnownBrowser>;
  readonly counters: CounterStore;
  /** One digest per secret: the first creates seals, all of them are accepted. */
  readonly digests: readonly KeyedDigest[];
  readonly maxAgeDays: number;
  readonly limits: LimitTable;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/**
 * One user's entry in a browser's cookie, `browserId.seconds.seal`. The seal covers these two and
 * the user's id.
 */
interface Entry {
  readonly text: string;
  readonly browserId: string;
  /** The time in seconds since 1970, in base 36. */
  readonly at: string;
  readonly seal: string;
}

/** The most users in one browser's cookie: those who were added last. */
const MAX_USERS = 5;
const MAX_BROWSERS = 10;

const MAX_COOKIE_LENGTH = 512;
const BROWSER_ID_BYTES = 16;
const ENTRY = /^(?<browserId>[\w-]{22})\.(?<at>[0-9a-z]{1,9})\.(?<seal>[\w-]{43})$/;

/**
 * Recognizes browsers in which a user has passed the second factor, so that their limits are
 * counted separately from those of unknown browsers. A known browser is not trusted: it still needs
 * a code.
 * @see OWASP Authentication Cheat Sheet, "Slow Down Online Guessing Attacks with Device Cookies"
 */
export function createKnownBrowsers(options: KnownBrowsersOptions): KnownBrowsers {
  const { browsers, counters, digests, maxAgeDays, limits, now, randomBytes } = options;
  const lifeSeconds = maxAgeDays * DAY_SECONDS;

  return {
    findBucket,
    async isKnown(cookie, userId) {
      const bucket = await findBucket(cookie, userId);
      if (bucket === OTHER_BROWSERS) return false;
      // If these limits refuse a browser, a send counts it as an unknown one.
      const guards = limits.guardsOf({ user: userId, bucket, method: undefined });
      return (await chargeRows(counters, guards)).refusedBy === null;
    },
    async prepare({ cookie, userId, bucket }) {
      const entries = readEntries(cookie);
      // `send` has checked the seal. A cookie that was forged since then can only displace itself.
      if (entries.some((one) => bucketOf(one) === bucket && ageOf(one) < DAY_SECONDS)) return null;
      const known = await findEntry(entries, userId);
      const browserId = bucket === OTHER_BROWSERS ? randomId() : browserIdOf(bucket);
      const knownAt = Math.floor(now() / 1000);
      const expiresAt = (knownAt + lifeSeconds) * 1000;
      const browser: KnownBrowser = { version: 1, browserId, userId, knownAt, expiresAt };
      const others = entries.filter((entry) => entry !== known).map(({ text }) => text);
      const entry = await toEntry(browserId, userId, knownAt);
      const value = [entry, ...others].slice(0, MAX_USERS).join('~');
      return {
        // A login succeeds even if the browser cannot become known.
        put: browsers.toPut(browser, { most: MAX_BROWSERS, isOptional: true }),
        async done({ gone }) {
          await forgetOldest(browser, gone);
          return { value, expiresAt };
        },
        async undo(result) {
          await forgetOldest(browser, result?.gone ?? []);
          const replaced = result?.replaced ?? null;
          await repeatUntilDone(() => browsers.undo(browser, replaced)).first;
        },
      };
    },
  };

  /**
   * Makes the oldest browsers unknown. They became known before all that are left, so the time up
   * to which browsers are not known moves to that point.
   */
  async function forgetOldest(browser: KnownBrowser, gone: readonly string[]): Promise<void> {
    if (gone.length === 0) return;
    const { userId } = browser;
    try {
      const [oldest = browser] = await browsers.list(userId);
      await counters.charge([cutOffCounter(userId, oldest.knownAt - 1)]);
      await counters.clear(limits.keysOfBrowsers(userId, gone));
    } catch {
      // Ignore the error: the login has succeeded, and `store-failing` reports the failure. The
      // next browser that is one too many completes this.
    }
  }

  async function findBucket(cookie: string | undefined, userId: string): Promise<string> {
    const entry = await findEntry(readEntries(cookie), userId);
    return entry === undefined ? OTHER_BROWSERS : bucketOf(entry);
  }

  async function toEntry(browserId: string, userId: string, knownAt: number): Promise<string> {
    const at = knownAt.toString(36);
    return [browserId, at, await digests[0]?.('known-browser', userId, browserId, at)].join('.');
  }

  async function findEntry(entries: readonly Entry[], userId: string): Promise<Entry | undefined> {
    for (const entry of entries.filter((one) => ageOf(one) < lifeSeconds)) {
      const { browserId, at, seal } = entry;
      for (const digest of digests) {
        const genuine = await digest('known-browser', userId, browserId, at);
        // Both are digests of the same length.
        if (timingSafeEqual(Buffer.from(seal), Buffer.from(genuine))) return entry;
      }
    }
    return undefined;
  }

  function ageOf({ at }: Entry): number {
    return now() / 1000 - parseInt(at, 36);
  }

  function randomId(): string {
    return Buffer.from(randomBytes(BROWSER_ID_BYTES)).toString('base64url');
  }
}

function bucketOf({ browserId, at }: Entry): string {
  return toBucket(browserId, parseInt(at, 36));
}

/** Reads the entries of a cookie. Ignores invalid parts: an unknown browser is not an error. */
function readEntries(cookie: string | undefined): readonly Entry[] {
  if (cookie === undefined || cookie.length > MAX_COOKIE_LENGTH) return [];
  const entries: Entry[] = [];
  for (const text of cookie.split('~')) {
    const { browserId, at, seal } = ENTRY.exec(text)?.groups ?? {};
    if (browserId !== undefined && at !== undefined && seal !== undefined)
      entries.push({ text, browserId, at, seal });
  }
  return entries.slice(0, MAX_USERS);
}
