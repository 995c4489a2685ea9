import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { addSite } from './support/site';
import { givePassword, giveWrongCode, passwordOf, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

describe('a redirect', () => {
  const order: string[] = [];
  const test = useSharedApp({ people: 40, routes: addRoutes, middleware: recordAnswers });
  beforeAll(() => {
    recordWrites();
  });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: Parameters<typeof addSite>[2]): void {
    addSite(app, smsOtp, passport);
    app.get('/twice', (req, res) => {
      res.json([smsOtp.status(req).notice, smsOtp.status(req).notice]);
    });
    app.get('/what', (req, res) => void res.json(smsOtp.status(req)));
    app.get('/goes-on', (req, res) => {
      smsOtp.status(req);
      res.redirect('/what');
    });
    app.use('/site', (_req, _res, next) => {
      order.push('passed on');
      next();
    });
  }

  function recordAnswers(app: Express): void {
    app.use((_req, res, next) => {
      const writeHead = res.writeHead.bind(res);
      Object.assign(res, {
        writeHead: (...values: Parameters<typeof writeHead>) => {
          order.push('answered');
          return writeHead(...values);
        },
      });
      next();
    });
  }

  function recordWrites(): void {
    const set = test.sessions.set.bind(test.sessions);
    test.sessions.set = (sid, data, callback) =>
      set(sid, data, (error) => {
        order.push('saved');
        callback?.(error);
      });
  }

  async function givenPassword(): Promise<{ agent: Agent; code: string }> {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    return { agent, code: test.code(user) };
  }

  it.each([
    ['after the password', '/site/login', {}],
    ['after the right code', '/site/pin', { isRight: true }],
    ['after a malformed code', '/site/pin', { pin: 'no code' }],
    ['after a resend that comes too soon', '/site/resend', {}],
    ['after a cancel', '/site/cancel', {}],
  ])(
    'is 303, not to be stored, and comes when the session is saved: %s',
    async (_title, path, body) => {
      const user = test.nextUser();
      const agent = test.agent();
      if (path !== '/site/login') await givePassword(agent, user);
      order.length = 0;
      const pin = test.code(user);
      const answer = await agent
        .post(path)
        .send({ ...passwordOf(user), ...('isRight' in body ? { pin } : body) });
      expect(answer.status).toBe(303);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(order).toEqual(['saved', 'answered']);
    },
  );

  it('of a guard is 303 and comes when the session is saved', async () => {
    order.length = 0;
    const answer = await test.agent().get('/site/account');
    expect([answer.status, answer.headers.location]).toEqual([303, '/site/login']);
    expect(order).toEqual(['saved', 'answered']);
  });

  it('keeps the reason for status() of exactly one request, in which it stays the same', async () => {
    const { agent } = await givenPassword();
    await agent.post('/site/pin').send({ pin: 'no code' });
    expect((await agent.get('/twice')).body).toEqual(['malformed-code', 'malformed-code']);
    expect((await agent.get('/twice')).body).toEqual([null, null]);
  });

  it.each([
    ['wrong-code', '/site/pin', { pin: '0000000000' }],
    ['resend-too-soon', '/site/resend', {}],
    ['second-factor-required', '/site/step-up', {}],
  ])('tells the reason %s', async (reason, path, body) => {
    const { agent } = await givenPassword();
    expect((await agent.post(path).send(body)).headers.location).toBe('/site/again');
    expect((await agent.get('/twice')).body).toEqual([reason, reason]);
  });

  it.each([
    ['resend-too-soon', '/site/resend', 30],
    ['wrong-code', '/site/pin', null],
  ])(
    'tells when to try again beside the reason %s, where that is known',
    async (notice, path, seconds) => {
      const { agent } = await givenPassword();
      const retryAt = seconds === null ? null : test.clock.now() + seconds * 1000;
      await agent.post(path).send({ pin: '0000000000' });
      test.clock.advanceSeconds(1);
      expect((await agent.get('/what')).body).toMatchObject({ notice, retryAt });
      expect((await agent.get('/what')).body).toMatchObject({ notice: null, retryAt: null });
    },
  );

  it('of a page that has read the reason leaves it for the page it goes to', async () => {
    const { agent } = await givenPassword();
    await agent.post('/site/pin').send({ pin: 'no code' });
    expect((await agent.get('/goes-on')).status).toBe(302);
    expect((await agent.get('/what')).body).toMatchObject({ notice: 'malformed-code' });
    expect((await agent.get('/what')).body).toMatchObject({ notice: null });
  });

  it.each([
    [599, 'malformed-code'],
    [600, null],
  ])('keeps its reason for ten minutes: after %i s it is %p', async (seconds, notice) => {
    const { agent } = await givenPassword();
    await agent.post('/site/pin').send({ pin: 'no code' });
    test.clock.advanceSeconds(seconds);
    expect((await agent.get('/what')).body).toMatchObject({ notice, retryAt: null });
  });

  it('is what keeps a reason: a resend refused in JSON leaves none', async () => {
    const { agent } = await givenPassword();
    expect((await agent.post('/login/resend')).status).toBe(429);
    expect((await agent.get('/what')).body).toMatchObject({ notice: null, retryAt: null });
  });

  it('replaces a reason that nobody has asked for', async () => {
    const { agent } = await givenPassword();
    await agent.post('/site/pin').send({ pin: 'no code' });
    await agent.post('/site/resend');
    expect((await agent.get('/twice')).body).toEqual(['resend-too-soon', 'resend-too-soon']);
  });

  it('after a success leaves no reason behind, nor does a cancel', async () => {
    for (const path of ['/site/pin', '/site/cancel']) {
      const { agent, code } = await givenPassword();
      await agent.post('/site/pin').send({ pin: 'no code' });
      await agent.post(path).send({ pin: code });
      expect((await agent.get('/twice')).body).toEqual([null, null]);
    }
  });

  it('is what keeps a reason: an answer in JSON does not', async () => {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    await giveWrongCode(test, agent, user);
    expect((await agent.get('/twice')).body).toEqual([null, null]);
  });

  it('does not hide an accident, which goes to the error handler in every mode', async () => {
    const { agent, code } = await givenPassword();
    test.sim.failNext('validate', { kind: 'error', code: 2121 });
    const answer = await agent.post('/site/pin').send({ pin: code });
    expect([answer.status, answer.headers.location]).toEqual([503, undefined]);
  });

  it('goes to a page that is told at construction, whatever the request says of it', async () => {
    const user = test.nextUser();
    const answer = await test
      .agent()
      .post('/site/login?successRedirect=/evil&returnTo=/evil')
      .send({ ...passwordOf(user), successRedirect: '/evil', returnTo: '/evil' });
    expect(answer.headers.location).toBe('/site/pin');
  });
});
