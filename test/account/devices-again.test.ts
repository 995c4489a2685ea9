import { describe, expect, it } from '@jest/globals';
import type { StoredRecord, TrustedDevice } from 'passport-sms-otp';
import { toDeviceLabel } from '../../src/middleware/device-label';
import { testClock } from '../support/clock';
import { ALICE, asUser } from '../support/test-app';
import { useApp, useOwnApps } from '../support/use-app';
import { type Answer, visitOverTls } from '../support/visit';

const apps = useOwnApps();

const test = useApp({ hasFactors: true });
const alice = visitOverTls(test);

it('a device that two tabs have trusted is on the list once', async () => {
  const otherTab = test.browser();
  await otherTab.trust();
  const [first] = await test.trustedDevices.list('alice');
  await alice.login();
  alice.device = otherTab.device;
  expect((await alice.enterRight({ trustDevice: 'on' })).body).toMatchObject({
    verified: true,
    method: 'sms',
  });
  const [second, ...others] = await test.trustedDevices.list('alice');
  expect(others).toEqual([]);
  expect(second?.deviceId).toBe(first?.deviceId);
});

it.each(['rubbish', ''])(
  'a cookie of no device, %j, is replaced when the browser is trusted',
  async (value) => {
    alice.device = value;
    expect((await alice.trust()).status).toBe(200);
    expect(alice.device).toMatch(/^[\w-]{22}\./);
  },
);

it('a browser without a device has no cookie of one set or cleared', async () => {
  expect((await alice.login()).deviceCookie).toBeUndefined();
});

it('the device of a user who is gone keeps its cookie', async () => {
  let isGone = false;
  const own = await apps.start({
    hasFactors: true,
    options: { loadUser: () => (isGone ? null : asUser({ ...ALICE })) },
  });
  const browser = own.browser();
  await browser.trust();
  browser.leave();
  isGone = true;
  own.clock.advanceSeconds(60);
  expect((await browser.login()).deviceCookie).toBeUndefined();
});

it('a token from before the last two is a theft, however young it is', async () => {
  await alice.trust();
  const { device } = alice;
  for (const _use of [1, 2]) {
    alice.leave();
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
  }
  alice.leave();
  alice.device = device;
  expect((await alice.login()).body).toMatchObject({ sent: true });
  expect(test.told('device-revoked')).toMatchObject([{ reason: 'stolen' }]);
});

describe('a device that the store tells otherwise', () => {
  const clock = testClock();
  let changes: Partial<TrustedDevice>;
  const own = useApp(() => {
    changes = {};
    return {
      hasFactors: true,
      clock,
      isTampered: true,
    };
  });

  function change<Found extends StoredRecord | null>(found: Found): Found {
    if (found === null) return found;
    const device = JSON.parse(found.value) as TrustedDevice;
    return { ...found, value: JSON.stringify({ ...device, ...changes }) };
  }

  /** The store changes devices that are in it. */
  function tamper(): void {
    own.tampered.tamper('records.find', async (work) => change((await work()) as StoredRecord));
    own.tampered.tamper('records.list', async (work) =>
      ((await work()) as StoredRecord[]).map(change),
    );
  }

  async function loginOnDevice(change: Partial<TrustedDevice>): Promise<Answer> {
    const browser = own.browser();
    await browser.trust();
    browser.leave();
    clock.advanceSeconds(60);
    changes = change;
    tamper();
    return browser.login();
  }

  it.each([
    ['over at this moment', 0],
    ['over', -1],
  ])('is not trusted when it is %s', async (_what, leftMs) => {
    const { body } = await loginOnDevice({ expiresAt: clock.now() + 60_000 + leftMs });
    expect(body).toMatchObject({ sent: true });
    expect(body).not.toHaveProperty('verified', true);
  });

  it.each<[string, Partial<TrustedDevice>]>([
    ["another user's", { userId: 'bob' }],
    ['over at no time', { expiresAt: Number.NaN }],
  ])('lets nobody in when it is %s', async (_what, change) => {
    const { status, body } = await loginOnDevice(change);
    expect([status, body]).toEqual([503, { code: 'ERR_STORE' }]);
  });

  it('is not listed when it is over', async () => {
    await own.browser().trust();
    clock.advanceSeconds(60);
    expect(await own.trustedDevices.list('alice')).not.toHaveLength(0);
    changes = { expiresAt: clock.now() };
    tamper();
    expect(await own.trustedDevices.list('alice')).toEqual([]);
  });
});

it.each(['', 'curl/8.0'])(
  'a device that says %j of itself has an empty label',
  async (userAgent) => {
    alice.userAgent = userAgent;
    await alice.trust();
    expect(await test.trustedDevices.list('alice')).toMatchObject([{ label: '' }]);
  },
);

it('a device that says nothing of itself has an empty label', () => {
  expect(toDeviceLabel(undefined)).toBe('');
});
