import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayClient } from 'passport-sms-otp/client';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { testClock, type TestClock } from '../support/clock';
import { people } from '../support/people';
import { startTestApp, type TestApp } from '../support/test-app';
import { seen, visit, type Visit, wrongCode } from '../support/visit';
import { waitUntil } from '../support/wait-until';

const [ALICE, BOB] = people(2);

/** What is refused here, before an attempt is claimed, costs neither an attempt nor a failure. */
describe.each(['A', 'B'] as const)(
  'a code that is not even put to the gateway in variant %s',
  (variant) => {
    let clock: TestClock;
    let sim: GatewaySimulator;
    let client: GatewayClient;
    let test: TestApp;
    let visitor: Visit;
    const start = async (settings: object = {}): Promise<void> => {
      clock = testClock();
      sim = await GatewaySimulator.start({ variant });
      const { baseUrl, username, password } = sim;
      const now = (): number => clock.now();
      client = new GatewayClient({ baseUrl, variant, username, password, now, ...settings });
      const options = { gateway: client, allowedCountries: 'any' } as const;
      test = await startTestApp({ variant, clock, users: people(2), options });
      visitor = visit(test, ALICE);
    };
    afterEach(async () => {
      await test.close();
      await client.close();
      await sim.close();
    });

    const enterRight = (): ReturnType<Visit['enter']> =>
      visitor.enter(sim.lastPin(ALICE?.phone ?? ''));

    async function enterWrongly(times = 5): Promise<void> {
      const wrong = wrongCode(sim.lastPin(ALICE?.phone ?? '') ?? '');
      for (let time = 0; time < times; time += 1) await visitor.enter(wrong);
    }

    async function expectNothingSpent(): Promise<void> {
      expect(sim.stats().calls.validate).toBe(0);
      expect(test.events.map(({ type }) => type)).not.toContain('failure-count-changed');
      expect((await visitor.status()).body).toMatchObject({
        pending: { purpose: 'login' },
        isAuthenticated: false,
      });
      expect(test.logins).toEqual([]);
    }

    describe('because the queue is full', () => {
      beforeEach(() => start({ connections: 1, queueLimit: 0 }));

      it('is answered 503 with Retry-After, and good afterwards', async () => {
        await visitor.login();
        sim.failNext('balance', { kind: 'latency', ms: 1_000 });
        const balance = client.otp.balance();
        await waitUntil(() => sim.stats().calls.balance === 1);
        const refused = await enterRight();
        expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_BUSY' }]);
        expect(refused.headers['retry-after']).toBe('1');
        await expectNothingSpent();
        await balance;
        // All five attempts are left.
        await enterWrongly(4);
        expect((await enterRight()).status).toBe(200);
      });

      it('is wrong without a place in it where no text is out', async () => {
        await visitor.login();
        await visitor.cancel();
        expect((await visitor.login()).status).toBe(429);
        sim.failNext('balance', { kind: 'latency', ms: 1_000 });
        const balance = client.otp.balance();
        await waitUntil(() => sim.stats().calls.balance === 1);
        expect(seen(await enterRight())).toEqual([401, { error: 'invalid-code' }]);
        await balance;
      });

      it.each([
        ['has expired', 'expired', (): unknown => clock.advanceSeconds(600)],
        ['admits no more attempts', 'invalid-code', () => enterWrongly()],
      ])('waits for no place in it when the pending login %s', async (_what, error, end) => {
        await visitor.login();
        await end();
        sim.failNext('balance', { kind: 'latency', ms: 1_000 });
        const balance = client.otp.balance();
        await waitUntil(() => sim.stats().calls.balance === 1);
        expect(seen(await enterRight())).toEqual([401, { error }]);
        await balance;
      });
    });

    describe('because the circuit breaker is open', () => {
      beforeEach(() => start());

      it('is answered 503 with Retry-After, and good once the probe has worked', async () => {
        await visitor.login();
        sim.failNext('balance', 'html-502', 20);
        for (let call = 0; call < 20; call += 1) await client.otp.balance().catch(() => null);
        const refused = await enterRight();
        expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_BUSY' }]);
        expect(refused.headers['retry-after']).toBe('5');
        await expectNothingSpent();
        sim.clearFaults();
        clock.advanceSeconds(5);
        const before = sim.stats().calls.balance;
        expect((await enterRight()).status).toBe(200);
        expect(sim.stats().calls).toMatchObject({ validate: 1, balance: before + 1 });
      });
    });

    describe('because no token is to be had', () => {
      beforeEach(() => start());

      /** The token is good for the code's send and at its end a little later. */
      async function logInAtTheEndOfTheToken(): Promise<void> {
        await visit(test, BOB).login();
        clock.advanceSeconds(1_500);
        sim.failNext('auth', 'reset', Infinity);
        await visitor.login();
        test.events.length = 0;
        clock.advanceSeconds(296);
      }

      it('is answered 503, and good when the gateway can be reached again', async () => {
        await logInAtTheEndOfTheToken();
        const refused = await enterRight();
        expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_UNREACHABLE' }]);
        await expectNothingSpent();
        sim.clearFaults();
        expect((await enterRight()).status).toBe(200);
      });

      it('is answered 503 with Retry-After while the credentials are refused', async () => {
        await logInAtTheEndOfTheToken();
        sim.clearFaults();
        sim.failNext('auth', { kind: 'error', code: 1004 }, Infinity);
        expect((await enterRight()).body).toEqual({ code: 'ERR_GATEWAY_REJECTED' });
        const authentications = sim.stats().calls.auth;
        const refused = await enterRight();
        expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_BUSY' }]);
        expect(refused.headers['retry-after']).toBe('60');
        expect(sim.stats().calls.auth).toBe(authentications);
        await expectNothingSpent();
      });
    });

    describe('because the client is closed', () => {
      beforeEach(() => start());

      it('is answered 503', async () => {
        await visitor.login();
        await client.close();
        const refused = await enterRight();
        expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_BUSY' }]);
        await expectNothingSpent();
      });
    });

    describe('while the gateway refuses connections', () => {
      beforeEach(() => start());

      it('costs an attempt and no failure, and the challenge lives', async () => {
        await visitor.login();
        const code = sim.lastPin(ALICE?.phone ?? '');
        await sim.close();
        const refused = await visitor.enter(code);
        expect([refused.status, refused.body]).toEqual([503, { code: 'ERR_GATEWAY_UNREACHABLE' }]);
        expect(test.events.map(({ type }) => type)).not.toContain('failure-count-changed');
        expect((await visitor.status()).body).toMatchObject({ pending: { purpose: 'login' } });
        for (let attempt = 2; attempt <= 5; attempt += 1)
          expect((await visitor.enter(code)).status).toBe(503);
        expect([(await visitor.enter(code)).body, test.logins]).toEqual([
          { error: 'invalid-code' },
          [],
        ]);
      });
    });
  },
);
