import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import { asUser } from '../support/test-app';
import { givePassword, logIn, otherThan, sessionIdOf, statusOf } from './support/steps';
import { useSharedApp } from '../support/use-app';

const REDIRECTS = { successRedirect: '/home', failureRedirect: '/again' };

describe("plain passport.authenticate('sms-otp')", () => {
  const test = useSharedApp({ people: 40, routes: addRoutes });

  function addRoutes(app: Express, _smsOtp: unknown, passport: PassportStatic): void {
    const authenticate = (options: object): RequestHandler =>
      // Passport types its middleware as any.
      passport.authenticate('sms-otp', options) as RequestHandler;
    const answer: RequestHandler = (req, res) => {
      res.json({
        outcome: { ...req.smsOtp, user: req.smsOtp?.user },
        authInfo: req.authInfo,
        isAuthenticated: req.isAuthenticated(),
      });
    };
    app.post('/plain', authenticate({}), answer);
    app.post('/plain/redirects', authenticate(REDIRECTS));
    app.post('/plain/messages', authenticate({ ...REDIRECTS, failureMessage: true }));
    app.post('/plain/flash', authenticate({ ...REDIRECTS, failureFlash: true }));
    app.post('/plain/once', authenticate({ session: false }), answer);
    app.post('/plain/keeping', authenticate({ keepSessionInfo: true }), answer);
    app.post('/plain/no-info', authenticate({ authInfo: false }), answer);
    app.post('/plain/error', authenticate({ failWithError: true }));
    app.post('/plain/callback', (req, res, next) => {
      const middleware = passport.authenticate(
        'sms-otp',
        (error: unknown, user: Express.User | false, info: object, status: number) => {
          if (error !== null) return next(error);
          if (user === false) return res.status(status).json(info);
          req.logIn(user, () => res.json(info));
        },
      ) as RequestHandler;
      middleware(req, res, next);
    });
    app.get('/messages', (req, res) => {
      res.json((req.session as { messages?: string[] }).messages ?? []);
    });
  }

  async function submit(path: string, change = (code: string): unknown => code) {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const answer = await agent.post(path).send({ pin: change(test.code(user)) });
    return { user, agent, answer };
  }

  it.each(['/plain', '/plain/redirects', '/plain/keeping', '/plain/callback', '/plain/no-info'])(
    'lets the mark survive at %s, and the code is spent',
    async (path) => {
      const { agent, answer } = await submit(path);
      expect(sessionIdOf(answer)).toBeDefined();
      expect(await statusOf(agent)).toMatchObject({ hasSecondFactor: true, pending: null });
      expect((await agent.get('/account')).status).toBe(200);
    },
  );

  it('sets req.smsOtp and req.authInfo, whose amr is as in RFC 8176', async () => {
    const { user, answer } = await submit('/plain');
    const at = test.clock.now();
    expect(answer.body).toEqual({
      isAuthenticated: true,
      authInfo: { amr: ['pwd', 'sms'], method: 'sms', at },
      outcome: { verified: true, method: 'sms', at, user },
    });
  });

  it('leaves the reason for the page that failureRedirect leads to', async () => {
    const { agent, answer } = await submit('/plain/redirects', otherThan);
    expect([answer.status, answer.headers.location]).toEqual([302, '/again']);
    expect(await statusOf(agent)).toMatchObject({ notice: 'wrong-code', pending: {} });
    expect(await statusOf(agent)).toMatchObject({ notice: null });
  });

  it('leaves no reason where the app answers', async () => {
    const { agent, answer } = await submit('/plain/callback', otherThan);
    expect([answer.status, answer.body.reason]).toEqual([401, 'wrong-code']);
    expect(await statusOf(agent)).toMatchObject({ notice: null });
  });

  it('sets no req.authInfo when told so', async () => {
    const { answer } = await submit('/plain/no-info');
    expect(answer.body.authInfo).toBeUndefined();
  });

  it("redirects with Passport's own 302 after a success and after a refusal", async () => {
    const right = await submit('/plain/redirects');
    expect([right.answer.status, right.answer.headers.location]).toEqual([302, '/home']);
    const wrong = await submit('/plain/redirects', otherThan);
    expect([wrong.answer.status, wrong.answer.headers.location]).toEqual([302, '/again']);
  });

  it("answers a refusal with the status of the table and Passport's own text", async () => {
    const wrong = await submit('/plain', otherThan);
    expect([wrong.answer.status, wrong.answer.text]).toEqual([401, 'Unauthorized']);
    expect(wrong.answer.headers['www-authenticate']).toBeUndefined();
    const malformed = await submit('/plain', () => 'no code');
    expect([malformed.answer.status, malformed.answer.text]).toEqual([400, 'Bad Request']);
  });

  it('gives failureMessage a word that does not tell wrong from used', async () => {
    const { agent, answer } = await submit('/plain/messages', otherThan);
    expect(answer.status).toBe(302);
    expect((await agent.get('/messages')).body).toEqual(['invalid-code']);
  });

  it('gives a callback the reason and the status', async () => {
    const { answer } = await submit('/plain/callback', () => ['123456']);
    expect([answer.status, answer.body]).toEqual([
      400,
      { message: 'malformed-code', reason: 'malformed-code' },
    ]);
  });

  it('hands what an action of Passport throws to the error handler (failureFlash without a flash middleware)', async () => {
    const { answer } = await submit('/plain/flash', otherThan);
    expect(answer.status).toBe(500);
    expect(test.errors.at(-1)).toBeInstanceOf(TypeError);
  });

  it('hands failWithError an error with the status', async () => {
    await submit('/plain/error', () => 'no code');
    expect(test.errors.at(-1)).toMatchObject({ status: 400 });
  });

  it('makes no mark with session: false, ends the pending login and logs nobody in', async () => {
    const { user, agent, answer } = await submit('/plain/once');
    expect(answer.body).toMatchObject({ isAuthenticated: true, outcome: { verified: true } });
    const status = await statusOf(agent);
    expect(status).toMatchObject({ isAuthenticated: false, hasSecondFactor: false, pending: null });
    expect(status.session).toEqual({ version: 1 });
    expect(test.logins).not.toContain(user.id);
  });

  it('replaces the mark of a step-up, and keeps it with session: false', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const first = test.clock.now();
    for (const [path, at] of [
      ['/plain/once', first],
      ['/plain', first + 240_000],
    ] as const) {
      test.clock.advanceSeconds(120);
      expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
      await agent.post(path).send({ pin: test.code(user) });
      expect(await statusOf(agent)).toMatchObject({
        isAuthenticated: true,
        pending: null,
        verified: { at },
      });
    }
  });

  it('lets accidents through to the error handler', async () => {
    test.sim.failNext('validate', { kind: 'error', code: 2121 });
    const { answer } = await submit('/plain');
    expect([answer.status, answer.body]).toEqual([503, { code: 'ERR_GATEWAY_REJECTED' }]);
  });

  it('loads the user anew: the one of the challenge, not of the request', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    test.users.set(user.id, { ...user, isOptional: true });
    const answer = await agent.post('/plain').send({ pin: test.code(user) });
    expect(answer.body.outcome.user).toEqual(asUser({ ...user, isOptional: true }));
  });
});
