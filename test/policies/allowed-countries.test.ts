import { describe, expect, it } from '@jest/globals';
import type { PolicyContext } from 'passport-sms-otp';
import { allowedCountries } from 'passport-sms-otp/policies';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const DENIED = { deny: 'country-not-allowed' };

function check(countries: readonly string[] | 'any', mobile: string): unknown {
  // The number is all it looks at.
  return allowedCountries(countries).check({ mobile } as PolicyContext<unknown>);
}

describe('the list of countries', () => {
  it.each([
    ['US', '+12025550123', 'United States'],
    ['US', '+17872345678', 'Puerto Rico'],
    ['US', '+13402345678', 'the US Virgin Islands'],
    ['US', '+16712345678', 'Guam'],
    ['US', '+16847331234', 'American Samoa'],
    ['US', '+16702345678', 'the Northern Mariana Islands'],
    ['GB', '+447400123456', 'Great Britain'],
    ['GB', '+447781123456', 'Guernsey'],
    ['GB', '+447797712345', 'Jersey'],
    ['GB', '+447924123456', 'the Isle of Man'],
    ['FI', '+358412345678', 'Finland'],
    ['FI', '+3584570123456', 'Åland'],
    ['DE', '+4915123456789', 'Germany'],
    ['XK', '+38343201234', 'Kosovo'],
  ])('%s admits %s of %s', async (country, mobile) => {
    expect(await check([country], mobile)).toBe('allow');
    expect(await check(['BR'], mobile)).toEqual(DENIED);
  });

  it.each([
    ['US', '+14165550123', 'Canada'],
    ['US', '+18762101234', 'Jamaica'],
    ['CA', '+12025550123', 'the United States'],
    ['PR', '+12025550123', 'the United States'],
    ['GG', '+447400123456', 'Great Britain'],
    ['RU', '+77012345678', 'Kazakhstan'],
    ['IT', '+3906698', 'the Vatican, a landline'],
  ])('%s does not admit %s of %s', async (country, mobile) => {
    expect(await check([country], mobile)).toEqual(DENIED);
  });

  it.each([
    ['+881612345678', 'satellites'],
    ['+883510000000091', 'international networks'],
    ['+80012345678', 'international freephone'],
    ['+9991234567', 'a code nobody has'],
    ['+12345678', 'a number that is too short'],
    ['+120255501234', 'a number that is too long'],
  ])('admits no number without a country: %s of %s', async (mobile) => {
    const everywhere = ['US', 'CA', 'GB', 'DE', 'FR', 'IT', 'RU', 'IN', 'CN', 'BR'];
    expect(await check(everywhere, mobile)).toEqual(DENIED);
    expect(await check('any', mobile)).toEqual(DENIED);
  });

  it('may be any: then a number of every country is texted, and one of none is not', async () => {
    const [sailor, farmer] = [
      { id: 'sailor', phone: '+881612345678' },
      { id: 'farmer', phone: '+918123456789' },
    ];
    const users = [sailor, farmer];
    const test = await apps.start({ users, options: { allowedCountries: 'any' } });
    expect(seen(await visit(test, sailor).login())).toEqual([
      403,
      { error: 'country-not-allowed' },
    ]);
    expect(test.told('denied')).toMatchObject([
      { policy: 'allowed-countries', reason: 'country-not-allowed', country: null },
    ]);
    expect(test.sim.stats().calls).toMatchObject({ auth: 0, generate: 0 });
    expect((await visit(test, farmer).login()).status).toBe(200);
  });

  it('is named by the event of a refusal', async () => {
    const user = { id: 'farmer', phone: '+918123456789' };
    const test = await apps.start({ users: [user] });
    expect((await visit(test, user).login()).status).toBe(403);
    expect(test.told('denied')).toMatchObject([{ reason: 'country-not-allowed', country: 'IN' }]);
  });
});
