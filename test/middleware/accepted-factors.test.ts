import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Express, Request, RequestHandler } from 'express';
import type { ChallengeFactor, Factor, GuardOptions, SmsOtp } from 'passport-sms-otp';
import { asTestUser, type TestUser } from '../support/test-app';
import { bareRequest, letsPass } from './support/bare-request';
import {
  type Agent,
  giveCode,
  givePassword,
  logIn,
  passwordOf,
  sessionIdOf,
  statusOf,
} from './support/steps';
import { useOwnApps, useSharedApp } from '../support/use-app';

const apps = useOwnApps();

/** The users who have a passkey and an authenticator app. */
const owners = new Set<string>();

/** Stands for a passkey: only its name and its value matter here. */
const PASSKEY: Factor = {
  name: 'passkey',
  amr: 'pop',
  isAvailable: (user) => owners.has(asTestUser(user).id),
  check: ({ code }) => code === 'signed',
};
const TOTP: Factor = {
  name: 'totp',
  amr: 'otp',
  isAvailable: (user) => owners.has(asTestUser(user).id),
  check: ({ code }) => code === 'shown',
};
const KEY: ChallengeFactor = {
  name: 'key',
  isAvailable: () => false,
  createOptions: ({ challenge }) => ({ challenge }),
  checkResponse: () => true,
};

const TO_PAGE = { redirect: '/step-up-page' };

const GUARDS: Readonly<Record<string, GuardOptions>> = {
  '/a': { methods: ['passkey'], ...TO_PAGE },
  '/a-too': { methods: ['passkey'], ...TO_PAGE },
  '/b': { maxAgeSeconds: 300, ...TO_PAGE },
  '/with-code': { methods: ['recovery-code'], ...TO_PAGE },
  '/by-text': { methods: ['sms'], ...TO_PAGE },
  '/two': { methods: ['totp', 'sms'], ...TO_PAGE },
  '/api/a': { methods: ['passkey'] },
  '/api/b': { maxAgeSeconds: 300 },
};

/** The option is given, and the type of a test app does not know it. */
const noSuchFactor: RequestHandler = (_req, _res, next) => next(new Error('no such factor'));

function addPages(app: Express, smsOtp: SmsOtp): void {
  for (const [path, options] of Object.entries(GUARDS))
    app.all(path, smsOtp.requireSecondFactor(options), (_req, res) => void res.json({ in: true }));
  const { verifyWith, optionsWith } = smsOtp;
  const redirects = { successRedirect: '/home', failureRedirect: '/code' };
  for (const name of ['passkey', 'totp']) {
    app.post(`/login/${name}`, verifyWith?.(name) ?? noSuchFactor);
    app.post(`/go/${name}`, verifyWith?.(name, redirects) ?? noSuchFactor);
  }
  app.post('/go/pin', smsOtp.verify(redirects));
  app.post('/go/recover', verifyWith?.('recovery-code', redirects) ?? noSuchFactor);
  app.post('/go/step-up', smsOtp.stepUp({ successRedirect: '/code', failureRedirect: '/s' }));
  app.post('/pay', smsOtp.stepUp({ transaction: () => ({ amount: 'EUR 1', payee: 'Florist' }) }));
  app.post('/key/options', optionsWith?.('key') ?? noSuchFactor);
}

describe('a guard that accepts certain factors', () => {
  const test = useSharedApp({
    people: 60,
    hasFactors: true,
    options: { factors: [PASSKEY, TOTP, KEY], logins: {} },
    routes: addPages,
  });
  beforeEach(() => {
    test.errors.length = 0;
  });

  /** A browser of a user who has logged in by text, and has a passkey unless it is said otherwise. */
  async function begin(hasPasskey = true): Promise<{ agent: Agent; user: TestUser }> {
    const user = test.nextUser();
    if (hasPasskey) owners.add(user.id);
    const agent = await logIn(test, user);
    test.clock.advanceSeconds(60);
    return { agent, user };
  }

  const visit = (agent: Agent, path: string) => agent.get(path).set('Accept', 'text/html');
  const sends = (): number => test.told('sent').length;

  it('refuses a text that has just been entered, and admits a passkey', async () => {
    const { agent } = await begin();
    const refused = await agent.get('/api/a');
    expect([refused.status, refused.body]).toEqual([403, { error: 'second-factor-required' }]);
    await agent.post('/step-up');
    expect((await agent.post('/login/passkey').send({ pin: 'signed' })).body).toMatchObject({
      verified: true,
      method: 'passkey',
    });
    expect((await agent.get('/api/a')).status).toBe(200);
  });

  it('sends no message in the step-up that follows, and offers the factor alone', async () => {
    const { agent } = await begin();
    expect((await visit(agent, '/a')).headers.location).toBe('/step-up-page');
    expect((await statusOf(agent)).methods).toEqual(['passkey']);
    const before = sends();
    const { body } = await agent.post('/step-up');
    expect(body).toMatchObject({
      sent: false,
      pending: true,
      isSent: false,
      factors: ['passkey'],
      maskedPhone: '',
      resendAt: null,
    });
    expect(sends()).toBe(before);
    expect((await statusOf(agent)).pending).toMatchObject({ factors: ['passkey'], isSent: false });
    const passed = await agent.post('/go/passkey').send({ pin: 'signed' });
    expect(passed.headers.location).toBe('/a');
    expect((await agent.get('/a')).status).toBe(200);
    expect((await statusOf(agent)).methods).toBeNull();
  });

  it.each([
    ['/login/pin', { pin: '123456' }],
    ['/login/totp', { pin: 'shown' }],
    ['/login/resend', {}],
    ['/key/options', {}],
  ])('the step-up that follows refuses %s, which costs nothing', async (path, body) => {
    const { agent } = await begin();
    await visit(agent, '/a');
    await agent.post('/step-up');
    const before = sends();
    const refused = await agent.post(path).send(body);
    expect([refused.status, refused.body]).toEqual([
      403,
      expect.objectContaining({ error: 'second-factor-required' }),
    ]);
    expect(sends()).toBe(before);
    expect((await agent.post('/go/passkey').send({ pin: 'signed' })).headers.location).toBe('/a');
  });

  it('is not passed by the right recovery code in place of a passkey, which stays good', async () => {
    const user = test.nextUser();
    const [code = ''] = await test.firstCodes(user);
    owners.add(user.id);
    const agent = await logIn(test, user);
    test.clock.advanceSeconds(60);
    await visit(agent, '/a');
    await agent.post('/step-up');
    expect((await agent.post('/recover').send({ recoveryCode: code })).status).toBe(403);
    expect((await agent.get('/api/a')).status).toBe(403);
    await agent.post('/login/cancel');
    await visit(agent, '/with-code');
    expect((await agent.post('/step-up')).body).toMatchObject({ factors: ['recovery-code'] });
    const passed = await agent.post('/go/recover').send({ recoveryCode: code });
    expect(passed.headers.location).toBe('/with-code');
    expect((await agent.get('/with-code')).status).toBe(200);
  });

  it.each(['/a', '/with-code', '/api/a'])(
    'refuses a user who has none of them with 403 and no redirect: %s',
    async (path) => {
      const { agent } = await begin(false);
      for (const _again of [1, 2]) {
        const refused = await visit(agent, path);
        expect([refused.status, refused.headers.location, refused.body]).toEqual([
          403,
          undefined,
          { error: 'second-factor-required' },
        ]);
      }
      expect(await statusOf(agent)).toMatchObject({ notice: null, methods: null });
    },
  );

  it('leads a user without any of them to the login where there is no user, or the login has ended', async () => {
    expect((await visit(test.agent(), '/a')).headers.location).toBe('/step-up-page');
    const { agent, user } = await begin(false);
    await test.smsOtp.logins?.revokeAll(user.id);
    expect((await visit(agent, '/a')).headers.location).toBe('/step-up-page');
  });

  it('takes a number that cannot be read now for a number', async () => {
    const { agent, user } = await begin(false);
    test.users.set(user.id, { ...user, phone: undefined as never });
    test.clock.advanceSeconds(301);
    expect((await visit(agent, '/by-text')).status).toBe(200);
    await visit(agent, '/a');
    owners.add(user.id);
    await visit(agent, '/a');
    await agent.post('/step-up');
    await agent.post('/login/passkey').send({ pin: 'signed' });
    expect((await visit(agent, '/by-text')).headers.location).toBe('/step-up-page');
    test.users.set(user.id, { ...user, phone: null });
    expect((await visit(agent, '/by-text')).status).toBe(403);
  });

  it('refuses the step-up of a user who has lost the factor since, with a reason and no message', async () => {
    const { agent, user } = await begin();
    await visit(agent, '/a');
    owners.delete(user.id);
    const before = sends();
    const refused = await agent.post('/step-up');
    expect([refused.status, refused.body]).toEqual([403, { error: 'second-factor-required' }]);
    expect(sends()).toBe(before);
    expect((await agent.post('/go/step-up')).headers.location).toBe('/s');
    expect(await statusOf(agent)).toMatchObject({
      pending: null,
      notice: 'second-factor-required',
    });
  });

  it('texts where a text is one of them, and leaves out the others that are not', async () => {
    const { agent, user } = await begin();
    await visit(agent, '/a');
    await agent.post('/step-up');
    await agent.post('/login/passkey').send({ pin: 'signed' });
    expect((await visit(agent, '/two')).headers.location).toBe('/step-up-page');
    expect((await agent.post('/step-up')).body).toMatchObject({
      sent: true,
      factors: ['sms', 'totp'],
    });
    expect((await agent.post('/login/passkey').send({ pin: 'signed' })).status).toBe(403);
    test.clock.advanceSeconds(61);
    expect((await agent.post('/login/resend')).body).toMatchObject({
      sent: true,
      factors: ['sms', 'totp'],
    });
    expect((await agent.post('/login/passkey').send({ pin: 'signed' })).status).toBe(403);
    const passed = await agent.post('/go/pin').send({ pin: test.code(user) });
    expect(passed.headers.location).toBe('/two');
  });

  it('does not restrict the login that follows: it leads home, and the guard asks again', async () => {
    const user = test.nextUser();
    owners.add(user.id);
    const agent = test.agent();
    await visit(agent, '/a');
    expect((await agent.post('/login').send(passwordOf(user))).body).toMatchObject({ sent: true });
    const passed = await agent.post('/go/pin').send({ pin: test.code(user) });
    expect(passed.headers.location).toBe('/home');
    test.clock.advanceSeconds(60);
    expect((await visit(agent, '/a')).headers.location).toBe('/step-up-page');
    expect((await agent.post('/step-up')).body).toMatchObject({ factors: ['passkey'] });
  });

  it('keeps the page and its factors through the new id of the login, and no later success leads to it by text', async () => {
    const user = test.nextUser();
    owners.add(user.id);
    const agent = test.agent();
    await visit(agent, '/a');
    const renewed = await agent.post('/login').send(passwordOf(user));
    expect(sessionIdOf(renewed)).toBeDefined();
    expect((await statusOf(agent)).methods).toEqual(['passkey']);
    const passed = await agent.post('/go/passkey').send({ pin: 'signed' });
    expect(passed.headers.location).toBe('/a');
    expect((await agent.get('/a')).status).toBe(200);
  });

  it('keeps them when the step-up is begun twice, and when its page is loaded again', async () => {
    const { agent } = await begin();
    await visit(agent, '/a');
    const before = sends();
    await agent.post('/step-up');
    await Promise.all([agent.post('/step-up'), agent.post('/step-up')]);
    expect((await statusOf(agent)).methods).toEqual(['passkey']);
    expect((await agent.post('/step-up')).body).toMatchObject({ factors: ['passkey'] });
    expect(sends()).toBe(before);
    expect((await agent.post('/go/passkey').send({ pin: 'signed' })).headers.location).toBe('/a');
  });

  it('forgets them with a cancelled step-up', async () => {
    const { agent } = await begin();
    await visit(agent, '/a');
    await agent.post('/step-up');
    await agent.post('/login/cancel');
    expect((await statusOf(agent)).methods).toBeNull();
    expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
  });

  it('forgets them with the pending step-up that expires', async () => {
    const { agent } = await begin();
    await visit(agent, '/a');
    await agent.post('/step-up');
    test.clock.advanceSeconds(601);
    expect((await statusOf(agent)).methods).toBeNull();
    expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
  });

  describe('between two routes', () => {
    it('the guard that was asked last decides: a passkey, then any factor', async () => {
      const { agent, user } = await begin();
      test.clock.advanceSeconds(301);
      await visit(agent, '/a');
      await visit(agent, '/b');
      expect((await statusOf(agent)).methods).toBeNull();
      expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
      const passed = await agent.post('/go/pin').send({ pin: test.code(user) });
      expect(passed.headers.location).toBe('/b');
      expect((await visit(agent, '/a')).headers.location).toBe('/step-up-page');
    });

    it('a text that is out for the one is of no use for the other', async () => {
      const { agent, user } = await begin();
      test.clock.advanceSeconds(301);
      await visit(agent, '/b');
      expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
      const code = test.code(user);
      expect((await visit(agent, '/a')).headers.location).toBe('/step-up-page');
      expect((await agent.post('/step-up')).body).toMatchObject({
        isSent: false,
        factors: ['passkey'],
      });
      expect((await agent.post('/go/pin').send({ pin: code })).headers.location).toBe('/code');
      expect(await statusOf(agent)).toMatchObject({ notice: 'second-factor-required' });
      expect((await agent.post('/go/passkey').send({ pin: 'signed' })).headers.location).toBe('/a');
    });

    it('a step-up for the one that is passed by text leaves the other closed', async () => {
      const { agent, user } = await begin();
      test.clock.advanceSeconds(301);
      await visit(agent, '/b');
      await agent.post('/step-up');
      await visit(agent, '/a');
      const passed = await agent.post('/go/pin').send({ pin: test.code(user) });
      expect(passed.headers.location).toBe('/home');
      expect((await agent.get('/api/a')).status).toBe(403);
    });

    it('a step-up for any factor in place of one for a passkey is not restricted', async () => {
      const { agent, user } = await begin();
      test.clock.advanceSeconds(301);
      await visit(agent, '/a');
      await agent.post('/step-up');
      await visit(agent, '/b');
      expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
      const passed = await agent.post('/go/pin').send({ pin: test.code(user) });
      expect(passed.headers.location).toBe('/b');
    });

    it('a payment in between is approved by its text, as always', async () => {
      const { agent, user } = await begin();
      await visit(agent, '/a');
      expect((await agent.post('/pay')).body).toMatchObject({ sent: true, purpose: 'transaction' });
      expect((await giveCode(test, agent, user)).body).toMatchObject({
        verified: true,
        transaction: { payee: 'Florist' },
      });
      expect((await agent.get('/api/a')).status).toBe(403);
    });
  });

  it('keeps the factors of a form that was refused, and no page', async () => {
    const { agent } = await begin();
    expect((await agent.post('/a').set('Accept', 'text/html')).headers.location).toBe(
      '/step-up-page',
    );
    expect((await agent.post('/step-up')).body).toMatchObject({ factors: ['passkey'] });
    const passed = await agent.post('/go/passkey').send({ pin: 'signed' });
    expect(passed.headers.location).toBe('/home');
    expect((await agent.post('/a')).status).toBe(200);
  });

  it('keeps the page of an earlier visit beside the factors of a form', async () => {
    const { agent } = await begin();
    await visit(agent, '/a-too');
    await agent.post('/a').set('Accept', 'text/html');
    await agent.post('/step-up');
    const passed = await agent.post('/go/passkey').send({ pin: 'signed' });
    expect(passed.headers.location).toBe('/a-too');
  });

  describe('a client that asks for JSON', () => {
    const ask = (agent: Agent, path: string) => agent.get(path).set('Accept', 'application/json');

    it('gets 403, and its step-up accepts them alone', async () => {
      const { agent } = await begin();
      expect((await ask(agent, '/api/a')).status).toBe(403);
      const before = sends();
      expect((await agent.post('/step-up')).body).toMatchObject({ factors: ['passkey'] });
      expect(sends()).toBe(before);
      expect((await agent.post('/login/pin').send({ pin: '123456' })).status).toBe(403);
      expect((await agent.post('/login/passkey').send({ pin: 'signed' })).status).toBe(200);
      expect((await ask(agent, '/api/a')).status).toBe(200);
    });

    it('has its session written once, and again only where a guard accepts others', async () => {
      const { agent } = await begin();
      test.clock.advanceSeconds(301);
      const calls = async (path: string): Promise<number[]> => {
        test.sessions.resetCalls();
        await ask(agent, path);
        return [test.sessions.calls.get, test.sessions.calls.set];
      };
      const asked = ['/api/a', '/api/a', '/a', '/api/b', '/api/b'];
      const counted: number[][] = [];
      for (const path of asked) counted.push(await calls(path));
      const [read, written] = [
        [1, 0],
        [2, 1],
      ];
      expect(counted).toEqual([written, read, read, written, read]);
    });

    it('is refused without a message where too many step-ups have begun without one', async () => {
      const { agent } = await begin();
      await ask(agent, '/api/a');
      const before = sends();
      const statuses = new Set<number>();
      for (let times = 0; times < 60; times += 1)
        statuses.add((await agent.post('/step-up')).status);
      expect([...statuses]).toEqual([200, 429]);
      expect((await agent.post('/step-up')).body).toMatchObject({ error: 'send-limit' });
      const denied = { reason: 'send-limit', limit: 'without-text' };
      expect(test.told('denied').at(-1)).toMatchObject(denied);
      expect(sends()).toBe(before);
    });

    it('writes nothing for a stranger, and nothing for a user who has none of them', async () => {
      const { agent } = await begin(false);
      for (const one of [test.agent(), agent]) {
        test.sessions.resetCalls();
        expect((await ask(one, '/api/a')).status).toBe(403);
        expect(test.sessions.calls.set).toBe(0);
      }
    });
  });
});

describe('the first factor that a step-up offers', () => {
  const test = useSharedApp({
    people: 20,
    hasFactors: true,
    options: {
      factors: [PASSKEY, TOTP, KEY],
      preferredFactor: (user) => (asTestUser(user).isOptional === true ? 'totp' : 'sms'),
      isRequiredFor: () => true,
    },
    routes: addPages,
  });

  it.each([
    [false, ['sms', 'totp'], true],
    [true, ['sms', 'totp'], false],
  ])('is the preferred one if it is accepted: %s', async (prefersTotp, factors, isSent) => {
    const user = test.nextUser();
    owners.add(user.id);
    test.users.set(user.id, { ...user, isOptional: prefersTotp });
    const agent = test.agent();
    await givePassword(agent, user);
    await agent.post('/login/passkey').send({ pin: 'signed' });
    test.clock.advanceSeconds(60);
    await agent.get('/two').set('Accept', 'text/html');
    expect((await agent.post('/step-up')).body).toMatchObject({ factors, isSent });
  });

  it('is none of the others, though it is preferred', async () => {
    const user = test.nextUser();
    owners.add(user.id);
    test.users.set(user.id, { ...user, isOptional: true });
    const agent = test.agent();
    await givePassword(agent, user);
    await agent.post('/login/totp').send({ pin: 'shown' });
    test.clock.advanceSeconds(60);
    await agent.get('/by-text').set('Accept', 'text/html');
    expect((await agent.post('/step-up')).body).toMatchObject({ sent: true, factors: ['sms'] });
  });
});

describe('the factors of the mark', () => {
  const test = useSharedApp({
    people: 20,
    hasFactors: true,
    // A mark that is put into a session by hand has no login.
    options: { factors: [PASSKEY, TOTP], logins: false },
  });

  function requestOf(method: string, kept: object = {}): Request {
    const verified = { userId: 'alice', method, at: 1_700_000_000_999 };
    return bareRequest({ id: 'alice' }, { version: 1, verified, ...kept });
  }

  it.each([
    ['sms', ['pwd', 'sms']],
    ['totp', ['pwd', 'otp']],
    ['passkey', ['pwd', 'pop']],
    ['recovery-code', ['pwd', 'recovery-code']],
    ['trusted-device', ['pwd']],
    ['a factor of yesterday', ['pwd']],
  ])('status(req).verified.amr after %s is %j', (method, amr) => {
    const { verified } = test.smsOtp.status(requestOf(method));
    expect(verified).toEqual({ at: 1_700_000_000_999, method, amr });
  });

  it('amr begins with what the first factor gave, and leaves the session as it is', () => {
    const amr = ['fed', 'user'];
    const status = (method: string) => test.smsOtp.status(requestOf(method, { amr }));
    expect(status('sms').verified?.amr).toEqual(['fed', 'user', 'sms']);
    const trusted = status('trusted-device').verified?.amr;
    expect([trusted, trusted === amr, amr]).toEqual([['fed', 'user'], false, ['fed', 'user']]);
  });

  it.each([
    ['sms', ['sms'], true],
    ['sms', ['passkey', 'sms'], true],
    ['sms', ['passkey'], false],
    ['totp', ['passkey', 'sms'], false],
    ['passkey', ['passkey'], true],
    ['recovery-code', ['recovery-code'], true],
    ['recovery-code', ['sms'], false],
    ['trusted-device', ['sms', 'passkey', 'totp', 'recovery-code'], false],
    ['a factor of yesterday', ['sms', 'passkey', 'totp', 'recovery-code'], false],
  ])('%s where one of %j is accepted is enough: %s', (method, methods, isEnough) => {
    const req = requestOf(method);
    expect(test.smsOtp.hasSecondFactor(req, { methods })).toBe(isEnough);
  });
});

it('of a mark that is enough let pass at once', async () => {
  const { smsOtp } = await apps.start({ options: { logins: false } });
  const verified = { userId: 'alice', method: 'sms', at: 1_700_000_000_999 };
  const req = bareRequest({ id: 'alice' }, { version: 1, verified });
  expect(letsPass(smsOtp.requireSecondFactor({ methods: ['sms'] }), req)).toBe(true);
});

describe('the option methods', () => {
  const VALID = "must be a factor of this app: 'sms', 'recovery-code', 'passkey', 'totp'";

  it.each([
    ['passkey', 'methods must be a list of names of factors'],
    [[], 'methods must not be empty: leave it out to accept any factor'],
    [[7], 'methods[0] must be a string'],
    [['sms', 'pass-key'], `methods[1] ${VALID}`],
    [['trusted-device'], `methods[0] ${VALID}; a trusted device is none`],
    [['__proto__'], `methods[0] ${VALID}`],
  ])('%j is an error at start that names the valid ones', async (methods, problem) => {
    const { smsOtp } = await apps.start({
      hasFactors: true,
      options: { factors: [PASSKEY, TOTP] },
    });
    const options = { methods } as GuardOptions;
    const req = bareRequest({ id: 'alice' }, null);
    expect(() => smsOtp.requireSecondFactor(options)).toThrow(
      new TypeError(`requireSecondFactor: ${problem}`),
    );
    expect(() => smsOtp.hasSecondFactor(req, options)).toThrow(
      new TypeError(`hasSecondFactor: ${problem}`),
    );
  });

  it('names only what is configured', async () => {
    const { smsOtp } = await apps.start();
    expect(() => smsOtp.requireSecondFactor({ methods: ['recovery-code'] })).toThrow(
      "methods[0] must be a factor of this app: 'sms'",
    );
    expect(() => smsOtp.requireSecondFactor({ methods: ['sms'] })).not.toThrow();
  });
});
