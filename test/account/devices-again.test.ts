import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { toDeviceLabel } from '../../src/middleware/trusted-devices';
import type { Browser } from './support/browser';
import { startFactorApp, type FactorApp } from './support/factor-app';

let test: FactorApp;
let alice: Browser;
beforeEach(async () => {
  test = await startFactorApp();
  alice = test.browser();
});
afterEach(() => test.close());

it('a device that two tabs have trusted is on the list once', async () => {
  const otherTab = test.browser();
  await otherTab.trust();
  const [first] = await test.trustedDevices.list('alice');
  await alice.login();
  alice.device = otherTab.device;
  expect((await alice.enter({ trustDevice: 'on' })).body).toMatchObject({ verified: true, method: 'sms' });
  const [second, ...others] = await test.trustedDevices.list('alice');
  expect(others).toEqual([]);
  expect(second?.deviceId).not.toBe(first?.deviceId);
});

it.each(['', 'curl/8.0'])('a device that says %j of itself has an empty label', async (userAgent) => {
  alice.userAgent = userAgent;
  await alice.trust();
  expect(await test.trustedDevices.list('alice')).toMatchObject([{ label: '' }]);
});

it('a device that says nothing of itself has an empty label', () => {
  expect(toDeviceLabel(undefined)).toBe('');
});
