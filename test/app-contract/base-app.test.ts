import { describe, expect, it } from '@jest/globals';
import { appFacts } from 'passport-sms-otp/app-contract';
import { addHandMade, LACKS_BY_HAND } from './support/hand-made';
import { describeBaseApp } from './support/base-app';
import { useGateway } from './support/use-gateway';

describe('the app into which the mistakes are put', () => {
  const gateway = useGateway();
  const facts = appFacts(describeBaseApp(gateway));

  it.each(facts.map((fact) => [fact.title, fact] as const))('%s', async (_title, fact) => {
    expect(await fact.run()).toEqual({ outcome: 'holds' });
  });
});

describe('an app whose second factor is made by hand, without a mistake', () => {
  const gateway = useGateway();
  const facts = appFacts(
    describeBaseApp(gateway, { change: (kit) => addHandMade(kit), lacks: LACKS_BY_HAND }),
  );

  it.each(facts.map((fact) => [fact.title, fact] as const))('%s', async (_title, fact) => {
    const { outcome } = await fact.run();
    // It has no limit by address.
    const isAsked = fact.notApplicable === null && !fact.title.startsWith('clients ');
    expect(outcome).toBe(isAsked ? 'holds' : 'not-applicable');
  });
});
