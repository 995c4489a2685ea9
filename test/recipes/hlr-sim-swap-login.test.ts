import { describe, expect, it } from '@jest/globals';
import { memoryStore, type Policy, type SmsOtpStore } from 'passport-sms-otp';
import { simSwap } from 'passport-sms-otp/policies';
import { hlrSimSwap } from '../../docs/recipes/hlr-sim-swap';
import { testClock } from '../support/clock';
import { ALICE } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { waitUntil } from '../support/wait-until';
import { KEY } from './support/sim-walk';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const HALF_DAY = 43_200;

describe.each(['A', 'B'] as const)(
  'a whole login with the hint at a changed SIM, variant %s',
  (variant) => {
    it('is refused after a change, without a word about it', async () => {
      const clock = testClock();
      const store = memoryStore({ now: () => clock.now() });
      let writes = 0;
      const put: SmsOtpStore['records']['put'] = async (given) => {
        const result = await store.records.put(given);
        if (given.kind === 'note') writes += 1;
        return result;
      };
      // A policy of any user is one of an app's.
      const policy = simSwap({ provider: hlrSimSwap({ key: KEY }), mode: 'enforce' }) as Policy;
      const options = {
        policies: [policy],
        store: { ...store, records: { ...store.records, put } },
      };
      const test = await apps.start({ variant, clock, options });
      for (const time of [1, 2, 3]) {
        const visitor = visit(test);
        expect((await visitor.login()).status).toBe(200);
        expect((await visitor.enterRight()).status).toBe(200);
        await waitUntil(() => writes === time);
        clock.advanceSeconds(HALF_DAY);
      }
      test.sim.subscribers.set(ALICE.phone ?? '', { imsi: '310260999999999' });
      expect(seen(await visit(test).login())).toEqual([403, { error: 'denied' }]);
      expect(test.events.map(({ type }) => type)).toContain('sim-swap-hint');
      expect(test.sim.stats().calls.generate).toBe(3);
    });
  },
);
