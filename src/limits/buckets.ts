import { createHash } from 'node:crypto';
import { shorten } from '../keys';
import type { Purpose } from '../stores/store';

/**
 * The bucket of all browsers that are not known. Each known browser of a user has its own bucket,
 * named by its id.
 */
export const OTHER_BROWSERS = 'others';

/** A side: all known browsers of a user together, or all of the user's other browsers together. */
export type Side = 'known' | 'others';

/** Returns the side of a browser's bucket. */
export function sideOf(bucket: string): Side {
  return bucket === OTHER_BROWSERS ? 'others' : 'known';
}

/**
 * Names the bucket of a known browser by its id and the second since 1970 from which it is known,
 * both as in its cookie.
 */
export function toBucket(browserId: string, knownAt: number): string {
  return `${browserId}.${knownAt.toString(36)}`;
}

/**
 * Returns the browser id in a bucket's name, as counters use it. `OTHER_BROWSERS` stays unchanged.
 */
export function browserIdOf(bucket: string): string {
  return bucket.split('.', 1)[0] ?? bucket;
}

/** Returns the second since 1970 from which a bucket's browser is known. */
export function knownAtOf(bucket: string): number {
  return parseInt(bucket.slice(browserIdOf(bucket).length + 1), 36);
}

/**
 * Names the place of a pending login. A user has one pending login per place whose codes are
 * accepted.
 */
export function placeOf(purpose: Purpose, bucket: string): string {
  return `${purpose}:${browserIdOf(bucket)}`;
}

/**
 * Names a user together with a number and reveals neither. `number` is already an HMAC, so that the
 * pair cannot be found without the app's secret.
 */
export function pairOf(user: string, number: string): string {
  const pair = JSON.stringify([user, number]);
  return shorten(createHash('sha256').update(pair).digest('base64url'));
}
