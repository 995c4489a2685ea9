import { describe, expect, it } from '@jest/globals';
import { people } from '../support/people';
import { enterWrongly, seen, visit } from '../support/visit';
import { guessUntilLocked, LOCKED } from './support/guess-until-locked';
import { useOwnApps } from '../support/use-app';

const INVALID = [401, { error: 'invalid-code' }];

/** Nothing but what is in every app: no option of a limit is ever given here. */
const test = useOwnApps({ people: 80, trustProxy: true });
const alice = visit(test, people(1)[0]);

const validates = (): number => test.sim.stats().calls.validate;

describe('codes on one pending login', () => {
  it('are limited by the library itself, without any option (devise-two-factor CVE-2024-0227, Zitadel CVE-2025-64102)', async () => {
    await test.start();
    await guessUntilLocked(test, alice);
    expect(validates()).toBe(10);
    expect(seen(await visit(test, alice.user).login())).toEqual(LOCKED);
  });

  it('end the code itself, not only the rate (Outline CVE-2026-33640, PLANKA CVE-2026-105835)', async () => {
    await test.start();
    await alice.login();
    for (const wait of [0, 1, 10, 60, 120]) {
      test.clock.advanceSeconds(wait);
      expect(seen(await alice.enterWrong())).toEqual(INVALID);
    }
    test.clock.advanceSeconds(100);
    expect(seen(await alice.enterRight())).toEqual(INVALID);
    expect(validates()).toBe(5);
  });

  it('cannot be had without end (Plane GHSA-9pvm-fcf6-9234, AIL CVE-2026-56450)', async () => {
    await test.start();
    await alice.login();
    await enterWrongly(alice, 50);
    expect(validates()).toBe(5);
  });

  it('are limited where they are checked, not only where they are made (WordPress CVE-2026-8760)', async () => {
    await test.start();
    await alice.login();
    const sent = test.sim.stats().sent;
    await enterWrongly(alice, 6);
    expect([validates(), test.sim.stats().sent]).toEqual([5, sent]);
  });

  it('expire by our own clock, whatever the gateway thinks (WSO2 CVE-2024-8122, WordPress CVE-2026-8760)', async () => {
    await test.start();
    await alice.login();
    const code = test.code(alice.user);
    test.clock.advanceSeconds(300);
    expect(seen(await alice.enter(code))).toEqual([401, { error: 'expired' }]);
    expect(validates()).toBe(0);
  });
});

describe('sends', () => {
  it('are not unlimited from any endpoint (Jivejdon CVE-2026-107830)', async () => {
    await test.start();
    for (let time = 0; time < 30; time += 1) {
      await alice.login();
      await alice.resend();
      test.clock.advanceSeconds(301);
    }
    expect(test.sim.stats().sent).toBe(10);
  });
});
