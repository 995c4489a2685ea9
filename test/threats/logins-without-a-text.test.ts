import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import { memoryStore, type Factor, type SmsOtp, type SmsOtpStore } from 'passport-sms-otp';
import { testClock, type TestClock } from '../support/clock';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { ALICE, asTestUser, BOB, type TestUser } from '../support/test-app';
import { visit, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const APP_CODE = '246810';
const CAROL: TestUser = { id: 'carol', phone: '+12125550125' };

/** An authenticator app that only Bob has. */
const totp: Factor = {
  name: 'totp',
  isAvailable: (user) => asTestUser(user).id === 'bob',
  check: ({ code }) => code === APP_CODE,
};

/** A memory store that tells how many logins are begun and not yet over. */
function countingStore(clock: TestClock): { store: SmsOtpStore; live: () => number } {
  const store = memoryStore({ now: () => clock.now() });
  const { pendingLogins } = store;
  const ends = new Map<string, number>();
  const begin: typeof pendingLogins.begin = (login, options) => {
    ends.set(login.pendingId, clock.now() + options.ttlSeconds * 1000);
    return pendingLogins.begin(login, options);
  };
  const end: typeof pendingLogins.end = (pendingId, options) => {
    if (options?.otpId === undefined) ends.delete(pendingId);
    return pendingLogins.end(pendingId, options);
  };
  const live = (): number => [...ends.values()].filter((at) => at > clock.now()).length;
  return { store: { ...store, pendingLogins: { ...pendingLogins, begin, end } }, live };
}

function addAppRoutes(app: Express, { stepUp, verifyWith }: SmsOtp): void {
  app.post(
    '/app',
    verifyWith?.('totp') ?? [],
    (req: { smsOtp?: unknown }, res: { json(body: unknown): void }) => res.json(req.smsOtp),
  );
  const transaction = (): { amount: string; payee: string } => ({ amount: '5.00', payee: 'Bob' });
  app.post('/pay', stepUp({ transaction }), (req, res) => void res.json(req.smsOtp));
}

describe.each(VARIANTS_OF_LONG_RUNS)('a login without a text in variant %s', (variant) => {
  const test = useOwnApps({
    hasFactors: true,
    variant,
    users: [ALICE, BOB, CAROL],
    trustProxy: true,
    options: { factors: [totp] },
    routes: addAppRoutes,
  });

  it('lets in all who have another factor while the gateway is away for an hour, and nobody else', async () => {
    await test.start();
    const codes = await test.firstCodes();
    const fault = { kind: 'status', status: 503 } as const;
    test.sim.failNext('generate', fault, 1_000);
    for (let minute = 0; minute < 60; minute += 10) {
      const [alice, bob, carol] = [test.browser(), test.browser(BOB), test.browser(CAROL)];
      for (const browser of [alice, bob, carol]) {
        expect((await browser.login()).body).toMatchObject({ error: 'not-sent', pending: true });
      }
      expect((await alice.recover(codes[minute / 10])).status).toBe(200);
      expect((await bob.post('/app', { pin: APP_CODE })).status).toBe(200);
      expect((await carol.recover(codes[9])).status).toBe(401);
      expect((await carol.post('/login/pin', { pin: '1234' })).status).toBe(401);
      expect((await carol.get('/account')).status).toBe(403);
      test.clock.advanceSeconds(600);
    }
    test.sim.clearFaults();
    test.clock.advanceSeconds(600);
    const carol = visit(test, CAROL);
    await carol.login();
    expect((await carol.enterRight()).status).toBe(200);
    expect(test.told('locked')).toEqual([]);
  });

  it.each([1, 100])(
    'is begun by one account for an hour from %d addresses: the entries of the store are bounded, others log in',
    async (addresses) => {
      const clock = testClock();
      const { store, live } = countingStore(clock);
      await test.start({ clock, options: { store } });
      const post = (from: number): ReturnType<Visit['login']> =>
        visit(test, BOB, { 'x-forwarded-for': `192.0.2.${from}` }).login();
      let most = 0;
      let pending = 0;
      for (let tenMinutes = 0; tenMinutes < 6; tenMinutes += 1) {
        const each = addresses === 1 ? 40 : 1;
        for (let from = 1; from <= addresses; from += 1) {
          for (let times = 0; times < each; times += 1) {
            if ((await post(from)).body.pending === true) pending += 1;
          }
        }
        most = Math.max(most, live());
        clock.advanceSeconds(600);
      }
      expect(pending).toBeGreaterThan(0);
      // One text more for each gap that has passed.
      expect(most).toBeLessThanOrEqual(20 * addresses + 10);
      expect(pending).toBeLessThanOrEqual(6 * 20 * addresses);
      const carol = visit(test, CAROL, { 'x-forwarded-for': '198.51.100.1' });
      await carol.login();
      expect((await carol.enterRight()).status).toBe(200);
    },
  );

  it('is never asked of the gateway by an id of our own, whatever is typed', async () => {
    await test.start();
    const bob = test.browser(BOB);
    test.sim.failNext('generate', 'html-502');
    await bob.login();
    for (const pin of ['1234', '123456', APP_CODE]) await bob.post('/login/pin', { pin });
    expect(test.sim.stats()).toMatchObject({ validatesById: {}, calls: { validate: 0 } });
    expect((await bob.post('/app', { pin: APP_CODE })).status).toBe(200);
    expect(test.sim.stats().validatesById).toEqual({});
  });

  it('confirms no transaction: neither a recovery code nor the app is good for one', async () => {
    await test.start();
    const bob = test.browser(BOB);
    await bob.login();
    await bob.enterRight();
    const { codes } = (await bob.post('/codes')).body as { codes: readonly string[] };
    expect((await bob.post('/pay')).body).toMatchObject({
      sent: true,
      purpose: 'transaction',
      factors: ['sms'],
    });
    expect((await bob.post('/app', { pin: APP_CODE })).body).toEqual({ error: 'no-pending-login' });
    expect((await bob.recover(codes[0])).body).toEqual({ error: 'no-pending-login' });
    expect(await test.recoveryCodes.count(BOB.id)).toBe(10);
    test.clock.advanceSeconds(31);
    test.sim.failNext('generate', 'html-502');
    await bob.post('/login/cancel');
    expect((await bob.post('/pay')).status).toBe(502);
    expect((await bob.get('/status')).body.pending).toBeNull();
  });
});
