import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import type { TestClock } from './clock';
import { seededWaits } from './seeded-waits';

/**
 * A memory store that is as far away as a network: what is read there may be old when it arrives.
 */
export function slowStore(clock: TestClock): SmsOtpStore {
  const store = memoryStore({ now: () => clock.now() });
  const wait = seededWaits(4);
  const whole = slowDown(store, wait);
  return {
    pendingLogins: slowDown(store.pendingLogins, wait),
    counters: slowDown(store.counters, wait),
    records: slowDown(store.records, wait),
    tokens: store.tokens,
    finish: (pendingId, options) => whole.finish(pendingId, options),
  };
}

function slowDown<Part extends object>(part: Part, wait: () => Promise<void>): Part {
  const get = (target: Part, name: string): unknown => {
    // Only the methods of the contract are ever asked for.
    const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
    return async (...given: unknown[]): Promise<unknown> => {
      await wait();
      const answer = await method(...given);
      await wait();
      return answer;
    };
  };
  return new Proxy(part, { get });
}
