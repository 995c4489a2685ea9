import { afterEach, describe, expect, it } from '@jest/globals';
import { testClock } from '../support/clock';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import type { Fault } from '../support/gateway-faults';
import { ALICE } from '../support/test-app';
import { allStores, type OpenStore } from './support/stores';
import { visitOverTls, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const HOUR = 3_600;
const LOST: readonly [string, Fault][] = [
  ['resets', { kind: 'reset', when: 'after' }],
  ['pages of HTML', { kind: 'html-502', when: 'after' }],
];
const NOT_JUDGED: readonly [string, Fault][] = [
  ['2121', { kind: 'error', code: 2121 }],
  ['503', { kind: 'status', status: 503 }],
];

const test = useOwnApps({ hasFactors: true });
let opened: OpenStore | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

const told = (type: 'locked' | 'disabled'): number => test.told(type).length;

for (const { name, describe: describeStore, open } of allStores()) {
  describeStore(`an outage of the gateway, with the store ${name}`, () => {
    describe.each(VARIANTS_OF_LONG_RUNS)('variant %s', (variant) => {
      it.each([...LOST, ...NOT_JUDGED])(
        'locks nobody who types the right code while each answer is %s',
        async (_what, fault) => {
          const clock = testClock();
          opened = await open(clock);
          const limits = { failures: { max: 3 }, perUser: { maxPerDay: 4 } };
          await test.start({ variant, clock, options: { store: opened.store, limits } });
          for (let login = 1; login <= 4; login += 1) {
            await opened.store.counters.unlock(['sends:gap:others:alice']);
            const browser = test.browser();
            expect((await browser.login()).status).toBe(200);
            test.sim.failNext('validate', fault);
            expect((await browser.enterRight()).status).toBeGreaterThanOrEqual(500);
          }
          expect(told('locked')).toBe(0);
          await opened.store.counters.unlock(['sends:gap:others:alice']);
          const browser = test.browser();
          // The text of an attempt that was lost, or not judged, is given back to its user.
          const after = [(await browser.login()).status, (await browser.enterRight()).status];
          expect(after).toEqual([200, 200]);
        },
      );
    });
  });
}

describe.each(VARIANTS_OF_LONG_RUNS)(
  'a gateway that loses answers for an hour, variant %s',
  (variant) => {
    it.each(LOST)(
      'to %s keeps out nobody with another factor, and nobody afterwards',
      async (_what, fault) => {
        const clock = testClock();
        await test.start({ variant, clock });
        const codes = await test.firstCodes();
        const before = test.browser();
        await before.login();
        expect((await before.enterRight()).status).toBe(200);
        for (let minute = 0; minute < 60; minute += 6) {
          const browser = test.browser();
          await browser.login();
          test.sim.failNext('validate', fault);
          await browser.enterRight();
          await browser.login();
          clock.advanceSeconds(360);
        }
        const recovering = test.browser();
        await recovering.login();
        expect((await recovering.recover(codes[0])).body).toMatchObject({ verified: true });
        clock.advanceSeconds(360);
        const afterwards = test.browser();
        expect((await afterwards.login()).status).toBe(200);
        expect((await afterwards.enterRight()).body).toMatchObject({ verified: true });
        expect([told('locked'), told('disabled')]).toEqual([0, 0]);
      },
    );

    it.each<[string, Fault]>([
      ['an undocumented error', { kind: 'error', code: 2199 }],
      ['an answer that is lost', { kind: 'html-502', when: 'after' }],
    ])(
      'and answers wrong codes alone with %s: each side is disabled after 50',
      async (_what, fault) => {
        const clock = testClock();
        await test.start({ variant, clock });
        const known = test.browser();
        await known.login();
        await known.enterRight();
        known.leave();
        const isEnough = (): boolean => told('disabled') > 0;
        for (let hour = 0; hour < 24 * 60 && !isEnough(); hour += 1) {
          await guessUntilRefused(visitOverTls(test, ALICE), fault);
          clock.advanceSeconds(HOUR);
        }
        expect(isEnough()).toBe(true);
        expect(failures()).toBe(50);
        // The known browser has failures of its own, and then counts as one of the others, who are
        // disabled.
        for (let login = 0; login < 60; login += 1) {
          await guessUntilRefused(known, fault);
          clock.advanceSeconds(HOUR);
        }
        expect(failures()).toBeGreaterThan(50);
        expect(failures()).toBeLessThanOrEqual(100);
        known.leave();
        expect((await known.login()).status).toBe(403);
      },
    );

    const failures = (): number => test.sim.stats().calls.validate - test.told('verified').length;

    async function guessUntilRefused(browser: Visit, fault: Fault): Promise<void> {
      browser.leave();
      if ((await browser.login()).status !== 200) return;
      for (let guess = 0; guess < 5; guess += 1) {
        test.sim.failNext('validate', fault);
        if ((await browser.enterWrong()).status < 500) break;
      }
      // A fault that no call has met is over.
      test.sim.clearFaults();
    }
  },
);
