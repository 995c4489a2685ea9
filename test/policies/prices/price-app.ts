import { memoryStore, type Policy } from 'passport-sms-otp';
import { spendLimits, type SpendLimitsOptions } from 'passport-sms-otp/policies';
import type { SimulatorOptions } from 'passport-sms-otp/simulator';
import { toDecimal } from '../../../src/policies/spend-limits/micros';
import { testClock } from '../../support/clock';
import type { TestApp, TestAppOptions, TestUser } from '../../support/test-app';

/** A day that is no day on which clocks or months change. */
const NOON = Date.UTC(2030, 4, 15, 12);

export interface PriceAppOptions extends SpendLimitsOptions {
  variant?: 'A' | 'B';
  simulator?: SimulatorOptions;
  users?: TestUser[];
  gateway?: object;
  startsAt?: number;
  /** Policies that are asked before the ceiling. */
  before?: Policy[];
  /** What the app makes of the ceiling. */
  wrap?: (limits: Policy<unknown>) => Policy<unknown>;
}

/** The options of an app whose one policy is the ceiling, which denies; numbers of any country. */
export function priceApp(given: PriceAppOptions): TestAppOptions {
  const {
    variant = 'A',
    simulator,
    users,
    gateway,
    startsAt = NOON,
    before = [],
    wrap = (limits: Policy<unknown>) => limits,
    ...ceiling
  } = given;
  return {
    variant,
    clock: testClock(startsAt),
    store: (clock) => memoryStore({ now: () => clock.now() }),
    ...(simulator && { simulator }),
    ...(users && { users }),
    ...(gateway && { gateway }),
    options: {
      allowedCountries: 'any',
      policies: [...before, wrap(spendLimits({ mode: 'enforce', ...ceiling }))],
    },
  };
}

/** The decimal that a counter of the policy has. */
export async function readAmount({ store }: TestApp, key: string): Promise<string> {
  const counter = { key: `spend-limits:${key}`, windowSeconds: null, isOnlyRead: true };
  const { counts } = await store.counters.charge([counter]);
  return toDecimal(counts[0]?.count ?? NaN);
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
