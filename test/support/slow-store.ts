import { setTimeout as wait } from 'node:timers/promises';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import type { TestClock } from './clock';

/**
 * A memory store that is as far away as a network: what is read there may be old when it arrives.
 */
export function slowStore(clock: TestClock): SmsOtpStore {
  const { challenges, counters, tokens } = memoryStore({ now: () => clock.now() });
  return { challenges: slowDown(challenges), counters: slowDown(counters), tokens };
}

function slowDown<Part extends object>(part: Part): Part {
  const get = (target: Part, name: string): unknown => {
    // Only the methods of the contract are ever asked for.
    const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
    return async (...given: unknown[]): Promise<unknown> => {
      await wait(Math.random() * 4);
      const answer = await method(...given);
      await wait(Math.random() * 4);
      return answer;
    };
  };
  return new Proxy(part, { get });
}
