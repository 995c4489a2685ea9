import { describe, it } from '@jest/globals';
import type { AppDescription } from 'passport-sms-otp/testing';
import { expectToPass } from '../app-checks/support/expect-to-pass';
import { serve } from '../app-checks/support/base-app';
import { ALICE_PHONE, BOB_PHONE, type Site, startSite } from './site';

/** The example app, each time with a simulator and an empty store of its own. */
function describeExample(): AppDescription {
  let site: Site | undefined;
  return {
    start: async () => {
      const started = await startSite({ environment: { TRUST_PROXY: '1' } });
      site = started;
      return serve(started.app, () => started.close());
    },
    simulator: () => {
      if (site === undefined) throw new Error('the site has not been started');
      return site.simulator;
    },
    users: [
      { name: 'alice', phone: ALICE_PHONE },
      { name: 'bob', phone: BOB_PHONE },
    ],
    login: { path: '/login', password: () => 'demo-password' },
    code: { path: '/second-factor/code' },
    guarded: ['/account', '/transfer', '/settings', '/second-factor/settings'],
    proxy: { hops: 1 },
    logout: { path: '/logout', page: '/account' },
    resend: { path: '/second-factor/resend', page: '/second-factor/code' },
    cancel: { path: '/second-factor/cancel', page: '/second-factor/code' },
    stepUp: { path: '/second-factor/step-up', code: { path: '/second-factor/code' } },
    trustedDevice: { fields: { trustDevice: 'on' } },
    newNumber: { path: '/second-factor/add-number', page: '/settings', phone: '+18185550142' },
  };
}

describe('the example app', () => {
  it('passes the checks', async () => {
    await expectToPass(describeExample(), { oneOf: 3, fewest: 40 });
  });
});
