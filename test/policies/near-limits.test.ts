import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LimitsOption } from 'passport-sms-otp';
import { people } from '../support/people';
import { visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const users = people(60);
const test = useOwnApps();

let warnings: string[];
beforeEach(() => {
  warnings = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((warning, options) => {
    const { code } = Object(options) as { code?: string };
    if (code === 'SMS_OTP_LIMIT_NEAR') warnings.push(String(warning));
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function start(limits: LimitsOption, phoneOf?: (index: number) => string): Promise<void> {
  const known = users.map((user, index) => ({
    ...user,
    ...(phoneOf && { phone: phoneOf(index) }),
  }));
  await test.start({ users: known, options: { allowedCountries: 'any', limits } });
}

async function logIn(from: number, to: number): Promise<void> {
  for (const user of [...test.users.values()].slice(from, to)) await visit(test, user).login();
}

const near = (fields: object): object =>
  expect.objectContaining({ type: 'limit-near', isUnproven: false, ...fields });

describe('a shared limit', () => {
  it('is reported once in its window when half of it is used up', async () => {
    await start({ total: { max: 9 } });
    await logIn(0, 4);
    expect(test.told('limit-near')).toEqual([]);
    await logIn(4, 9);
    expect(test.told('limit-near')).toEqual([
      {
        type: 'limit-near',
        userId: users[4]?.id,
        purpose: 'login',
        address: expect.any(String),
        limit: 'total',
        isUnproven: false,
        sends: 5,
        max: 9,
        resetSeconds: expect.any(Number),
      },
    ]);
    test.clock.advanceSeconds(3_600);
    await logIn(10, 20);
    expect(test.told('limit-near')).toHaveLength(2);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^limits\.total\.max is half used up: 5 of 9 .*until its window ends\./,
      ),
    ]);
  });

  it.each<[string, LimitsOption, object, string]>([
    ['an address', { perAddress: { max: 4 } }, { limit: 'per-address' }, 'limits.perAddress.max'],
    [
      'an address, unproven numbers',
      { perAddress: { maxUnproven: 4 } },
      { limit: 'per-address', isUnproven: true },
      'limits.perAddress.maxUnproven',
    ],
    ['a prefix', { perPrefix: { max: 4 } }, { limit: 'per-prefix' }, 'limits.perPrefix.max'],
    [
      'a prefix, unproven numbers',
      { perPrefix: { maxUnproven: 4 } },
      { limit: 'per-prefix', isUnproven: true },
      'limits.perPrefix.maxUnproven',
    ],
  ])('is reported for %s', async (_what, limits, fields, option) => {
    await start(limits, (index) => `+63917123${String(1000 + index)}`);
    await logIn(0, 3);
    expect(test.told('limit-near')).toEqual([near({ ...fields, sends: 2, max: 4 })]);
    expect(warnings).toEqual([expect.stringContaining(`${option} `)]);
  });

  it('is reported once, also when refunds let the count reach half again', async () => {
    await start({ total: { max: 4 } });
    await logIn(0, 1);
    test.sim.failNext('generate', { kind: 'error', code: 2103 }, 3);
    await logIn(1, 5);
    expect(test.told('limit-near')).toHaveLength(1);
  });

  it('is not reported for a limit of one user', async () => {
    await start({ perUser: { max: 1, maxPerDay: 1 } });
    await logIn(0, 2);
    expect(test.told('limit-near')).toEqual([]);
  });
});
