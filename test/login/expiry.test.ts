import { beforeEach, describe, expect, it } from '@jest/globals';
import { memoryStore, type SmsOtpStore } from 'passport-sms-otp';
import { ALICE } from '../support/test-app';
import { visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const EXPIRED = [401, { error: 'expired' }];

/** The simulator's clock stands by the real time: all that ends here ends by our own clock. */
describe.each(['A', 'B'] as const)('time in variant %s', (variant) => {
  const test = useOwnApps();
  const visitor = visit(test);
  let startedAt: number;
  const start = async (options: object = {}): Promise<void> => {
    await test.start({ variant, options });
    startedAt = test.clock.now();
  };
  /** Moves the clock to so many seconds after the start. */
  const goTo = (seconds: number): void =>
    test.clock.advanceSeconds(seconds - (test.clock.now() - startedAt) / 1000);
  const since = (time: number): number => (time - startedAt) / 1000;

  it('keeps a login in the store for as long as it is pending', async () => {
    const lives: number[] = [];
    const kept = memoryStore();
    const begin: SmsOtpStore['pendingLogins']['begin'] = (login, options) => {
      lives.push(options.ttlSeconds);
      return kept.pendingLogins.begin(login, options);
    };
    await start({ store: { ...kept, pendingLogins: { ...kept.pendingLogins, begin } } });
    await visitor.login();
    expect(lives).toEqual([600]);
  });

  describe('with the defaults', () => {
    beforeEach(() => start());

    it('lets a code in until its last second', async () => {
      const sent = await visitor.login();
      expect(since(sent.body.expiresAt)).toBe(300);
      goTo(299);
      expect((await visitor.enterRight()).status).toBe(200);
    });

    it('counts the life of a code from the start of its request', async () => {
      const getPhone = (): string | null => {
        test.clock.advanceSeconds(3);
        return ALICE.phone;
      };
      await start({ getPhone });
      expect(since((await visitor.login()).body.expiresAt)).toBe(300);
    });

    it('refuses a code after 300 s by our own clock, without a call', async () => {
      await visitor.login();
      goTo(300);
      const answer = await visitor.enterRight();
      expect([answer.status, answer.body]).toEqual(EXPIRED);
      expect(test.sim.stats().calls.validate).toBe(0);
      expect(test.events).toContainEqual(
        expect.objectContaining({ type: 'rejected', reason: 'expired' }),
      );
    });

    it('takes another code while the login is pending; it lives 300 s from its own send', async () => {
      await visitor.login();
      goTo(290);
      const resent = await visitor.resend();
      expect([since(resent.body.expiresAt), since(resent.body.pendingUntil)]).toEqual([590, 600]);
      goTo(589);
      expect((await visitor.enterRight()).status).toBe(200);
    });

    it('ends a resent code with the pending login', async () => {
      await visitor.login();
      goTo(400);
      const resent = await visitor.resend();
      expect([since(resent.body.expiresAt), since(resent.body.pendingUntil)]).toEqual([600, 600]);
      goTo(600);
      const answer = await visitor.enterRight();
      expect([answer.status, answer.body]).toEqual(EXPIRED);
      expect((await visitor.status()).body.pending).toBeNull();
      expect((await visitor.resend()).body).toEqual({ error: 'no-pending-login' });
    });

    it('sends another code 120 s before the end, and none later', async () => {
      await visitor.login();
      goTo(481);
      const late = await visitor.resend();
      expect([late.status, late.body]).toEqual([
        429,
        { error: 'send-limit', retryAfterSeconds: 119 },
      ]);
      expect(late.headers['retry-after']).toBe('119');
      test.clock.advanceSeconds(-1);
      const inTime = await visitor.resend();
      expect([inTime.status, inTime.body.resendAt]).toEqual([200, null]);
      expect(since(inTime.body.expiresAt)).toBe(600);
    });

    it('asks the gateway for no longer life than the login has left', async () => {
      await visitor.login();
      goTo(480);
      await visitor.resend();
      test.sim.advanceSeconds(121);
      expect((await visitor.enterRight()).status).toBe(401);
      expect(test.sim.stats().calls.validate).toBe(1);
    });

    it('sends three codes in one pending login, and says so', async () => {
      const first = await visitor.login();
      expect(since(first.body.resendAt)).toBe(30);
      goTo(30);
      const second = await visitor.resend();
      expect(since(second.body.resendAt)).toBeGreaterThanOrEqual(90);
      goTo(100);
      expect((await visitor.resend()).body).toMatchObject({ sent: true, resendAt: null });
      goTo(400);
      expect((await visitor.resend()).body).toMatchObject({ error: 'send-limit' });
      expect(test.sim.stats().sent).toBe(3);
      expect(test.events).toContainEqual(
        expect.objectContaining({ type: 'denied', reason: 'send-limit' }),
      );
    });

    it('forgets a login that was not finished', async () => {
      await visitor.login();
      goTo(601);
      const answer = await visitor.enterRight();
      expect([answer.status, answer.body]).toEqual(EXPIRED);
      expect((await visitor.enterRight()).body).toEqual({ error: 'no-pending-login' });
    });
  });

  it('shortens a code when the gateway does, and never lengthens it', async () => {
    await start();
    const mobile = ALICE.phone?.slice(1);
    const answerWith = (payload: object): void =>
      test.sim.failNext('generate', {
        kind: 'body',
        status: 201,
        body: JSON.stringify({ status_code: 201, payload: { id: 4711, mobile, ...payload } }),
      });
    answerWith({ validity: 90, valid_until: 90 });
    expect(since((await visitor.login()).body.expiresAt)).toBe(variant === 'A' ? 90 : 300);
    goTo(30);
    answerWith({ validity: 1800, valid_until: 9_999_999_999 });
    expect(since((await visitor.resend()).body.expiresAt)).toBe(330);
  });

  it('keeps a send that was just in time within the pending login, however long the callbacks take', async () => {
    const loadUser = (): Express.User => {
      test.clock.advanceSeconds(5);
      // The test app's users are looked up by nobody else here.
      return test.users.get('alice') as unknown as Express.User;
    };
    await start({ loadUser });
    await visitor.login();
    goTo(480);
    const resent = await visitor.resend();
    expect(resent.status).toBe(200);
    expect([since(resent.body.expiresAt), since(resent.body.pendingUntil)]).toEqual([600, 600]);
  });

  it('is bounded by options: 600 s for a code, 900 s for a login, five sends', async () => {
    await start({ codeValiditySeconds: 600, pendingLoginSeconds: 900, maxSends: 5 });
    const sent = await visitor.login();
    expect([since(sent.body.expiresAt), since(sent.body.pendingUntil)]).toEqual([600, 900]);
    goTo(780);
    expect(since((await visitor.resend()).body.expiresAt)).toBe(900);
  });
});
