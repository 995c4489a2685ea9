import { describe, expect, it } from '@jest/globals';
import { testClock } from '../support/clock';
import { tamperedStore } from '../support/tampered-store';
import { ALICE, startTestApp } from '../support/test-app';
import { enterWrongly, visit } from '../support/visit';

describe('the keys of the counters', () => {
  it('never reveal a number or its prefix, and are the same for every process of the account', async () => {
    const keys: string[] = [];
    let port = 0;
    for (let process = 0; process < 2; process += 1) {
      const clock = testClock();
      const { store, calls } = tamperedStore(clock);
      const test = await startTestApp({ clock, simulator: { port }, options: { store } });
      port = Number(new URL(test.sim.baseUrl).port);
      const visitor = visit(test);
      await visitor.login();
      await enterWrongly(visitor, 1);
      await visitor.enterRight();
      const given = calls.filter(({ call }) => ['charge', 'clear', 'lock'].includes(call));
      keys.push(JSON.stringify(given.map(({ given: [first] }) => first)));
      await test.close();
    }
    const digits = ALICE.phone?.slice(1) ?? '';
    for (const part of [digits, digits.slice(0, -4), digits.slice(1), digits.slice(-7)]) {
      expect(keys[0]).not.toContain(part);
    }
    const hidden =
      /(?:sends:(?:day:number:login|strangers|prefix|prefix-unproven:login)|proven):[\w-]{22}/g;
    const numberKeys = keys.map((text) => new Set(text.match(hidden)));
    expect(numberKeys[0]?.size).toBe(5);
    expect(numberKeys[0]).toEqual(numberKeys[1]);
  });
});
