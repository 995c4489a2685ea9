import { describe, expect, it } from '@jest/globals';
import { type AppDescription, appChecks } from 'passport-sms-otp/testing';
import { askAll } from '../app-checks/support/ask-all';
import { serve } from '../app-checks/support/base-app';
import { isCompleteRun } from '../support/complete-run';
import { ALICE_PHONE, BOB_PHONE, type Site, startSite } from './site';

/** Checks that a run makes; the complete run makes all. */
const PARTS = isCompleteRun ? 1 : 3;
const FEWEST = 40;

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
    const checks = appChecks(describeExample());
    const asked = checks.filter((_check, index) => index % PARTS === 0);
    const { passed, failures } = await askAll(asked);
    expect(failures.map(({ message }) => message)).toEqual([]);
    expect(passed.length).toBeGreaterThan(FEWEST / PARTS);
  });
});
