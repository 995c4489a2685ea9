import type { LimitsOption, Policy, SmsOtpOptions } from 'passport-sms-otp';
import type { Response } from 'supertest';
import { testClock } from '../support/clock';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app';
import { visit, type Visit } from '../support/visit';

/** The built-in limits as wide as they go, so that it is the policy that says no. */
const WIDE_LIMITS: LimitsOption = {
  perUser: { max: 10, maxPerDay: 30 },
  perNumber: { max: 10, maxPerDay: 30 },
  perAddress: { max: 100_000, maxUnproven: 100_000 },
  perPrefix: { max: 100_000, maxUnproven: 1_000 },
  total: { max: 1_000_000 },
};

/** A login that has been tried: who did it, and what came back. */
export interface Try {
  readonly visitor: Visit;
  readonly response: Response;
  readonly isSent: boolean;
}

/** An app whose users come as they are needed, each with an account and an address of its own. */
export interface Traffic {
  readonly test: TestApp;
  /** A new account with this number, or the account of that name, gives the right password. */
  login(mobile: string, userId?: string): Promise<Try>;
  /** The same, and the code is typed in at once. @throws {Error} when it cannot be. */
  answer(mobile: string, userId?: string): Promise<Try>;
  /** How many text messages went to numbers that begin so. */
  sentTo(prefix: string): number;
  minutes(count: number): void;
}

/**
 * The middle of a window of every policy, whatever the hour: 2026-01-01 06:00:00 UTC is at the
 * beginning of one.
 */
export const NOON = Date.UTC(2026, 0, 1, 6);

/** @param start when it begins, milliseconds since 1970. */
export async function startTraffic(
  policies: readonly Policy[],
  options: Partial<SmsOtpOptions> = {},
  given: TestAppOptions = {},
  start = NOON,
): Promise<Traffic> {
  const clock = testClock(start);
  const test = await startTestApp({
    clock,
    users: [],
    cookie: { maxAge: 10 * 365 * 86_400_000 },
    // Whoever is asked from comes in a header here; `trust proxy` is for tests.
    middleware: (app) => void app.set('trust proxy', true),
    ...given,
    // Each login comes in a new browser.
    options: {
      allowedCountries: 'any',
      knownBrowsers: false,
      limits: WIDE_LIMITS,
      policies,
      ...options,
    },
  });
  let accounts = 0;

  async function login(mobile: string, userId?: string): Promise<Try> {
    accounts += 1;
    const user = { id: userId ?? `account-${accounts}`, phone: mobile };
    test.users.set(user.id, user);
    const address = `203.0.${accounts >> 8}.${accounts & 0xff}`;
    const visitor = visit(test, user, { 'x-forwarded-for': address });
    const response = await visitor.login();
    return { visitor, response, isSent: response.body.sent === true };
  }

  async function answer(mobile: string, userId?: string): Promise<Try> {
    const tried = await login(mobile, userId);
    const { status } = await tried.visitor.enterRight();
    if (status !== 200) throw new Error(`the code of ${mobile} was refused with ${status}`);
    return tried;
  }

  return {
    test,
    login,
    answer,
    sentTo: (prefix) => test.sim.outbox.filter(({ mobile }) => mobile.startsWith(prefix)).length,
    minutes: (count) => test.clock.advanceSeconds(count * 60),
  };
}

/** A number of a prefix by its last four digits. */
export function numberOf(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(4, '0')}`;
}

/** Does something so many times, one after the other. */
export async function repeat<Result>(
  times: number,
  act: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < times; index += 1) results.push(await act(index));
  return results;
}
