import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { createDeviceTokens } from '../../src/features/trusted-devices/device-tokens';
import { createKnownBrowsers } from '../../src/features/known-browsers/known-browsers';
import { toAddressBlocks } from '../../src/limits/address-block';
import { chooseLocale } from '../../src/messages/locales';
import { readCookie } from '../../src/middleware/handler';
import { createReturnPages } from '../../src/middleware/kept-page';
import { isSamePage, readAddress, warnOfOtherHost } from '../../src/middleware/setup-checks';
import { toDeviceLabel } from '../../src/middleware/device-label';
import { isCrossSite, isPageRequest } from '../../src/middleware/request-kind';
import { useOwnApps } from '../support/use-app';

/** What makes an expression go back again and again: one character, or a few, many times. */
const PATTERNS = ['/', '//a', '\\', ' ', '\t', ';', '; ', 'a=;', '=', '%41', '%', 'a', 'a-', 'a,'];
PATTERNS.push(
  '1',
  '1.',
  ':',
  '[',
  '~',
  '.',
  '_',
  'text/',
  'prefetc ',
  'Firefo/',
  'é',
  '#',
  '?',
  '&',
);

const KIB = 1_024;
const SHORT_KIB = 2;
const LONG_KIB = 32;
/**
 * A linear reading of the long string takes 16 times as long as one of the short string, a
 * quadratic one 256 times. The limit is far from both, so that a busy machine changes nothing.
 */
const MAX_GROWTH = 64;
/** The time below which a clock says little: a quadratic reading of 2 KiB takes milliseconds. */
const FLOOR_MS = 0.2;

const digest = (...strings: readonly string[]): Promise<string> =>
  Promise.resolve(Buffer.from(strings.join()).toString('base64url').slice(0, 43).padEnd(43, '_'));

const withHeader = (name: string, value: string): Request =>
  ({
    method: 'GET',
    headers: { [name]: value },
    originalUrl: value,
    ip: value,
    socket: {},
  }) as never;

const pages = createReturnPages(['https://app.example']);
const devices = createDeviceTokens([digest], randomBytes);
// Only `findBucket` is called, which reads the cookie and no store.
const browsers = createKnownBrowsers({
  digests: [digest],
  maxAgeDays: 90,
  now: Date.now,
  randomBytes,
} as unknown as Parameters<typeof createKnownBrowsers>[0]);
const ignore = (): void => undefined;

/** Everything that reads a URL or a header, alone. */
const READINGS: Record<string, (value: string) => unknown> = {
  'the page of a guard': (url) => isSamePage(withHeader('host', `/${url}x`), '/login'),
  'the page to return to': (url) => pages.keep(`/${url}`, {}),
  'the page of another host': (url) => pages.keep(`https://app.example/${url}`, {}),
  'Host and Origin': (host) => [
    isCrossSite({ headers: { host, origin: `https://${host}` } } as unknown as Request),
    warnOfOtherHost(withHeader('host', host), 'https://app.example/', ignore),
  ],
  'Accept and Sec-Purpose': (value) =>
    ['accept', 'sec-purpose', 'purpose', 'sec-fetch-mode', 'sec-fetch-dest'].map((name) =>
      isPageRequest(withHeader(name, value)),
    ),
  'User-Agent': toDeviceLabel,
  'Accept-Language': (tag) => chooseLocale(tag, ['en', 'de']),
  'the address': (ip) => [toAddressBlocks(ip), readAddress(withHeader('ip', ip), ignore)],
  'a cookie': (cookie) => readCookie(withHeader('cookie', cookie), '__Host-sms-otp-device'),
  'the value of a device cookie': (value) => devices.read('alice', value),
  'the value of a browser cookie': (value) => browsers.findBucket(value, 'alice'),
};

/** The shortest of a few runs: what is beside it on this machine only makes a run longer. */
async function timeOf(read: () => unknown, runs = 5): Promise<number> {
  let shortest = Infinity;
  // A run of 50 ms is long enough to be compared.
  for (let run = 0; run < runs && (run === 0 || shortest < 50); run += 1) {
    const startedAt = performance.now();
    await read();
    shortest = Math.min(shortest, performance.now() - startedAt);
  }
  return shortest;
}

/** Returns the patterns whose reading grows faster than `MAX_GROWTH`. */
async function findSlow(
  read: (value: string) => unknown,
  patterns: readonly string[] = PATTERNS,
): Promise<string[]> {
  const slow: string[] = [];
  for (const pattern of patterns) {
    const long = (kib: number): string => pattern.repeat(Math.ceil((kib * KIB) / pattern.length));
    const [shortValue, longValue] = [long(SHORT_KIB), long(LONG_KIB)];
    // A second look tells a slow expression from a slow machine.
    const isSlow = async (runs: number): Promise<boolean> => {
      const shortMs = await timeOf(() => read(shortValue), runs);
      const longMs = await timeOf(() => read(longValue), runs);
      return longMs > MAX_GROWTH * Math.max(shortMs, FLOOR_MS);
    };
    if ((await isSlow(5)) && (await isSlow(25))) slow.push(pattern);
  }
  return slow;
}

describe('a URL or header of 32 KiB is read in linear time', () => {
  it.each(Object.entries(READINGS))('in %s', async (_name, read) => {
    expect(await findSlow(read)).toEqual([]);
  });

  it('notices an expression that is not linear', async () => {
    expect(await findSlow((url) => /(?<=.)\/+$/.test(`/${url}x`), ['a', '/'])).toEqual(['/']);
  });
});

describe('a whole request with a URL or header of 32 KiB', () => {
  const apps = useOwnApps();
  const NAMES = ['cookie', 'user-agent', 'accept', 'host', 'origin', 'purpose', 'x-forwarded-for'];

  it.each(['url', ...NAMES])('is answered in linear time, in %s', async (name) => {
    const { smsOtp } = await apps.start();
    const guard = smsOtp.requireSecondFactor({ redirect: '/login' });
    const refuse = (value: string): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const done = (call?: (error?: unknown) => void): void => call?.();
        const session = { cookie: {}, regenerate: done, save: done, reload: done };
        const headers = name === 'url' ? {} : { [name]: value };
        const req = {
          method: 'GET',
          originalUrl: `/${name === 'url' ? value : ''}x`,
          headers,
          session,
        };
        const res = {
          location: ignore,
          setHeader: ignore,
          once: ignore,
          sendStatus: resolve,
          end: resolve,
          status: () => res,
          redirect: resolve,
        };
        Object.assign(req, {
          res,
          sessionID: 'x'.repeat(32),
          ip: '192.0.2.7',
          socket: {},
          get: ignore,
        });
        guard(req as unknown as Request, res as unknown as Response, reject);
      });
    expect(await findSlow(refuse)).toEqual([]);
  });
});
