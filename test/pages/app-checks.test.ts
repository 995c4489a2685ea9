import { describe, it } from '@jest/globals';
import type { AppDescription } from 'passport-sms-otp/testing';
import { expectToPass } from '../app-checks/support/expect-to-pass';
import { HOME, NEW } from '../support/test-users';
import { BOB_PHONE, PASSWORD, type SmallApp, startSmallApp } from './support/small-app';

function describePages(): AppDescription {
  let running: SmallApp | undefined;
  return {
    start: async () => {
      running = await startSmallApp();
      return { baseUrl: `http://127.0.0.1:${running.port}`, close: () => running?.close() };
    },
    simulator: () => {
      if (running === undefined) throw new Error('the app has not been started');
      return running.simulator;
    },
    users: [
      { name: 'alice', phone: HOME },
      { name: 'bob', phone: BOB_PHONE },
    ],
    login: { path: '/login', password: () => PASSWORD },
    code: { path: '/second-factor/code' },
    guarded: ['/account', '/transfer', '/second-factor/settings'],
    proxy: { hops: 1 },
    logout: { path: '/logout', page: '/account' },
    resend: { path: '/second-factor/resend', page: '/second-factor/code' },
    cancel: { path: '/second-factor/cancel', page: '/second-factor/code' },
    stepUp: { path: '/second-factor/step-up', code: { path: '/second-factor/code' } },
    trustedDevice: { fields: { trustDevice: 'on' } },
    newNumber: {
      path: '/second-factor/add-number',
      page: '/second-factor/add-number',
      phone: NEW,
    },
  };
}

describe('an app that is made of the pages', () => {
  it('passes the checks of an app', async () => {
    await expectToPass(describePages(), { oneOf: 3, fewest: 40 });
  });
});
