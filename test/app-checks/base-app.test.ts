import { describe, expect, it } from '@jest/globals';
import { appChecks } from 'passport-sms-otp/testing';
import { addHandMade, LACKS_BY_HAND } from './support/hand-made';
import { describeBaseApp } from './support/base-app';
import { useGateway } from './support/use-gateway';

describe('the app into which the mistakes are put', () => {
  const gateway = useGateway();
  const checks = appChecks(describeBaseApp(gateway));

  it.each(checks.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
    expect(await check.run()).toEqual({ outcome: 'passed' });
  });
});

describe('an app whose second factor is made by hand, without a mistake', () => {
  const gateway = useGateway();
  const checks = appChecks(
    describeBaseApp(gateway, { change: (kit) => addHandMade(kit), lacks: LACKS_BY_HAND }),
  );

  it.each(checks.map((check) => [check.title, check] as const))('%s', async (_title, check) => {
    const { outcome } = await check.run();
    // It has no limit by address.
    const isAsked = check.notApplicable === null && !check.title.startsWith('clients ');
    expect(outcome).toBe(isAsked ? 'passed' : 'not-applicable');
  });
});
