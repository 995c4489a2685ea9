import { describe, expect, it } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { numberTypes, type NumberTypesOptions } from 'passport-sms-otp/policies';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const test = useOwnApps();

async function login(phone: string, options?: NumberTypesOptions): Promise<[number, unknown]> {
  const policies: SmsOtpOptions['policies'] = [numberTypes(options)];
  const user = { id: 'user', phone };
  await test.start({ users: [user], options: { allowedCountries: 'any', policies } });
  return seen(await visit(test, user).login());
}
const UNSUITABLE = [403, { error: 'unsuitable-phone' }];

describe('the types of numbers', () => {
  it.each([
    ['PREMIUM_RATE', '+19005550123'],
    ['SHARED_COST', '+611300975707'],
    ['TOLL_FREE', '+18005551234'],
    ['UAN', '+443001234567'],
    ['PAGER', '+447640123456'],
    ['VOICEMAIL', '+41860791234567'],
    ['PERSONAL_NUMBER', '+447012345678'],
    ['PERSONAL_NUMBER', '+15002345678'],
  ])('%s are denied: %s', async (type, phone) => {
    expect(await login(phone)).toEqual(UNSUITABLE);
    expect(test.sim.stats().calls.generate).toBe(0);
    expect(test.events).toContainEqual(
      expect.objectContaining({
        type: 'policy-decided',
        policy: 'number-types',
        decision: 'deny',
        reasons: [`a number of type ${type}`],
      }),
    );
  });

  it.each([
    ['a mobile number', '+4915123456789'],
    ['a number that may be mobile', '+12025550123'],
    ['a range that no list has yet', '+8616012345678'],
    ['a landline, which some networks read messages out on', '+442079460000'],
    ['a number on the internet', '+445612345678'],
  ])('%s passes: %s', async (_what, phone) => {
    expect((await login(phone))[0]).toBe(200);
  });

  it.each([
    ['VOIP', '+445612345678'],
    ['FIXED_LINE', '+442079460000'],
  ] as const)('%s are denied on demand: %s', async (type, phone) => {
    expect(await login(phone, { alsoDeny: [type] })).toEqual(UNSUITABLE);
  });

  it('are only reported in mode report', async () => {
    expect((await login('+19005550123', { mode: 'report' }))[0]).toBe(200);
    expect(test.events).toContainEqual(
      expect.objectContaining({ policy: 'number-types', mode: 'report', decision: 'deny' }),
    );
  });
});
