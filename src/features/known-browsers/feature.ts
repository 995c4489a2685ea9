import { randomBytes } from 'node:crypto';
import type { Request } from 'express';
import type { Core } from '../../core/context';
import type { Feature, PreparedPut, Success } from '../../core/feature';
import { withCookie } from '../../core/prepared-cookie';
import { toUserIdText } from '../../core/users';
import type { Visit } from '../../core/visit';
import { sideOf } from '../../limits/buckets';
import { forgetBrowsers } from '../../limits/lift';
import { readCookie } from '../../middleware/handler';
import type { UserId } from '../../stores/store';
import { createKnownBrowsers } from './known-browsers';

/** Added to what `createSmsOtp` returns. */
export interface KnownBrowsersMembers {
  /**
   * Resolves to whether the user has passed a second factor in this browser, so that its guesses
   * are counted apart from those of all others. For the app's own limit on wrong passwords: read
   * `(await smsOtp.browserOf(req, userId)).isKnown`. Always false with `knownBrowsers: false`.
   * @throws {StoreError} when the store does not answer. @throws {TypeError} for an invalid user
   * id.
   */
  readonly browserOf: (req: Request, userId: UserId) => Promise<{ readonly isKnown: boolean }>;
}

/** Counts each browser apart in which a user has passed the second factor. */
export function createKnownBrowsersFeature(core: Core, settings: KnownBrowsersSettings): Feature {
  const { cookieName, maxAgeDays } = settings;
  const { store, limits, now } = core;
  const digests = core.createDigests('known-browsers');
  const services = { browsers: store.browsers, counters: store.counters, limits, now };
  const browsers = createKnownBrowsers({ ...services, digests, maxAgeDays, randomBytes });

  async function prepare(success: Success, visit: Visit): Promise<readonly PreparedPut[]> {
    const { userId, bucket } = success;
    if (!makesKnown(success)) return [];
    const cookie = visit.cookies.read(cookieName);
    const prepared = await browsers.prepare({ cookie, userId, bucket });
    return prepared === null ? [] : [withCookie(visit, cookieName, prepared)];
  }

  // An object, because a promise of a boolean is always true where an `await` is forgotten.
  async function browserOf(req: Request, id: UserId): Promise<{ readonly isKnown: boolean }> {
    const { userId } = toUserIdText(id);
    return { isKnown: await browsers.isKnown(readCookie(req, cookieName), userId) };
  }

  return {
    ...createForgottenBrowsers(core),
    async begins(userId, visit) {
      return { bucket: await browsers.findBucket(visit.cookies.read(cookieName), userId) };
    },
    async onSuccess(success, visit) {
      const tells = { isKnownBrowser: sideOf(success.bucket) === 'known' };
      return { puts: await prepare(success, visit), tells };
    },
    members: (): KnownBrowsersMembers => ({ browserOf }),
  };
}

interface KnownBrowsersSettings {
  readonly cookieName: string;
  readonly maxAgeDays: number;
}

/** A transaction proves nothing else, and the code of a new number is no login. */
function makesKnown({ factor, isKept, pending: { purpose } }: Success): boolean {
  return factor !== null && isKept && (purpose === 'login' || purpose === 'step-up');
}

/** With `knownBrowsers: false`: what is stored of a time when browsers were known. */
export function createForgottenBrowsers({ store, limits, now }: Core): Feature {
  const { browsers } = store;

  return {
    name: 'known-browsers',
    endAll: (userId) => forgetBrowsers(store, limits, userId, now()),
    async listBrowserIds(userId) {
      return (await browsers.list(userId)).map(({ browserId }) => browserId);
    },
    async exportUser(userId) {
      const newestFirst = (await browsers.list(userId)).toReversed();
      return { knownBrowsers: newestFirst.map(({ knownAt }) => ({ seenAt: knownAt * 1000 })) };
    },
    members: (): KnownBrowsersMembers => ({
      browserOf: async (_req, userId) => {
        toUserIdText(userId);
        return { isKnown: await Promise.resolve(false) };
      },
    }),
  };
}
