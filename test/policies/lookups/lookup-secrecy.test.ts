import { describe, expect, it } from '@jest/globals';
import { type Policy } from 'passport-sms-otp';
import { numberCheck } from 'passport-sms-otp/policies';
import { tellAll } from '../../support/canaries';
import { ALICE, startTestApp } from '../../support/test-app';
import { visit } from '../../support/visit';

describe('a whole login', () => {
  it.each(['A', 'B'] as const)(
    'reveals nothing of lookups to a denied user: variant %s',
    async (variant) => {
      // A policy of any user is one of an app's.
      const policies = [numberCheck({ stage: 'send', mode: 'enforce' }) as Policy];
      const test = await startTestApp({ variant, options: { policies } });
      const subscriber = { status: 'invalid', advancedStatus: 'TELE_SERVICE_NOT_PROVISIONED' };
      test.sim.subscribers.set(ALICE.phone ?? '', subscriber);
      const { status, body } = await visit(test).login();
      expect([status, body]).toEqual([403, { error: 'unsuitable-phone' }]);
      expect(tellAll(test.events)).toContain('TELE_SERVICE_NOT_PROVISIONED');
      expect(test.sim.stats().calls.generate).toBe(0);
      test.sim.subscribers.delete(ALICE.phone ?? '');
      await test.close();
    },
  );
});
