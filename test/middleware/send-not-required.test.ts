import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import { asTestUser, type TestUser } from '../support/test-app';
import { addSite } from './support/site';
import { givePassword, passwordOf, statusOf } from './support/steps';
import { useSharedApp } from '../support/use-app';

describe('when no second factor is required, send', () => {
  let answerOfApp: (user: TestUser) => unknown;
  const test = useSharedApp(() => {
    const options = {
      // Whatever an app may answer.
      isRequiredFor: (user: Express.User) => answerOfApp(asTestUser(user)) as boolean,
    };
    return { people: 40, options, routes: addRoutes };
  });
  function addRoutes(...parts: Parameters<typeof addSite>): void {
    const [app, smsOtp, passport] = parts;
    addSite(...parts);
    const firstFactor = passport.authenticate('local', { session: false }) as RequestHandler;
    app.post('/plain/login', firstFactor, smsOtp.send({ successRedirect: '/site/pin' }));
    const guard = smsOtp.requireSecondFactor({ redirect: '/site/login', allowNotRequired: true });
    app.get('/open', guard, (_req, res) => void res.json({}));
  }

  beforeEach(() => {
    answerOfApp = () => false;
  });

  it('logs the user in through Passport, in a renewed session, without a mark and without a text', async () => {
    const user = test.nextUser();
    const { generate } = test.sim.stats().calls;
    const answer = await test
      .agent()
      .post('/login')
      .set('Cookie', 'theme=dark')
      .send(passwordOf(user));
    expect(answer.body).toEqual({ sent: false, reason: 'not-required' });
    expect(test.logins.at(-1)).toBe(user.id);
    expect(test.sim.stats().calls.generate).toBe(generate);
    expect(test.sessions.dump()).not.toContain('verified');
  });

  it('goes to notRequiredRedirect, or on to the next handler', async () => {
    const redirected = await test.agent().post('/site/login').send(passwordOf(test.nextUser()));
    expect([redirected.status, redirected.headers.location]).toEqual([303, '/site/plain']);
    expect((await givePassword(test.agent(), test.nextUser())).status).toBe(200);
  });

  it('goes to / where it has successRedirect alone, and not to a route that does not exist', async () => {
    const answer = await test.agent().post('/plain/login').send(passwordOf(test.nextUser()));
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
  });

  it.each(['/plain/login', '/site/login'])(
    'goes to the page that a guard has kept, if that guard lets such users pass: %s',
    async (path) => {
      const agent = test.agent();
      await agent.get('/open?x=1');
      const answer = await agent.post(path).send(passwordOf(test.nextUser()));
      expect([answer.status, answer.headers.location]).toEqual([303, '/open?x=1']);
      const other = test.agent();
      await other.get('/site/account/7');
      const elsewhere = await other.post(path).send(passwordOf(test.nextUser()));
      expect(elsewhere.headers.location).toBe(path === '/plain/login' ? '/' : '/site/plain');
    },
  );

  it('lets the user pass no guard', async () => {
    const agent = test.agent();
    await givePassword(agent, test.nextUser());
    expect(await statusOf(agent)).toMatchObject({ isAuthenticated: true, hasSecondFactor: false });
    expect((await agent.get('/account')).body).toEqual({ error: 'second-factor-required' });
  });

  it('drops what was pending for another user', async () => {
    const agent = test.agent();
    answerOfApp = () => true;
    await givePassword(agent, test.nextUser());
    answerOfApp = () => false;
    await givePassword(agent, test.nextUser());
    expect(await statusOf(agent)).toMatchObject({ pending: null, isAuthenticated: true });
  });

  it.each([
    ['undefined', () => undefined],
    ['null', () => null],
    ['0', () => 0],
    ['an empty text', () => ''],
    ['a truthy text', () => 'no'],
    ['a promise of true', () => Promise.resolve(true)],
    ['a promise of nothing', () => Promise.resolve()],
    ['a rejection', () => Promise.reject(new Error('of the app'))],
    [
      'a throw',
      () => {
        throw new Error('of the app');
      },
    ],
  ])('takes %s from isRequiredFor as a yes: only false means no', async (_title, answer) => {
    answerOfApp = answer;
    expect((await givePassword(test.agent(), test.nextUser())).body).toMatchObject({ sent: true });
  });

  it('takes a promise of false as a no', async () => {
    answerOfApp = () => Promise.resolve(false);
    expect((await givePassword(test.agent(), test.nextUser())).body).toMatchObject({
      reason: 'not-required',
    });
  });
});
