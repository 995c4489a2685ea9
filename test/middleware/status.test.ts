import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { giveCode, givePassword, logIn, passwordOf, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

describe('status', () => {
  const test = useSharedApp({ people: 40, routes: addRoutes });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
    app.get('/what', async (req, res) => {
      await smsOtp.checkSecondFactor(req);
      res.json(smsOtp.status(req));
    });
    // Passport types its middleware as any.
    const passwordAlone = passport.authenticate('local', {
      keepSessionInfo: true,
    }) as RequestHandler;
    app.post('/password-alone', passwordAlone, (_req, res) => void res.json({}));
  }

  async function ask(agent: Agent): Promise<unknown> {
    return (await agent.get('/what')).body as unknown;
  }

  it('of a stranger has nothing to tell, and makes no session', async () => {
    const answer = await test.agent().get('/what');
    expect(answer.body).toEqual({
      pending: null,
      verified: null,
      methods: null,
      notice: null,
      retryAt: null,
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('of a pending login tells its times in milliseconds since 1970, the masked number, and no secret', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    const sentAt = test.clock.now();
    const sent = await givePassword(agent, user);
    const pending = {
      purpose: 'login',
      isSent: true,
      maskedPhone: `•• •• ${String(user.phone).slice(-2)}`,
      expiresAt: sentAt + 300_000,
      pendingUntil: sentAt + 600_000,
      resendAt: sentAt + 30_000,
      attemptsLeft: 5,
      factor: 'sms',
      factors: ['sms'],
    };
    expect(await ask(agent)).toEqual({
      pending,
      verified: null,
      methods: null,
      notice: null,
      retryAt: null,
    });
    expect(sent.body).toEqual({ sent: true, ...pending });
    const { otpId, pendingId } = (await agent.get('/status')).body.session.pending as Record<
      string,
      string
    >;
    for (const secret of [otpId, pendingId, test.code(user), String(user.phone).slice(1, -2)]) {
      expect(JSON.stringify(await ask(agent))).not.toContain(secret);
    }
  });

  it('after a resend tells the times of the new code and the same end', async () => {
    const agent = test.agent();
    const sentAt = test.clock.now();
    await givePassword(agent, test.nextUser());
    test.clock.advanceSeconds(100);
    await agent.post('/login/resend');
    expect(await ask(agent)).toMatchObject({
      pending: { expiresAt: sentAt + 400_000, pendingUntil: sentAt + 600_000 },
    });
  });

  it('tells no resend time after the last send', async () => {
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    for (const _resend of [2, 3]) {
      test.clock.advanceSeconds(130);
      expect((await agent.post('/login/resend')).body).toMatchObject({ sent: true });
    }
    expect(await ask(agent)).toMatchObject({ pending: { resendAt: null } });
  });

  it('tells of a pending login until it ends, and no longer', async () => {
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    test.clock.advanceSeconds(599.999);
    expect(await ask(agent)).toMatchObject({ pending: { purpose: 'login' } });
    test.clock.advanceSeconds(0.001);
    expect(await ask(agent)).toMatchObject({ pending: null });
  });

  it('of a login tells when and how the second factor was passed', async () => {
    const agent = await logIn(test, test.nextUser());
    const at = test.clock.now();
    test.clock.advanceSeconds(60);
    expect(await ask(agent)).toEqual({
      pending: null,
      verified: { at, method: 'sms', amr: ['pwd', 'sms'] },
      methods: null,
      notice: null,
      retryAt: null,
    });
  });

  it("tells nothing of another user's second factor", async () => {
    const agent = await logIn(test, test.nextUser());
    await agent.post('/password-alone').send(passwordOf(test.nextUser()));
    expect(await ask(agent)).toMatchObject({ verified: null });
  });

  it('tells of nothing pending once the code was right or the login cancelled', async () => {
    for (const path of ['/login/pin', '/login/cancel']) {
      const user = test.nextUser();
      const agent = test.agent();
      await givePassword(agent, user);
      await agent.post(path).send({ pin: test.code(user) });
      expect(await ask(agent)).toMatchObject({ pending: null });
    }
  });

  it('tells of nothing pending after a code at a login that the server has ended', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    await test.smsOtp.forgetUser(user.id);
    expect(await ask(agent)).toMatchObject({ pending: { purpose: 'login' } });
    expect((await giveCode(test, agent, user)).status).toBe(401);
    expect(await ask(agent)).toMatchObject({ pending: null });
  });

  it('is a plain value, not a promise, and costs the session store nothing but its read', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    test.sessions.resetCalls();
    await ask(agent);
    expect(test.sessions.calls).toEqual({ get: 1, set: 0, touch: 1, destroy: 0 });
    expect((await giveCode(test, agent, user)).status).toBe(200);
  });
});
