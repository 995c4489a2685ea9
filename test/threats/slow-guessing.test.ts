import { describe, expect, it } from '@jest/globals';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { useOwnApps } from '../support/use-app';
import { ALICE } from '../support/test-app';
import { visitOverTls, wrongCode } from '../support/visit';

const DAYS = 30;
/** The sixtieth failure, and one a day from then on. */
const MOST_JUDGED = 90;

describe.each(VARIANTS_OF_LONG_RUNS)(
  'somebody who guesses slowly, while the owner logs in daily, in variant %s',
  (variant) => {
    const test = useOwnApps({ variant, trustProxy: true });

    it.each([1, 5])('%i at once, is judged no more than 90 times in 30 days', async (atOnce) => {
      await test.start();
      const owner = visitOverTls(test, ALICE, { 'x-forwarded-for': '198.51.100.1' });
      let judged = 0;
      for (let day = 0; day < DAYS; day += 1) {
        owner.leave();
        expect((await owner.login()).status).toBe(200);
        expect((await owner.enterRight()).status).toBe(200);
        for (let hour = 0; hour < 24; hour += 2) {
          const before = test.sim.stats().calls.validate;
          const guesser = visitOverTls(test, ALICE, { 'x-forwarded-for': '203.0.113.66' });
          if ((await guesser.login()).body.sent === true) {
            const code = wrongCode(test.code());
            for (let guess = 0; guess < 5; guess += atOnce)
              await Promise.all(Array.from({ length: atOnce }, () => guesser.enter(code)));
          }
          judged += test.sim.stats().calls.validate - before;
          test.clock.advanceSeconds(7_200);
        }
      }
      expect(judged).toBeGreaterThanOrEqual(60);
      expect(judged).toBeLessThanOrEqual(MOST_JUDGED);
      expect(test.told('guessing-slowly')).toHaveLength(1);
    });
  },
);
