import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Express, Request } from 'express';
import type { SessionData } from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import {
  createSmsOtp,
  type LoginsPart,
  memoryStore,
  type SmsOtp,
  type SmsOtpOptions,
  type SmsOtpStore,
} from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { asTestUser, type TestUser } from '../support/test-app';
import { createGate } from './support/gate';
import {
  type Agent,
  giveCode,
  givePassword,
  giveWrongCode,
  logIn,
  statusOf,
} from './support/steps';
import { useSharedApp } from '../support/use-app';

const LOGIN_ENDED = [401, { error: 'login-ended' }];
const LOGGED_OUT = [403, { error: 'second-factor-required' }];

describe.each([
  ['checked every 30 seconds', {}],
  ['checked at each request', { checkEverySeconds: 0 }],
])('logins that are %s', (_title, logins: { checkEverySeconds?: number }) => {
  const isAlwaysChecked = logins.checkEverySeconds === 0;
  const clock = testClock();
  const finds = createGate();
  let asked = 0;
  let isDown = false;
  let open: Request | undefined;
  let withoutLogins: SmsOtp;
  const test = useSharedApp(() => {
    const store = memoryStore({ now: () => clock.now() });
    const options = {
      logins,
      store: { ...store, records: watched(store.records) },
      isRequiredFor: (user: Express.User) => asTestUser(user).isOptional !== true,
    };
    return { people: 60, clock, options, routes: addPages };
  });
  beforeEach(() => {
    asked = 0;
    isDown = false;
  });

  /** Counts, holds up and fails what guards ask the store. */
  function watched(part: SmsOtpStore['records']): SmsOtpStore['records'] {
    return {
      ...part,
      find: async (record) => {
        if (record.kind !== 'login') return part.find(record);
        asked += 1;
        if (isDown) throw new Error('the store is down');
        const found = await part.find(record);
        await finds.pass();
        return found;
      },
      remove: (record, seenTag) =>
        isDown && record.kind === 'login'
          ? Promise.reject(new Error('the store is down'))
          : part.remove(record, seenTag),
    };
  }

  function addPages(
    app: Express,
    smsOtp: SmsOtp,
    _passport: PassportStatic,
    options: SmsOtpOptions,
  ): void {
    app.post('/leave', smsOtp.logout(), (req, res) => void res.json(req.smsOtp));
    app.post('/leave-for', smsOtp.logout({ successRedirect: '/bye' }));
    app.post(
      '/pay',
      smsOtp.stepUp({ transaction: () => ({ amount: '10 USD', payee: 'Bob' }) }),
      (req, res) => res.json(req.smsOtp),
    );
    const again = { successRedirect: '/home', failureRedirect: '/again' };
    app.post('/redirecting/pin', smsOtp.verify(again));
    app.post('/redirecting/step-up', smsOtp.stepUp(again));
    app.get('/redirecting', smsOtp.requireSecondFactor({ redirect: '/login' }));
    app.get('/optional', smsOtp.requireSecondFactor({ allowNotRequired: true }), (_req, res) =>
      res.json({}),
    );
    app.get('/guarded-status', smsOtp.requireSecondFactor(), (req, res) => {
      res.json(describeLogin(req));
    });
    const describeLogin = (req: Request): object => ({
      hasSecondFactor: smsOtp.hasSecondFactor(req),
      verified: smsOtp.status(req).verified,
    });
    app.get('/unchecked-status', (req, res) => void res.json(describeLogin(req)));
    app.post('/verify-and-look', smsOtp.verify(), (req, res) => void res.json(describeLogin(req)));
    // A request that lives on, as that of a socket does.
    app.get('/open', (req, res) => {
      open = req;
      res.json({});
    });
    app.get('/cookies', (req, res) => void res.send(req.headers.cookie));
    app.get('/logins', async (req, res) => res.json(await list(req)));
    app.post('/revoke-others', async (req, res) => {
      res.json(await part().revokeAll(asTestUser(req.user).id, req));
    });
    // Another process: it shares the stores and knows nothing of what this one has seen.
    const other = createSmsOtp({ ...options, passport: new Passport() });
    app.get('/other/account', other.requireSecondFactor(), (_req, res) => res.json({}));
    app.post('/other/leave', other.logout(), (req, res) => void res.json(req.smsOtp));
    withoutLogins = createSmsOtp({ ...options, logins: false, passport: new Passport() });
  }

  function part(): LoginsPart {
    if (test.smsOtp.logins === undefined) throw new Error('the option is given');
    return test.smsOtp.logins;
  }

  const list = (req: Request): ReturnType<LoginsPart['list']> =>
    part().list(asTestUser(req.user).id, req);

  async function account(agent: Agent, path = '/account'): Promise<unknown[]> {
    const answer = await agent.get(path);
    return [answer.status, answer.body as unknown];
  }

  const passed = (user: TestUser): unknown[] => [200, { id: user.id }];

  /** What a request does that has read the session before and saves it afterwards. */
  async function keepSessions(): Promise<() => Promise<void>> {
    const kept = await allSessions();
    return async () => {
      for (const [id, data] of kept) await set(id, data);
    };
  }

  function allSessions(): Promise<Map<string, SessionData>> {
    return new Promise((resolve, reject) => {
      test.sessions.all((error, sessions) => {
        if (error instanceof Error) return reject(error);
        resolve(
          new Map(Object.entries(structuredClone(sessions ?? {}) as Record<string, SessionData>)),
        );
      });
    });
  }

  function set(id: string, data: SessionData): Promise<void> {
    return new Promise((resolve, reject) => {
      test.sessions.set(id, data, (error: unknown) =>
        error instanceof Error ? reject(error) : resolve(),
      );
    });
  }

  it('begin with the code, with what the user may know them by', async () => {
    const user = test.nextUser();
    const agent = test
      .agent()
      .set('User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0');
    await givePassword(agent, user);
    expect(await part().list(user.id)).toEqual([]);
    await giveCode(test, agent, user);
    const now = clock.now();
    const [login, ...others] = (await agent.get('/logins')).body as object[];
    expect(others).toEqual([]);
    expect(login).toEqual({
      loginId: expect.stringMatching(/^[\w-]{36}$/),
      label: 'Firefox, Linux',
      method: 'sms',
      startedAt: now,
      lastSeenAt: now,
      isCurrent: true,
    });
  });

  it('are asked for no more often than the option says', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    asked = 0;
    for (let requests = 0; requests < 3; requests += 1)
      expect(await account(agent)).toEqual(passed(user));
    expect(asked).toBe(isAlwaysChecked ? 3 : 0);
    clock.advanceSeconds(30);
    asked = 0;
    for (let requests = 0; requests < 3; requests += 1)
      expect(await account(agent)).toEqual(passed(user));
    expect(asked).toBe(isAlwaysChecked ? 3 : 1);
  });

  it('end by logout, also for a session that is saved afterwards', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const bringBack = await keepSessions();
    expect((await (await copyOf(agent)).post('/leave')).body).toEqual({ loggedOut: true });
    expect(await part().list(user.id)).toEqual([]);
    await bringBack();
    expect((await statusOf(agent)).isAuthenticated).toBe(true);
    expect((await agent.get('/redirecting')).headers.location).toBe('/login');
    expect(await statusOf(agent)).toMatchObject({
      isAuthenticated: false,
      notice: 'login-ended',
      verified: null,
      hasSecondFactor: false,
    });
  });

  /** Another tab: the same cookies, and what one is given does not reach the other. */
  async function copyOf(agent: Agent): Promise<Agent> {
    const { text } = await agent.get('/cookies');
    return test.agent().set('Cookie', text);
  }

  it('end by logout without a page of its own, and with one', async () => {
    const agent = await logIn(test, test.nextUser());
    const answer = await agent.post('/leave-for');
    expect([answer.status, answer.headers.location]).toEqual([303, '/bye']);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false });
    // Who is out may log out again.
    expect((await agent.post('/leave')).body).toEqual({ loggedOut: true });
  });

  it('that end in another process are known here when the time is up', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    expect(await account(agent)).toEqual(passed(user));
    const bringBack = await keepSessions();
    await (await copyOf(agent)).post('/other/leave');
    await bringBack();
    expect(await account(agent)).toEqual(isAlwaysChecked ? LOGIN_ENDED : passed(user));
    clock.advanceSeconds(29.999);
    // A guard takes a login that has ended out of its session, once it knows.
    expect(await account(agent)).toEqual(isAlwaysChecked ? LOGGED_OUT : passed(user));
    clock.advanceSeconds(0.001);
    expect(await account(agent)).toEqual(isAlwaysChecked ? LOGGED_OUT : LOGIN_ENDED);
    expect(await account(agent)).toEqual(LOGGED_OUT);
  });

  it('that end while the store answers are not taken for live afterwards', async () => {
    const agent = await logIn(test, test.nextUser());
    clock.advanceSeconds(30);
    const bringBack = await keepSessions();
    const slow = finds.holdNext();
    const under = account(agent);
    await slow.arrived;
    await (await copyOf(agent)).post('/leave');
    slow.release();
    await under;
    await bringBack();
    expect(await account(agent)).toEqual(LOGIN_ENDED);
  });

  it('get another id with a step-up: the session from before is worth nothing', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const [before] = await part().list(user.id);
    clock.advanceSeconds(60);
    await agent.post('/step-up');
    const old = await copyOf(agent);
    const bringBack = await keepSessions();
    expect((await giveCode(test, agent, user)).body).toMatchObject({ verified: true });
    await bringBack();
    expect(await account(old)).toEqual(LOGIN_ENDED);
    expect(await account(agent)).toEqual(passed(user));
    const [after, ...others] = await part().list(user.id);
    expect(others).toEqual([]);
    expect(after?.loginId).not.toBe(before?.loginId);
    expect(after?.startedAt).toBe(before?.startedAt);
  });

  it('get another id with a transaction, and keep their mark', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const [before] = await part().list(user.id);
    const { body: guarded } = await agent.get('/guarded-status');
    clock.advanceSeconds(60);
    await agent.post('/pay');
    expect((await giveCode(test, agent, user)).body).toMatchObject({ verified: true });
    const [after] = await part().list(user.id);
    expect(after?.loginId).not.toBe(before?.loginId);
    expect((await agent.get('/guarded-status')).body).toEqual(guarded);
  });

  it.each(['/step-up', '/pay'])('that have ended send nothing for %s', async (path) => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const bringBack = await keepSessions();
    await (await copyOf(agent)).post('/leave');
    await bringBack();
    clock.advanceSeconds(60);
    const texts = test.sim.outbox.length;
    const answer = await agent.post(path);
    expect([answer.status, answer.body]).toEqual(LOGIN_ENDED);
    expect(test.sim.outbox.length).toBe(texts);
  });

  it.each(['right', 'wrong'])('that have ended take no %s code', async (code) => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    clock.advanceSeconds(60);
    await agent.post('/step-up');
    await part().revokeAll(user.id);
    const give = code === 'right' ? giveCode : giveWrongCode;
    const answer = await give(test, agent, user);
    expect([answer.status, answer.body]).toEqual(LOGIN_ENDED);
    expect(await account(agent)).toEqual(LOGIN_ENDED);
    expect(await part().list(user.id)).toEqual([]);
  });

  it.each(['/redirecting/pin', '/redirecting/step-up'])(
    'that have ended say so on the page after %s',
    async (path) => {
      const user = test.nextUser();
      const agent = await logIn(test, user);
      clock.advanceSeconds(60);
      await agent.post('/step-up');
      await part().revokeAll(user.id);
      expect((await agent.post(path).send({ pin: test.code(user) })).headers.location).toBe(
        '/again',
      );
      expect(await statusOf(agent)).toMatchObject({ notice: 'login-ended' });
    },
  );

  it('can be listed and ended one by one, by their user alone', async () => {
    const [user, stranger] = [test.nextUser(), test.nextUser()];
    const first = await logIn(test, user);
    clock.advanceSeconds(60);
    const second = await logIn(test, user);
    const listed = (await second.get('/logins')).body as { loginId: string; isCurrent: boolean }[];
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
    const other = listed[1]?.loginId ?? 'none';
    expect(await part().revoke(stranger.id, other)).toBe(false);
    expect(await account(first)).toEqual(passed(user));
    expect(await part().revoke(user.id, other)).toBe(true);
    expect(await part().revoke(user.id, other)).toBe(false);
    expect([await account(first), await account(second)]).toEqual([LOGIN_ENDED, passed(user)]);
  });

  it('can be ended everywhere else, and everywhere', async () => {
    const user = test.nextUser();
    const agents = [await logIn(test, user)];
    for (const _more of [1, 2]) {
      clock.advanceSeconds(90);
      agents.push(await logIn(test, user));
    }
    const [first, second, third] = agents as [Agent, Agent, Agent];
    expect((await second.post('/revoke-others')).body).toBe(2);
    expect(await Promise.all(agents.map((agent) => account(agent)))).toEqual([
      LOGIN_ENDED,
      passed(user),
      LOGIN_ENDED,
    ]);
    expect(await part().revokeAll(user.id)).toBe(1);
    expect(await Promise.all([first, second, third].map((agent) => account(agent)))).toEqual([
      LOGGED_OUT,
      LOGIN_ENDED,
      LOGGED_OUT,
    ]);
  });

  it('count as checked in the request that a guard has let pass', async () => {
    const agent = await logIn(test, test.nextUser());
    const unchecked = isAlwaysChecked
      ? { hasSecondFactor: false, verified: null }
      : { hasSecondFactor: true };
    const look = async (): Promise<unknown> => (await agent.get('/unchecked-status')).body;
    expect(await look()).toMatchObject(unchecked);
    clock.advanceSeconds(30);
    expect(await look()).toEqual({ hasSecondFactor: false, verified: null });
    expect((await agent.get('/guarded-status')).body).toMatchObject({
      hasSecondFactor: true,
      verified: { method: 'sms' },
    });
  });

  it('count as checked in the request that has verified the code', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    asked = 0;
    const verify = (): Promise<{ body: unknown }> =>
      agent.post('/verify-and-look').send({ pin: test.code(user) });
    const checked = {
      hasSecondFactor: true,
      verified: { method: 'sms', amr: ['pwd', 'sms'], at: clock.now() },
    };
    expect((await verify()).body).toEqual(checked);
    expect(asked).toBe(0);
    clock.advanceSeconds(60);
    await agent.post('/step-up');
    expect((await verify()).body).toMatchObject({ verified: { at: clock.now() } });
  });

  it('are checked by checkSecondFactor, which resolves to nothing and lets no stranger in', async () => {
    const { checkSecondFactor, hasSecondFactor } = test.smsOtp;
    await test.agent().get('/open');
    expect(await checkSecondFactor(opened())).toBeUndefined();
    expect(hasSecondFactor(opened())).toBe(false);
    const agent = await logIn(test, test.nextUser());
    clock.advanceSeconds(30);
    await agent.get('/open');
    expect(hasSecondFactor(opened())).toBe(false);
    expect(await checkSecondFactor(opened())).toBeUndefined();
    expect(hasSecondFactor(opened())).toBe(true);
    expect(test.smsOtp.status(opened()).verified).toMatchObject({ method: 'sms' });
  });

  it('that end elsewhere are seen by the next checkSecondFactor of a request that lives on', async () => {
    const { checkSecondFactor, hasSecondFactor } = test.smsOtp;
    const user = test.nextUser();
    const agent = await logIn(test, user);
    await agent.get('/open');
    await checkSecondFactor(opened());
    await (await copyOf(agent)).post('/other/leave');
    clock.advanceSeconds(30);
    isDown = true;
    await expect(checkSecondFactor(opened())).rejects.toMatchObject({ code: 'ERR_STORE' });
    isDown = false;
    await checkSecondFactor(opened());
    expect([hasSecondFactor(opened()), test.smsOtp.status(opened()).verified]).toEqual([
      false,
      null,
    ]);
  });

  function opened(): Request {
    if (open === undefined) throw new Error('no request was opened');
    return open;
  }

  /** What the event says of logins that are over, without their ids. */
  function toldEnds(user: TestUser): unknown[] {
    return test
      .told('login-ended')
      .flatMap((event) =>
        event.userId === user.id ? [[event.reason, event.loginIds.length]] : [],
      );
  }

  it('are told as they end, with the ids under which they were listed', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const [listed] = await part().list(user.id);
    await agent.post('/leave');
    expect(test.told('login-ended').filter(({ userId }) => userId === user.id)).toEqual([
      { type: 'login-ended', userId: user.id, loginIds: [listed?.loginId], reason: 'logout' },
    ]);
  });

  it('are told with the reason: one revoked, the others, a step-up, and what a guard finds ended', async () => {
    const user = test.nextUser();
    const agents: Agent[] = [];
    for (const _one of [1, 2, 3, 4]) {
      clock.advanceSeconds(200);
      agents.push(await logIn(test, user));
    }
    const [first, second] = agents as [Agent, Agent];
    const oldest = (await part().list(user.id)).at(-1);
    await part().revoke(user.id, String(oldest?.loginId));
    await second.post('/revoke-others');
    clock.advanceSeconds(200);
    await second.post('/step-up');
    await giveCode(test, second, user);
    const bringBack = await keepSessions();
    await (await copyOf(second)).post('/other/leave');
    await bringBack();
    clock.advanceSeconds(30);
    expect([await account(first), await account(second)]).toEqual([LOGIN_ENDED, LOGIN_ENDED]);
    expect(toldEnds(user)).toEqual([
      ['revoked', 1],
      ['revoked', 2],
      ['renewed', 1],
      // In the other process, whose events come to the same list.
      ['logout', 1],
      ['found-ended', 1],
      ['found-ended', 1],
    ]);
  });

  it('are unknown while the store is down: 503, and nothing changes', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    expect(await account(agent)).toEqual(passed(user));
    isDown = true;
    const down = [503, { code: 'ERR_STORE' }];
    expect(await account(agent)).toEqual(isAlwaysChecked ? down : passed(user));
    clock.advanceSeconds(30);
    expect(await account(agent)).toEqual(down);
    isDown = false;
    expect(await account(agent)).toEqual(passed(user));
  });

  it('end in this browser even while the store is down', async () => {
    const agent = await logIn(test, test.nextUser());
    isDown = true;
    const answer = await agent.post('/leave');
    expect([answer.status, answer.body]).toEqual([503, { code: 'ERR_STORE' }]);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false });
  });

  it('end when another user, or the same one, logs in with that browser', async () => {
    const [user, next] = [test.nextUser(), test.nextUser()];
    const agent = await logIn(test, user);
    await givePassword(agent, next);
    expect(await part().list(user.id)).toEqual([]);
    await giveCode(test, agent, next);
    expect(await account(agent)).toEqual(passed(next));
  });

  it('begin without a code where none is required, and end like the others', async () => {
    const user = test.nextUser();
    Object.assign(test.users.get(user.id) ?? {}, { isOptional: true });
    const agent = test.agent();
    await givePassword(agent, user);
    expect(await part().list(user.id)).toEqual([expect.objectContaining({ method: null })]);
    expect((await agent.get('/optional')).status).toBe(200);
    await part().revokeAll(user.id);
    expect(await account(agent, '/optional')).toEqual(LOGIN_ENDED);
  });

  it('are not listed where Passport cannot put the user into the session', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    const kept = Object.assign(test.users.get(user.id) ?? {}, { isUnserializable: true });
    expect((await giveCode(test, agent, user)).status).toBe(500);
    expect(await part().list(user.id)).toEqual([]);
    Object.assign(kept, { isOptional: true });
    expect((await givePassword(test.agent(), user)).status).toBe(500);
    expect(await part().list(user.id)).toEqual([]);
  });

  it('are forgotten with their user, and told with what is stored', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const { logins: told } = await test.smsOtp.exportUser(user.id);
    const now = clock.now();
    expect(told).toEqual([{ label: '', method: 'sms', startedAt: now, lastSeenAt: now }]);
    await test.smsOtp.forgetUser(user.id);
    expect(toldEnds(user)).toEqual([['revoked', 1]]);
    expect(await account(agent)).toEqual(LOGIN_ENDED);
  });

  it('are forgotten with their user by an app that has ceased to keep them, too', async () => {
    const user = test.nextUser();
    await logIn(test, user);
    expect(await part().list(user.id)).toHaveLength(1);
    await withoutLogins.forgetUser(user.id);
    expect(await part().list(user.id)).toEqual([]);
  });

  it('without an id are refused, and a step-up gives them one', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    for (const [id, data] of await allSessions()) {
      const { smsOtp } = data;
      if (smsOtp?.login?.userId !== user.id) continue;
      const { login: _login, ...before } = smsOtp;
      await set(id, { ...data, smsOtp: before });
    }
    expect(await account(agent)).toEqual([403, { error: 'second-factor-required' }]);
    clock.advanceSeconds(60);
    await agent.post('/step-up');
    await giveCode(test, agent, user);
    expect(await account(agent)).toEqual(passed(user));
  });
});
