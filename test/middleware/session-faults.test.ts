import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { giveCode, givePassword, logIn, statusOf, type Agent } from './support/steps';
import { UNREADABLE } from '../support/unreadable';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const FAILED = { code: 'ERR_SESSION_STORE' };

function addRedirects(app: Express, smsOtp: SmsOtp): void {
  const redirects = { successRedirect: '/home', failureRedirect: '/again' };
  app.post('/redirecting/pin', smsOtp.verify(redirects));
  app.post('/redirecting/resend', smsOtp.resend(redirects));
  app.get('/redirecting/page', smsOtp.requireSecondFactor({ redirect: '/login' }));
}

describe('when the session store cannot write', () => {
  const test = useSharedApp({
    people: 40,
    routes: addRedirects,
  });
  beforeEach(() => {
    test.sessions.failSets = false;
    test.sessions.failure = new Error('canary: the store says something secret');
    test.errors.length = 0;
  });

  async function givenPassword(): Promise<{ agent: Agent; code: string }> {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    return { agent, code: test.code(user) };
  }

  it.each([
    ['of a visitor without cookies', undefined],
    ['of a session that is renewed', 'theme=dark'],
  ])('the password %s is answered 503 and no code can be given', async (_title, cookie) => {
    const user = test.nextUser();
    const agent = test.agent();
    test.sessions.failSets = true;
    const sending = agent.post('/login').send({ username: user.id, password: 'right' });
    const sent = await (cookie === undefined ? sending : sending.set('Cookie', cookie));
    expect([sent.status, sent.body]).toEqual([503, FAILED]);
    test.sessions.failSets = false;
    expect((await giveCode(test, agent, user)).body).toEqual({ error: 'no-pending-login' });
  });

  it.each([
    ['all writes fail', Infinity],
    ['one write fails and the one at the end of the response would not', 1],
  ])('the right code is answered 503 and nobody is in: %s', async (_title, setsToFail) => {
    const { agent, code } = await givenPassword();
    test.sessions.setsToFail = setsToFail;
    const verified = await agent.post('/login/pin').send({ pin: code });
    test.sessions.setsToFail = 0;
    expect([verified.status, verified.body]).toEqual([503, FAILED]);
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: false, hasSecondFactor: false });
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('no redirect arrives before the failure (express-session would answer first and save then)', async () => {
    const { agent, code } = await givenPassword();
    test.sessions.failSets = true;
    for (const pin of ['no code', code]) {
      const answer = await agent.post('/redirecting/pin').send({ pin });
      expect([answer.status, answer.headers.location]).toEqual([503, undefined]);
    }
    const page = await test.agent().get('/redirecting/page');
    expect([page.status, page.headers.location]).toEqual([503, undefined]);
  });

  it('the error holds nothing of what the store said', async () => {
    const { agent, code } = await givenPassword();
    test.sessions.failSets = true;
    await agent.post('/login/pin').send({ pin: code });
    expect(test.errors).toHaveLength(1);
    expect(JSON.stringify(test.errors) + String(test.errors[0])).not.toContain('canary');
    expect(test.errors[0]).toMatchObject({ cause: { name: 'Error', code: null } });
  });

  it.each(UNREADABLE)('%s that throws when it is read is answered 503', async (_what, thrown) => {
    const { agent, code } = await givenPassword();
    test.sessions.failure = thrown;
    test.sessions.failSets = true;
    const verified = await agent.post('/login/pin').send({ pin: code });
    expect([verified.status, verified.body]).toEqual([503, FAILED]);
    expect(test.errors).toMatchObject([{ cause: { name: 'Error', code: null } }]);
  });

  it('the error has the code of what the store said', async () => {
    const { agent, code } = await givenPassword();
    test.sessions.failure = new Error("READONLY You can't write against a read only replica.");
    test.sessions.failSets = true;
    await agent.post('/login/pin').send({ pin: code });
    expect(test.errors).toMatchObject([
      {
        message: 'The session could not be saved: READONLY',
        cause: { name: 'Error', code: 'READONLY' },
      },
    ]);
  });

  it('a step-up is answered 503 and the mark stays as old as it was', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const { verified } = await statusOf(agent);
    test.clock.advanceSeconds(120);
    await agent.post('/step-up');
    test.sessions.failSets = true;
    expect((await giveCode(test, agent, user)).status).toBe(503);
    test.sessions.failSets = false;
    expect((await statusOf(agent)).verified).not.toEqual({
      ...(verified as object),
      at: test.clock.now(),
    });
  });
});

describe('when the session store cannot', () => {
  it.each(['get', 'destroy'] as const)(
    '%s, a refusal or a login is answered 503',
    async (operation) => {
      const test = await apps.start({ routes: addRedirects });
      const agent = test.agent();
      await givePassword(agent);
      let calls = 0;
      const original = test.sessions[operation].bind(test.sessions) as (
        ...values: unknown[]
      ) => void;
      // The first read belongs to express-session itself; the next is the reload before a refusal
      // is written.
      Object.assign(test.sessions, {
        [operation]: (sid: string, callback: (error?: unknown) => void) => {
          calls += 1;
          if (operation === 'get' && calls === 1) original(sid, callback);
          else callback(new Error('canary'));
        },
      });
      const pin = operation === 'get' ? 'no code' : test.code();
      const answer = await agent.post('/redirecting/pin').send({ pin });
      expect([answer.status, answer.body]).toEqual([503, FAILED]);
      Object.assign(test.sessions, { [operation]: original });
      expect((await agent.get('/account')).status).toBe(403);
    },
  );
});
