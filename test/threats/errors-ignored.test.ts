import { describe, expect, it } from '@jest/globals';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { answer } from '../support/gateway-faults';
import { asTestUser } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const CLOSED = [403, { error: 'second-factor-required' }];

const test = useOwnApps();
const alice = visit(test);

describe('an error', () => {
  it.each([
    ['loadUser throws', { loadUser: () => Promise.reject(new Error('down')) }],
    [
      'loadUser gives an error',
      { loadUser: () => new Error('no such user') as unknown as Express.User },
    ],
    ['getUserId gives nothing at the code', { getUserId: idOnlyOnce() }],
  ])(
    'of the user check is no login: %s (CVE-2024-10924, CVE-2026-8293)',
    async (_what, options) => {
      await test.start({ options });
      await alice.login();
      expect((await alice.enterRight()).status).toBeGreaterThanOrEqual(400);
      expect(test.logins).toEqual([]);
      expect(seen(await alice.account())).toEqual(CLOSED);
    },
  );

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['gives undefined', () => undefined],
    ['gives null', () => null],
    ['gives 0', () => 0],
    ['gives the word false', () => 'false'],
  ])(
    'of the policy is no "not required": isRequiredFor %s (CVE-2024-10924)',
    async (_what, isRequiredFor) => {
      await test.start({
        options: { isRequiredFor: isRequiredFor as NonNullable<SmsOtpOptions['isRequiredFor']> },
      });
      expect((await alice.login()).body).toMatchObject({ sent: true });
      expect(test.logins).toEqual([]);
    },
  );

  it.each([
    ['{"status_code":200,"payload":false}'],
    ['{"status_code":200,"payload":{"valid":false}}'],
    ['{"status_code":200}'],
    ['{"status_code":401,"payload":""}'],
    ['{"status_code":200,"payload":"","errors":[{"code":2107,"message":"Invalid pin"}]}'],
    ['{"payload":"","errors":[{}]}'],
    ['null'],
  ])('in the answer to validate is no success: %s (GitLab CVE-2026-0723)', async (body) => {
    await test.start();
    await alice.login();
    test.sim.failNext('validate', answer(200, body));
    expect((await alice.enterWrong()).status).toBeGreaterThanOrEqual(400);
    expect(test.logins).toEqual([]);
  });
});

/** Gives the id for the send and nothing for the code. */
function idOnlyOnce(): (user: Express.User) => string {
  let calls = 0;
  return (user) => {
    calls += 1;
    return calls === 1 ? asTestUser(user).id : '';
  };
}
