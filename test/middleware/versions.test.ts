import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import express4 from 'express4';
import express416 from 'express416';
import { Passport } from 'passport';
import { Passport as Passport06 } from 'passport06';
import type { PassportStatic } from 'passport';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser } from '../support/test-app';
import {
  giveCode,
  givePassword,
  giveWrongCode,
  logIn,
  passwordOf,
  statusOf,
} from './support/steps';
import { useSharedApp } from '../support/use-app';

// The types know the instance alone, not that the class is exported beside it.
const CLASSES = { 0.6: Passport06, 0.7: Passport } as unknown as Record<
  string,
  new () => PassportStatic
>;

describe.each([
  { expressVersion: 5, createApp: express, passportVersion: 0.7, variant: 'A' },
  { expressVersion: 5, createApp: express, passportVersion: 0.6, variant: 'B' },
  { expressVersion: 4, createApp: express4, passportVersion: 0.7, variant: 'B' },
  { expressVersion: 4, createApp: express4, passportVersion: 0.6, variant: 'A' },
  { expressVersion: 4.16, createApp: express416, passportVersion: 0.7, variant: 'A' },
  { expressVersion: 4.16, createApp: express416, passportVersion: 0.6, variant: 'B' },
] as const)(
  'with Express $expressVersion, passport $passportVersion and variant $variant',
  ({ createApp, passportVersion, variant }) => {
    const test = useSharedApp(() => {
      const PassportClass = CLASSES[String(passportVersion)];
      if (PassportClass === undefined) throw new Error('no such version');
      return {
        createApp,
        PassportClass,
        variant,
        people: 40,
        routes: addBrowserPages,
      };
    });

    function addBrowserPages(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
      const router = createApp.Router();
      const failureRedirect = '/site/again';
      router.post(
        '/login',
        passport.authenticate('local', { session: false }) as express.RequestHandler, // Passport's types say any.
        smsOtp.send({
          successRedirect: '/site/pin',
          failureRedirect,
          notRequiredRedirect: '/site/plain',
        }),
      );
      router.post('/pin', smsOtp.verify({ successRedirect: '/site/account', failureRedirect }));
      router.post('/resend', smsOtp.resend({ successRedirect: '/site/pin', failureRedirect }));
      router.post('/cancel', smsOtp.cancel({ successRedirect: '/site/bye' }));
      router.post('/step-up', smsOtp.stepUp({ successRedirect: '/site/pin', failureRedirect }));
      const guard = smsOtp.requireSecondFactor({ maxAgeSeconds: 300, redirect: '/site/login' });
      router.get(
        '/account/:page',
        guard,
        (req, res) => void res.json({ id: asTestUser(req.user).id }),
      );
      app.use('/site', router);
      addLastHandlers(app, smsOtp, passport);
    }

    /** The middlewares as the last handlers of their routes, and one mounted by `use`. */
    function addLastHandlers(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
      const local = passport.authenticate('local', { session: false }) as express.RequestHandler;
      app.post('/last/login', local, smsOtp.send());
      app.all('/last/pin', smsOtp.verify());
      app
        .route('/last/resend')
        .post(smsOtp.resend())
        .get((_req, res) => void res.json({}));
      app.post('/last/step-up', smsOtp.stepUp());
      app.post('/last/cancel', smsOtp.cancel());
      app.post('/last/logout', smsOtp.logout());
      app.use('/mounted/logout', smsOtp.logout(), (_req, res) => void res.json({ own: true }));
    }

    it('a success that is the last handler of its route is answered as JSON', async () => {
      const user = test.nextUser();
      const agent = test.agent();
      const post = async (path: string, body: object = {}): Promise<unknown> => {
        const answer = await agent.post(path).send(body);
        return [answer.status, answer.headers['cache-control'], answer.body];
      };
      const isSent = [200, 'no-store', expect.objectContaining({ sent: true, purpose: 'login' })];
      expect(await post('/last/login', passwordOf(user))).toEqual(isSent);
      test.clock.advanceSeconds(30);
      expect(await post('/last/resend')).toEqual(isSent);
      const wrong = await agent.post('/last/pin').send({ pin: '00000000' });
      expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid-code' }]);
      expect(await post('/last/pin', { pin: test.code(user) })).toEqual([
        200,
        'no-store',
        { verified: true, method: 'sms', at: expect.any(Number) },
      ]);
      test.clock.advanceSeconds(60);
      expect(await post('/last/step-up')).toMatchObject([200, 'no-store', { sent: true }]);
      expect(await post('/last/cancel')).toEqual([200, 'no-store', { cancelled: true }]);
      expect((await agent.post('/mounted/logout')).body).toEqual({ own: true });
      expect(await post('/last/logout')).toEqual([200, 'no-store', { loggedOut: true }]);
    });

    it('a login by JSON leads from the password over the code to the account', async () => {
      const user = test.nextUser();
      const agent = test.agent();
      expect((await givePassword(agent, user)).body).toMatchObject({ sent: true });
      const wrong = await giveWrongCode(test, agent, user);
      expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid-code' }]);
      const right = await giveCode(test, agent, user);
      expect(right.body).toMatchObject({ verified: true, authInfo: { amr: ['pwd', 'sms'] } });
      expect((await agent.get('/account')).body).toEqual({ id: user.id });
      await agent.post('/logout');
      expect((await agent.get('/account')).status).toBe(403);
    });

    it('a login on a router under a prefix redirects with 303 and ends at the page that was asked for', async () => {
      const user = test.nextUser();
      const agent = test.agent();
      const steps = [
        await agent.get('/site/account/3?tab=a%20b'),
        await agent.post('/site/login').type('form').send(passwordOf(user)),
        await agent.post('/site/pin').type('form').send({ pin: 'no code' }),
        await agent.post('/site/resend'),
        await agent
          .post('/site/pin')
          .type('form')
          .send({ pin: test.code(user) }),
      ];
      expect(steps.map(({ status, headers }) => [status, headers.location as unknown])).toEqual([
        [303, '/site/login'],
        [303, '/site/pin'],
        [303, '/site/again'],
        [303, '/site/again'],
        [303, '/site/account/3?tab=a%20b'],
      ]);
      expect((await agent.get('/site/account/3')).body).toEqual({ id: user.id });
    });

    it('a step-up renews the mark and returns to the page', async () => {
      const user = test.nextUser();
      const agent = await logIn(test, user);
      test.clock.advanceSeconds(301);
      expect((await agent.get('/site/account/7')).headers.location).toBe('/site/login');
      expect((await agent.post('/site/step-up')).headers.location).toBe('/site/pin');
      const back = await agent.post('/site/pin').send({ pin: test.code(user) });
      expect([back.status, back.headers.location]).toEqual([303, '/site/account/7']);
      expect((await agent.get('/site/account/7')).status).toBe(200);
    });

    it('a user of whom no second factor is required is logged in without a mark', async () => {
      const user = { ...test.nextUser(), isOptional: true };
      test.users.set(user.id, user);
      const agent = test.agent();
      const answer = await agent.post('/site/login').send(passwordOf(user));
      expect([answer.status, answer.headers.location]).toEqual([303, '/site/plain']);
      expect(await statusOf(agent)).toMatchObject({
        isAuthenticated: true,
        hasSecondFactor: false,
      });
    });

    it('a cancel ends the pending login', async () => {
      const user = test.nextUser();
      const agent = test.agent();
      await givePassword(agent, user);
      expect((await agent.post('/site/cancel')).headers.location).toBe('/site/bye');
      expect((await giveCode(test, agent, user)).body).toEqual({ error: 'no-pending-login' });
    });

    it('an accident arrives at the error handler', async () => {
      const user = test.nextUser();
      const agent = test.agent();
      await givePassword(agent, user);
      test.sim.failNext('validate', 'html-502');
      const answer = await agent.post('/site/pin').send({ pin: test.code(user) });
      expect([answer.status, answer.body]).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
      expect((await statusOf(agent)).notice).toBe('unconfirmed');
    });
  },
);
