import { describe, expect, it } from '@jest/globals';
import { type AppDescription, appChecks } from 'passport-sms-otp/testing';
import { askAll } from '../app-checks/support/ask-all';
import { isCompleteRun } from '../support/complete-run';
import { HOME, NEW } from '../support/test-users';
import { BOB_PHONE, PASSWORD, type SmallApp, startSmallApp } from './support/small-app';

/** Checks that a run makes; the complete run makes all. */
const PARTS = isCompleteRun ? 1 : 3;
const FEWEST = 40;

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
    const asked = appChecks(describePages()).filter((_check, index) => index % PARTS === 0);
    const { passed, failures } = await askAll(asked);
    expect(failures.map(({ message }) => message)).toEqual([]);
    expect(passed.length).toBeGreaterThan(FEWEST / PARTS);
  });
});
