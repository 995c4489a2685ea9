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

/** Added by the option `knownBrowsers`, which is on by default. */
export interface KnownBrowsersMembers {
  /**
   * Resolves to whether the user has passed a second factor in this browser, so that its attempts
   * are counted separately from those in unknown browsers. Use it for the app's own limit on wrong
   * passwords: `(await smsOtp.browserOf(req, userId)).isKnown`. Always false with `knownBrowsers:
   * false`.
   * @throws {StoreError} if the store does not answer.
   * @throws {TypeError} for an invalid user id.
   */
  readonly browserOf: (req: Request, userId: UserId) => Promise<{ readonly isKnown: boolean }>;
}

/**
 * Creates the feature that counts each browser separately in which a user has passed the second
 * factor.
 */
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

  // Return an object: without its `await`, a promise of a boolean would always be true.
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

/**
 * Returns whether a success makes the browser known. A transaction proves nothing else, and the
 * code of a new number is not a login.
 */
function makesKnown({ factor, isKept, pending: { purpose } }: Success): boolean {
  return factor !== null && isKept && (purpose === 'login' || purpose === 'step-up');
}

/**
 * Creates the feature for `knownBrowsers: false`. It removes and exports records from a time when
 * browsers were known.
 */
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
