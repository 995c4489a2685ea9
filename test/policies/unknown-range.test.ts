import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import metadata from 'libphonenumber-js/metadata.max.json';
import type { PolicyContext, SmsOtpOptions } from 'passport-sms-otp';
import { spendLimits } from 'passport-sms-otp/policies';
import { originOf } from '../../src/limits/number-country';
import { ALICE, BOB } from '../support/test-app';
import { HOME } from '../support/test-users';
import { seen, visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';
import { listOf, networkRow } from './prices/rows';

/** An area code that libphonenumber does not know: a calling code of 25 countries. */
const UNKNOWN = '+18615550123';
const FICTIONAL = '+447700900123';

/** The countries of each calling code. */
const COUNTRIES = Object.entries<readonly string[]>(metadata.country_calling_codes);

describe('a range that is not known', () => {
  it.each([
    ['+18615550123', 'US'],
    ['+70449037779', 'RU'],
    ['+39816221', 'IT'],
    ['+447700900123', 'GB'],
    ['+4715405000', 'NO'],
    ['+6112824', 'AU'],
    ['+212435243910', 'MA'],
    ['+262357741423', 'RE'],
    ['+29035455', 'SH'],
    ['+35811045', 'FI'],
    ['+590655559429', 'GP'],
    ['+5991438339', 'CW'],
  ])('counts as the main country of its calling code: %s as %s', async (mobile, country) => {
    expect(await originOf({ mobile })).toMatchObject({ country, isCountryAssumed: true });
    // libphonenumber's own list begins with the main country.
    expect(COUNTRIES.find(([code]) => mobile.startsWith(`+${code}`))?.[1][0]).toBe(country);
  });

  it('has a row above for every calling code that several countries share', () => {
    expect(COUNTRIES.filter(([, sharing]) => sharing.length > 1)).toHaveLength(12);
  });

  it.each([
    ['a known number', '+12025550123', 'US'],
    ['a known number of another country of the calling code', '+14165550123', 'CA'],
    ['an unknown range of a country with its own calling code', '+8616012345678', 'CN'],
    ['satellites', '+881612345678', null],
    ['a code that no one has', '+99912345678', null],
    ['a number that is too long', '+186155501234', null],
    ['a number that is too short', '+1861555012', null],
  ])('is not that of %s', async (_what, mobile, country) => {
    expect(await originOf({ mobile })).toMatchObject({ country, isCountryAssumed: false });
  });
});

describe.each(['A', 'B'] as const)('a login with a number of an unknown range, %s,', (variant) => {
  const test = useOwnApps({ variant });
  let phone: unknown;
  let warnings: string[];
  beforeEach(() => {
    warnings = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      const { code = '' } = Object(options) as { code?: string };
      if (code === 'SMS_OTP_UNKNOWN_RANGE') warnings.push(String(message));
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  async function start(given: unknown, options: Partial<SmsOtpOptions> = {}): Promise<Visit> {
    phone = given;
    await test.start({ options, oddOptions: { getPhone: () => phone } });
    return visit(test);
  }

  async function expectSent(alice: Visit, mobile: string): Promise<void> {
    expect((await alice.login()).status).toBe(200);
    expect((await alice.enter(test.sim.lastPin(mobile))).status).toBe(200);
  }

  it.each([
    ['US', UNKNOWN, ['US']],
    ['GB', FICTIONAL, ['US', 'GB']],
    ['US', UNKNOWN, 'any'],
  ] as const)('is texted where it is confirmed, as one of %s', async (country, mobile, allowed) => {
    const number = { number: mobile, isConfirmed: true };
    const alice = await start(number, { allowedCountries: allowed });
    await expectSent(alice, mobile);
    await expectSent(visit(test), mobile);
    expect(test.told('sent')).toMatchObject([{ country }, { country }]);
    const [warning, ...others] = warnings;
    expect(others).toEqual([]);
    const { version } = jest.requireActual<{ version: string }>('libphonenumber-js/package.json');
    expect(warning).toContain(`libphonenumber-js ${version} does not know`);
    expect(warning).toContain(`counts as one of ${country}. Codes go only to numbers`);
    expect(warning).toContain('Update libphonenumber-js');
    expect(warning).toContain('#sms_otp_unknown_range');
    expect(warning).not.toContain(mobile.slice(4));
  });

  it.each([[['US']], ['any']])('is refused while it is not proven, with %j', async (allowed) => {
    const allowedCountries = allowed as SmsOtpOptions['allowedCountries'];
    const alice = await start(UNKNOWN, { allowedCountries });
    for (const given of [UNKNOWN, { number: UNKNOWN, isConfirmed: false }]) {
      phone = given;
      expect(seen(await alice.login())).toEqual([403, { error: 'unknown-range' }]);
    }
    expect(test.sim.stats().calls).toMatchObject({ auth: 0, generate: 0 });
    expect(test.told('denied')[0]).toMatchObject({
      ...{ userId: 'alice', reason: 'unknown-range' },
      ...{ policy: 'allowed-countries', country: 'US' },
    });
    expect(test.told('policy-decided')[0]).toMatchObject({
      decision: 'deny',
      reasons: ['a range that counts as US'],
    });
    expect(warnings).toHaveLength(1);
  });

  it('is texted once a code that went to it was right, to that user alone', async () => {
    const alice = await start({ number: UNKNOWN, isConfirmed: true });
    await expectSent(alice, UNKNOWN);
    phone = UNKNOWN;
    await expectSent(visit(test), UNKNOWN);
    expect(seen(await visit(test, BOB).login())).toEqual([403, { error: 'unknown-range' }]);
  });

  it.each([
    ['another country of the calling code alone', UNKNOWN, ['CA']],
    ['other calling codes alone', FICTIONAL, ['US']],
  ])('is refused where the app has allowed %s', async (_what, number, allowedCountries) => {
    const alice = await start({ number, isConfirmed: true }, { allowedCountries });
    expect(seen(await alice.login())).toEqual([403, { error: 'country-not-allowed' }]);
    expect(warnings).toEqual([]);
  });

  it('waits for another factor where it is refused', async () => {
    const own = { name: 'own', check: () => true };
    const alice = await start(UNKNOWN, { factors: [own] });
    expect(seen(await alice.login())).toEqual([403, { error: 'unknown-range', pending: true }]);
  });

  it('is charged to the budget of the country', async () => {
    const limits = (
      options: Partial<Parameters<typeof spendLimits>[0]>,
    ): Partial<SmsOtpOptions> => ({
      policies: [spendLimits({ mode: 'enforce', fallbackPrice: '0.0001', ...options })],
    });
    const confirmed = { number: UNKNOWN, isConfirmed: true };
    const budgets = { dailyPerCountry: { US: '0.0100' } };
    const alice = await start(confirmed, limits({ budgets }));
    expect((await alice.login()).status).toBe(200);
    phone = ALICE.phone;
    expect(seen(await visit(test, BOB).login())).toEqual([
      429,
      { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
    ]);
  });
});

it('a message to an unknown range has the highest price of its calling code', async () => {
  const rows = ['310-260 0.0083 United_States', '338-05 0.1900 Jamaica'].map(networkRow);
  const gateway = {
    otp: { pricing: () => Promise.resolve(listOf(rows)) },
    hlr: { pricing: () => Promise.resolve(listOf([])) },
  };
  const limits = spendLimits({ fallbackPrice: '0.0001', maxPricePerMessage: '0.1000' });
  // What the policy looks at.
  const context = { userId: 'alice', gateway, now: () => 0, emit: () => undefined };
  const ask = (mobile: string): unknown =>
    limits.check({ ...context, mobile } as unknown as PolicyContext<unknown>);
  expect(await ask('+12025550123')).toBe('allow');
  expect(await ask(UNKNOWN)).toMatchObject({
    reasons: ['the message costs 0.1900, the limit is 0.1000', 'country US', 'confidence 6'],
  });
});

describe('the phone book', () => {
  const test = useOwnApps({ hasPhones: true });

  it('takes no new number of an unknown range, and counts no enrollment', async () => {
    await test.start();
    const alice = visit(test);
    await alice.logIn();
    for (let time = 1; time <= 12; time += 1) {
      expect(seen(await alice.enroll('+1 861 555 0123'))).toEqual([
        403,
        { error: 'unknown-range' },
      ]);
    }
    expect(test.book.changes).toEqual([]);
    expect(test.told('denied').at(-1)).toMatchObject({
      purpose: 'enroll',
      reason: 'unknown-range',
    });
    expect(seen(await alice.enroll('+14155550188'))[0]).toBe(200);
  });

  it('may have a confirmed one, which is texted', async () => {
    await test.start();
    test.book.seed('alice', UNKNOWN, HOME);
    const alice = visit(test);
    expect((await alice.login()).status).toBe(200);
    expect((await alice.enter(test.sim.lastPin(UNKNOWN))).status).toBe(200);
  });
});
