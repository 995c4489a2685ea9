import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LogInOptions } from 'passport';
import { ALICE, asUser, BOB, type TestAppOptions } from '../support/test-app';
import { seen, visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const CLOSED = [403, { error: 'second-factor-required' }];

const test = useOwnApps();
const alice = visit(test);

/** A second way in that knows nothing of second factors. */
const otherWaysIn: TestAppOptions['routes'] = (app) => {
  for (const [path, keepSessionInfo] of [
    ['/other', false],
    ['/other-keeping', true],
  ] as const) {
    app.post(path, (req, res, next) => {
      // Missing in the types, part of Passport since 0.6.
      const options = { session: true, keepSessionInfo } as LogInOptions;
      req.logIn(asUser(BOB), options, (error: unknown) =>
        error instanceof Error ? next(error) : res.json({}),
      );
    });
  }
};

describe('the mark of one user', () => {
  beforeEach(() => test.start({ routes: otherWaysIn }));

  it('does not survive logout for the next user of the browser (jaredhanson/passport-totp issue 2)', async () => {
    await alice.login();
    await alice.enterRight();
    expect((await alice.account()).status).toBe(200);
    await alice.logout();
    expect(seen(await alice.account())).toEqual(CLOSED);
    await alice.login(BOB);
    expect(seen(await alice.account())).toEqual(CLOSED);
    expect((await alice.status()).body).toMatchObject({ isAuthenticated: false, verified: null });
  });

  it.each(['/other', '/other-keeping'])(
    'is not that of another user who comes in by %s (better-auth pull request 9203)',
    async (path) => {
      await alice.login();
      await alice.enterRight();
      const agent = test.agent();
      await agent.post('/login').send({ username: 'alice', password: 'right' });
      await agent.post('/login/pin').send({ pin: test.code() });
      await agent.post(path);
      const status = (await agent.get('/status')).body;
      expect(status).toMatchObject({ isAuthenticated: true, hasSecondFactor: false });
      expect(seen(await agent.get('/account'))).toEqual(CLOSED);
      expect((await alice.account()).body).toEqual({ id: 'alice' });
    },
  );

  it('is not given by a login that did not go through send (Gitea CVE-2026-73278)', async () => {
    const agent = test.agent();
    await agent.post('/other');
    expect((await agent.get('/status')).body).toMatchObject({
      isAuthenticated: true,
      hasSecondFactor: false,
    });
    expect(seen(await agent.get('/account'))).toEqual(CLOSED);
  });
});

describe('between the factors', () => {
  beforeEach(() => test.start());

  it('nothing is open: the session of the password is nobody (better-auth GHSA-xg6x-h9c9-2m83, Ghost CVE-2026-22594)', async () => {
    await alice.login();
    for (let look = 0; look < 2; look += 1) {
      expect(seen(await alice.account())).toEqual(CLOSED);
      expect((await alice.status()).body).toMatchObject({
        isAuthenticated: false,
        hasSecondFactor: false,
      });
    }
    expect(test.logins).toEqual([]);
  });

  it('a step-up cannot be asked for in place of the login', async () => {
    await alice.login();
    expect(seen(await alice.stepUp())).toEqual(CLOSED);
  });

  it('an earlier user of the browser is out', async () => {
    await alice.login();
    await alice.enterRight();
    await alice.login(BOB);
    expect(seen(await alice.account())).toEqual(CLOSED);
    expect((await alice.status()).body.isAuthenticated).toBe(false);
  });

  it.each([
    ['x-skip-otp', 'true'],
    ['x-forwarded-user', 'alice'],
    ['x-otp-verified', '1'],
    ['x-trusted-device', 'true'],
    ['authorization', 'Bearer trusted'],
    ['x-http-method-override', 'GET'],
  ])('no header opens a door: %s (Keycloak CVE-2026-96445)', async (name, value) => {
    const visitor = visit(test, ALICE, { [name]: value });
    expect((await visitor.login()).body).toMatchObject({ sent: true });
    expect(seen(await visitor.account())).toEqual(CLOSED);
    expect((await visitor.enterWrong()).status).toBe(401);
  });

  it('no spelling of a path opens it (CryptPad CVE-2025-49591)', async () => {
    const agent = test.agent();
    await agent.post('/login').send({ username: 'alice', password: 'right' });
    const plain = [
      '/account',
      '/ACCOUNT',
      '/account/',
      '/account?verified=true&mfa=1',
      '/./account',
    ];
    const encoded = [
      '/%61ccount',
      '/acc%6Funt',
      '/status/../account',
      '//account',
      '/status/%2e%2e/account',
    ];
    for (const path of [...plain, ...encoded]) {
      expect([path, (await agent.get(path)).status]).not.toEqual([path, 200]);
    }
    await agent.post('/login/pin').send({ pin: test.code() });
    // With the code the first four are open: it is the guard that has closed them.
    const opened = plain.slice(0, 4).map(async (path) => (await agent.get(path)).status);
    expect(await Promise.all(opened)).toEqual([200, 200, 200, 200]);
  });
});

describe('whether a second factor is needed', () => {
  it('is asked anew each time, and never remembered in the session (Ory Kratos CVE-2024-45042)', async () => {
    await test.start({
      users: [{ ...ALICE, isOptional: true }],
      routes: (app, smsOtp) => {
        app.get('/lenient', smsOtp.requireSecondFactor({ allowNotRequired: true }), (_req, res) =>
          res.json({}),
        );
      },
    });
    const agent = test.agent();
    const out = await agent.post('/login').send({ username: 'alice', password: 'right' });
    expect(out.body).toEqual({ sent: false, reason: 'not-required' });
    expect((await agent.get('/lenient')).status).toBe(200);
    expect(seen(await agent.get('/account'))).toEqual(CLOSED);
    test.users.set('alice', { ...ALICE, isOptional: false });
    expect(seen(await agent.get('/lenient'))).toEqual(CLOSED);
  });
});

describe('the flow a code was made for', () => {
  beforeEach(() => test.start());

  it('is the only one it is good for (Keycloak CVE-2026-18963)', async () => {
    await alice.login();
    await alice.enterRight();
    await alice.stepUp();
    const code = test.code();
    const other = visit(test);
    test.clock.advanceSeconds(31);
    await other.login();
    // The code of the step-up, in the session of the login.
    expect(seen(await other.enter(code))).toEqual([401, { error: 'invalid-code' }]);
    // The code of the login, in the session of the step-up.
    expect(seen(await alice.enterRight())).toEqual([401, { error: 'invalid-code' }]);
    expect(seen(await other.account())).toEqual(CLOSED);
    expect((await other.enterRight()).status).toBe(200);
  });

  it.each(['enter', 'resend'] as const)(
    'is that of the user who is logged in when it comes to %s (better-auth pull request 9203)',
    async (act) => {
      await test.close();
      await test.start({ routes: otherWaysIn });
      const agent = test.agent();
      await agent.post('/login').send({ username: 'alice', password: 'right' });
      await agent.post('/login/pin').send({ pin: test.code() });
      await agent.post('/step-up');
      const pin = test.code();
      await agent.post('/other-keeping');
      expect((await agent.get('/status')).body).toMatchObject({ pending: { purpose: 'step-up' } });
      test.clock.advanceSeconds(30);
      const path = act === 'enter' ? '/login/pin' : '/login/resend';
      expect(seen(await agent.post(path).send({ pin }))).toEqual([
        401,
        { error: 'no-pending-login' },
      ]);
      expect((await agent.get('/status')).body).toMatchObject({
        pending: null,
        hasSecondFactor: false,
      });
      expect(test.sim.stats()).toMatchObject({ sent: 2, calls: { validate: 1 } });
    },
  );

  it('ends when the step-up changes hands', async () => {
    await alice.login();
    await alice.enterRight();
    await alice.stepUp();
    const code = test.code();
    await alice.logout();
    expect(seen(await alice.enter(code))).toEqual([401, { error: 'no-pending-login' }]);
    expect(seen(await alice.account())).toEqual(CLOSED);
  });
});
