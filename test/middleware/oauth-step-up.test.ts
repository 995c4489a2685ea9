import { describe, expect, it } from '@jest/globals';
import type { Express, Request, RequestHandler } from 'express';
import type { Factor, GuardOptions, SmsOtp } from 'passport-sms-otp';
import type { TestUser } from '../support/test-app';
import { bareRequest, letsPass } from './support/bare-request';
import { giveCode, givePassword, logIn, passwordOf, type Agent } from './support/steps';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

/** Stands for a passkey: only its name and its values matter here. */
const PASSKEY: Factor = {
  name: 'passkey',
  amr: 'pop',
  acr: 'phr',
  check: ({ code }) => code === 'signed',
};
const TOTP: Factor = { name: 'totp', amr: 'otp', check: ({ code }) => code === 'shown' };

const GUARDS: Readonly<Record<string, GuardOptions>> = {
  any: { bearerRealm: 'bank' },
  fresh: { bearerRealm: 'bank', maxAgeSeconds: 300 },
  now: { bearerRealm: 'bank', maxAgeSeconds: 0 },
  fraction: { bearerRealm: 'bank', maxAgeSeconds: 60.9 },
  huge: { bearerRealm: 'bank', maxAgeSeconds: 1e21 },
  ever: { bearerRealm: 'bank', maxAgeSeconds: Infinity },
  phr: { bearerRealm: 'bank', acrValues: ['phr'] },
  strongest: {
    bearerRealm: 'the bank, main office',
    acrValues: ['phrh', 'phr'],
    maxAgeSeconds: 300,
  },
  plain: { acrValues: ['phr'] },
  optional: { bearerRealm: 'bank', acrValues: ['phr'], allowNotRequired: true },
};

const REQUIRED =
  'error="insufficient_user_authentication", error_description="A second factor is required"';
const TOO_OLD =
  'error="insufficient_user_authentication", error_description="A more recent second factor is required"';

/** The option is given, and the type of a test app does not know it. */
const noSuchFactor: RequestHandler = (_req, _res, next) => next(new Error('no such factor'));

describe('a guard that asks as OAuth does', () => {
  const test = useSharedApp({
    people: 40,
    options: { factors: [PASSKEY, TOTP], logins: {} },
    routes: addPages,
  });

  function addPages(app: Express, smsOtp: SmsOtp): void {
    for (const [name, options] of Object.entries(GUARDS)) {
      app.get(`/guarded/${name}`, smsOtp.requireSecondFactor(options), (req, res) => {
        res.json({ claims: smsOtp.claims(req) });
      });
    }
    app.get(
      '/is',
      (req, res) => void res.json({ is: smsOtp.hasSecondFactor(req, { acrValues: ['phr'] }) }),
    );
    app.post('/login/passkey', smsOtp.verifyWith?.('passkey') ?? noSuchFactor, (req, res) => {
      res.json(req.smsOtp);
    });
  }

  async function logInWithPasskey(user: TestUser): Promise<Agent> {
    const agent = test.agent();
    await givePassword(agent, user);
    expect((await agent.post('/login/passkey').send({ pin: 'signed' })).status).toBe(200);
    return agent;
  }

  async function challengeOf(agent: Agent, guard: string): Promise<unknown[]> {
    const { status, headers, body } = await agent.get(`/guarded/${guard}`);
    return [status, headers['www-authenticate'], body as unknown];
  }

  it('names the lists of acr values and the age that it asks for, in a challenge that no cache keeps', async () => {
    const agent = await logIn(test, test.nextUser());
    const answer = await agent.get('/guarded/strongest');
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="the bank, main office", ${REQUIRED}, acr_values="phrh phr", max_age="300"`,
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toEqual({ error: 'second-factor-required' });
  });

  it('names the age alone where the second factor was passed too long ago', async () => {
    const agent = await logIn(test, test.nextUser());
    expect((await agent.get('/guarded/fresh')).status).toBe(200);
    test.clock.advanceSeconds(300.001);
    expect(await challengeOf(agent, 'fresh')).toEqual([
      401,
      `Bearer realm="bank", ${TOO_OLD}, max_age="300"`,
      { error: 'second-factor-too-old' },
    ]);
  });

  it('with age 0 admits the very millisecond, asks for max_age 0 afterwards, and admits again after a step-up', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    expect((await agent.get('/guarded/now')).status).toBe(200);
    test.clock.advanceSeconds(0.001);
    expect(await challengeOf(agent, 'now')).toEqual([
      401,
      `Bearer realm="bank", ${TOO_OLD}, max_age="0"`,
      { error: 'second-factor-too-old' },
    ]);
    test.clock.advanceSeconds(60);
    await agent.post('/step-up');
    await giveCode(test, agent, user);
    expect((await agent.get('/guarded/now')).status).toBe(200);
  });

  it.each([
    ['fraction', ', max_age="60"'],
    ['huge', ', max_age="1000000000000000000000"'],
    ['ever', ''],
  ])(
    'writes an age as a whole number, rounded down, and none without end: %s',
    async (guard, maxAge) => {
      const user = test.nextUser();
      const agent = test.agent();
      test.users.set(user.id, { ...user, isOptional: true });
      await givePassword(agent, user);
      expect((await challengeOf(agent, guard))[1]).toBe(
        `Bearer realm="bank", ${REQUIRED}${maxAge}`,
      );
    },
  );

  it('names nothing to ask for where any second factor would do', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    test.users.set(user.id, { ...user, isOptional: true });
    await givePassword(agent, user);
    expect(await challengeOf(agent, 'any')).toEqual([
      401,
      `Bearer realm="bank", ${REQUIRED}`,
      { error: 'second-factor-required' },
    ]);
  });

  it.each(['any', 'strongest', 'optional'])(
    'tells a stranger the realm and of no error: %s',
    async (guard) => {
      const { bearerRealm = '' } = GUARDS[guard] ?? {};
      const refusal = [401, `Bearer realm="${bearerRealm}"`, { error: 'second-factor-required' }];
      expect(await challengeOf(test.agent(), guard)).toEqual(refusal);
      const waiting = test.agent();
      await givePassword(waiting, test.nextUser());
      expect(await challengeOf(waiting, guard)).toEqual(refusal);
    },
  );

  it('calls a login that has ended an invalid token, and asks for no second factor', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await test.smsOtp.logins?.revokeAll(user.id);
    expect(await challengeOf(agent, 'strongest')).toEqual([
      401,
      'Bearer realm="the bank, main office", error="invalid_token", error_description="The login has ended"',
      { error: 'login-ended' },
    ]);
  });

  it('leaves the challenge out without bearerRealm, where the refusal stays 403', async () => {
    const agent = await logIn(test, test.nextUser());
    expect(await challengeOf(agent, 'plain')).toEqual([
      403,
      undefined,
      { error: 'second-factor-required' },
    ]);
  });

  it('writes nothing to the session', async () => {
    const agent = await logIn(test, test.nextUser());
    test.sessions.resetCalls();
    await agent.get('/guarded/strongest');
    expect(test.sessions.calls).toEqual({ get: 1, set: 0, touch: 1, destroy: 0 });
  });

  it('admits a passkey where phr is asked for, and after a texted code in a step-up no more', async () => {
    const user = test.nextUser();
    const agent = await logInWithPasskey(user);
    for (const guard of ['phr', 'strongest', 'plain']) {
      expect((await agent.get(`/guarded/${guard}`)).body.claims).toMatchObject({ acr: 'phr' });
    }
    test.clock.advanceSeconds(301);
    await agent.post('/step-up');
    expect((await giveCode(test, agent, user)).body).toMatchObject({
      verified: true,
      method: 'sms',
    });
    expect((await challengeOf(agent, 'phr'))[1]).toBe(
      `Bearer realm="bank", ${REQUIRED}, acr_values="phr"`,
    );
    expect((await agent.get('/is')).body).toEqual({ is: false });
  });

  it('admits a passkey in a step-up after a login by text', async () => {
    const agent = await logIn(test, test.nextUser());
    expect((await agent.get('/guarded/phr')).status).toBe(401);
    await agent.post('/step-up');
    expect((await agent.post('/login/passkey').send({ pin: 'signed' })).status).toBe(200);
    expect((await agent.get('/guarded/phr')).status).toBe(200);
    expect((await agent.get('/is')).body).toEqual({ is: true });
  });

  it('with allowNotRequired admits users of whom none is required, and no others', async () => {
    const user = test.nextUser();
    test.users.set(user.id, { ...user, isOptional: true });
    const agent = test.agent();
    await givePassword(agent, user);
    expect((await agent.get('/guarded/optional')).body).toEqual({ claims: null });
    test.users.set(user.id, user);
    expect((await agent.get('/guarded/optional')).status).toBe(401);
  });
});

describe('claims', () => {
  const test = useSharedApp({
    people: 40,
    // A mark that is put into a session by hand has no login.
    options: { factors: [PASSKEY, TOTP], logins: false },
    routes: addPages,
  });

  function addPages(app: Express, smsOtp: SmsOtp): void {
    app.get('/claims', (req, res) => void res.json({ claims: smsOtp.claims(req) }));
  }

  function requestOf(method: string, kept: object = {}): Request {
    const verified = { userId: 'alice', method, at: 1_700_000_000_999 };
    return bareRequest({ id: 'alice' }, { version: 1, verified, ...kept });
  }

  it.each([
    ['sms', { acr: 'mfa', amr: ['pwd', 'sms'] }],
    ['totp', { acr: 'mfa', amr: ['pwd', 'otp'] }],
    ['passkey', { acr: 'phr', amr: ['pwd', 'pop'] }],
    ['trusted-device', { amr: ['pwd'] }],
    ['a factor of yesterday', { amr: ['pwd'] }],
  ])('after %s are %j, with the time in whole seconds, rounded down', (method, claims) => {
    expect(test.smsOtp.claims(requestOf(method))).toEqual({ ...claims, auth_time: 1_700_000_000 });
  });

  it('begin with what the first factor gave, and leave the session as it is', () => {
    const amr = ['fed', 'user'];
    const req = requestOf('sms', { amr });
    const { amr: shown } = test.smsOtp.claims(req) ?? {};
    expect(shown).toEqual(['fed', 'user', 'sms']);
    const { amr: trusted } = test.smsOtp.claims(requestOf('trusted-device', { amr })) ?? {};
    expect([trusted, trusted === amr, amr]).toEqual([['fed', 'user'], false, ['fed', 'user']]);
  });

  it('are none of a stranger, between the factors, and of another user', async () => {
    const agent = test.agent();
    expect((await agent.get('/claims')).body).toEqual({ claims: null });
    await agent.post('/login').send(passwordOf(test.nextUser()));
    expect((await agent.get('/claims')).body).toEqual({ claims: null });
    const { session } = requestOf('sms');
    expect(test.smsOtp.claims({ session, user: { id: 'bob' } } as unknown as Request)).toBeNull();
  });

  it('tell the time of the second factor, of a step-up as soon as it is passed', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    test.clock.advanceSeconds(20);
    await giveCode(test, agent, user);
    const passedAt = Math.floor(test.clock.now() / 1000);
    test.clock.advanceSeconds(100);
    expect((await agent.get('/claims')).body.claims).toEqual({
      acr: 'mfa',
      amr: ['pwd', 'sms'],
      auth_time: passedAt,
    });
    await agent.post('/step-up');
    await giveCode(test, agent, user);
    expect((await agent.get('/claims')).body.claims).toMatchObject({ auth_time: passedAt + 100 });
  });

  it.each([
    ['sms', ['mfa'], true],
    ['sms', ['phr', 'mfa'], true],
    ['sms', ['phr'], false],
    ['totp', ['phr', 'phrh'], false],
    ['passkey', ['phr'], true],
    ['passkey', ['mfa'], false],
    ['trusted-device', ['mfa', 'phr'], false],
    ['a factor of yesterday', ['mfa'], false],
  ])(
    'of %s where one of %j is asked for are enough for hasSecondFactor: %s',
    (method, acrValues, isEnough) => {
      expect(test.smsOtp.hasSecondFactor(requestOf(method), { acrValues })).toBe(isEnough);
    },
  );

  it('let pass synchronously', () => {
    const guard = test.smsOtp.requireSecondFactor({
      acrValues: ['phrh', 'phr'],
      bearerRealm: 'bank',
    });
    expect(letsPass(guard, requestOf('passkey'))).toBe(true);
  });
});

describe('claims with recovery codes', () => {
  it('say mfa', async () => {
    const test = await apps.start({ options: { recoveryCodes: {}, logins: false } });
    const verified = { userId: 'alice', method: 'recovery-code', at: 5_000 };
    const req = bareRequest({ id: 'alice' }, { version: 1, verified });
    expect(test.smsOtp.claims(req)).toEqual({
      acr: 'mfa',
      amr: ['pwd', 'recovery-code'],
      auth_time: 5,
    });
  });
});
