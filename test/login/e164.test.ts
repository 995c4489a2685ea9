import { describe, expect, it } from '@jest/globals';
import { ALICE, BOB, type TestUser } from '../support/test-app';
import { NEW } from '../support/test-users';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

/** Two spellings of one number each, as apps have stored them; the second is E.164. */
const SPELLINGS = [
  ['Mexico, with the 1 of before 2019', '+5215512345678', '+525512345678'],
  ['Great Britain, with a national zero', '+4407400123456', '+447400123456'],
  ['Germany, with two national zeros', '+490015123456789', '+4915123456789'],
] as const;

const CHECKED = [200, 200];

describe.each(['A', 'B'] as const)('a stored number, variant %s,', (variant) => {
  describe.each(SPELLINGS)('of %s', (_what, stored, e164) => {
    const test = useOwnApps({
      variant,
      options: { allowedCountries: ['MX', 'GB', 'DE'] },
      users: [
        { ...ALICE, phone: stored },
        { ...BOB, phone: e164 },
      ],
    });
    const setPhone = (user: TestUser, phone: string): void => {
      test.users.set(user.id, { ...user, phone });
    };

    it('is texted as E.164', async () => {
      await test.start();
      const alice = visit(test);
      const { status } = await alice.login();
      expect(test.sim.outbox.map(({ mobile }) => mobile)).toEqual([e164]);
      expect([status, (await alice.enter(test.sim.lastPin(e164))).status]).toEqual(CHECKED);
    });

    it('is one number for all who have it, however they spell it', async () => {
      const limits = { perNumber: { maxPerDay: 1 } };
      await test.start({ options: { allowedCountries: ['MX', 'GB', 'DE'], limits } });
      expect((await visit(test).login()).status).toBe(200);
      expect(seen(await visit(test, BOB).login())).toEqual([
        429,
        { error: 'send-limit', retryAfterSeconds: expect.any(Number) },
      ]);
    });

    it('is the same number after the app has corrected its spelling', async () => {
      await test.start({ hasFactors: true });
      const alice = test.browser();
      expect((await alice.login()).status).toBe(200);
      setPhone(ALICE, e164);
      test.clock.advanceSeconds(30);
      expect((await alice.resend()).status).toBe(200);
      const code = { trustDevice: 'on' };
      expect((await alice.enter(test.sim.lastPin(e164), code)).status).toBe(200);
      setPhone(ALICE, stored);
      alice.leave();
      expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
    });
  });
});

describe('a number that a phone book has in another spelling', () => {
  const [, stored, e164] = SPELLINGS[1];
  const test = useOwnApps({ hasPhones: true });

  async function logIn(...numbers: string[]) {
    await test.start({ options: { allowedCountries: ['GB', 'US'] } });
    test.book.seed('alice', ...numbers);
    const alice = visit(test);
    await alice.login();
    expect((await alice.enter(test.sim.outbox.at(-1)?.pin)).status).toBe(200);
    return alice;
  }
  const idOf = async (ending: string): Promise<string | undefined> =>
    (await test.smsOtp.phones?.list({ id: 'alice' } as never))?.find(({ maskedPhone }) =>
      maskedPhone.endsWith(ending),
    )?.phoneId;

  it('is shown without the number, and needs no code of another enrollment', async () => {
    const alice = await logIn(stored);
    const listed = await test.smsOtp.phones?.list({ id: 'alice' } as never);
    expect(JSON.stringify(listed)).not.toContain('7400123');
    expect(listed).toHaveLength(1);
    expect(seen(await alice.enroll(e164))).toEqual([403, { error: 'not-required' }]);
  });

  it('is listed once where the book has both spellings', async () => {
    await logIn(stored, e164);
    expect(await test.smsOtp.phones?.list({ id: 'alice' } as never)).toHaveLength(1);
  });

  it('is made the default, replaced and removed under the name that the book has for it', async () => {
    const alice = await logIn(NEW, stored);
    const phoneId = await idOf(stored.slice(-2));
    expect((await alice.post('/phones/default', { phoneId })).status).toBe(200);
    expect(test.book.list('alice')).toMatchObject([{ mobile: stored }, { mobile: NEW }]);
    expect((await alice.replace('+16175550199', { phoneId })).status).toBe(200);
    expect((await alice.confirm('+16175550199')).status).toBe(200);
    expect(test.book.list('alice')).toMatchObject([{ mobile: '+16175550199' }, { mobile: NEW }]);
    test.book.seed('alice', NEW, stored);
    expect((await alice.post('/phones/remove', { phoneId })).status).toBe(200);
    expect(test.book.list('alice')).toMatchObject([{ mobile: NEW }]);
  });
});
