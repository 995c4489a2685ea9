import { memoryStore, type Policy, type SmsOtpStore } from 'passport-sms-otp';
import { spendLimits, type SpendLimitsOptions } from 'passport-sms-otp/policies';
import type { SimulatorOptions } from 'passport-sms-otp/simulator';
import { toDecimal } from '../../../src/policies/spend-limits/micros';
import { testClock } from '../../support/clock';
import { startTestApp, type TestApp, type TestUser } from '../../support/test-app';

/** A day that is no day on which clocks or months change. */
const NOON = Date.UTC(2030, 4, 15, 12);

export interface PriceApp extends TestApp {
  store: SmsOtpStore;
  /** The decimal that a counter of the policy has. */
  amount(key: string): Promise<string>;
  /** Events of one type. */
  told(type: string): unknown[];
}

export interface PriceAppOptions extends SpendLimitsOptions {
  variant?: 'A' | 'B';
  simulator?: SimulatorOptions;
  users?: TestUser[];
  gateway?: object;
  startsAt?: number;
  /** Policies that are asked before the ceiling. */
  before?: Policy[];
}

/** A test app whose one policy is the ceiling, which denies; numbers of any country. */
export async function startPriceApp(given: PriceAppOptions): Promise<PriceApp> {
  const {
    variant = 'A',
    simulator,
    users,
    gateway,
    startsAt = NOON,
    before = [],
    ...ceiling
  } = given;
  const clock = testClock(startsAt);
  const store = memoryStore({ now: () => clock.now() });
  const test = await startTestApp({
    variant,
    clock,
    ...(simulator && { simulator }),
    ...(users && { users }),
    ...(gateway && { gateway }),
    options: {
      store,
      allowedCountries: 'any',
      policies: [...before, spendLimits({ mode: 'enforce', ...ceiling })],
    },
  });
  return {
    ...test,
    store,
    amount: async (key) => {
      const counter = { key: `spend-limits:${key}`, windowSeconds: null, isOnlyRead: true };
      const { counts } = await store.counters.charge([counter]);
      return toDecimal(counts[0]?.count ?? NaN);
    },
    told: (type) => test.events.filter((event) => event.type === type),
  };
}

/**
 * Americans, each with a prefix of their own. All are on the one network of the simulator whose
 * price is 0.0079.
 */
export function americans(count: number): TestUser[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `user-${index}`,
    phone: `+1${212 + Math.floor(index / 700)}${200 + (index % 700)}0103`,
  }));
}
