import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { PassportStatic } from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import type { SmsOtp } from 'passport-sms-otp';
import { asTestUser, asUser, type TestUser } from '../support/test-app';
import { useSharedApp } from '../support/use-app';
import { type Agent, logIn, statusOf } from './support/steps';

describe('one callback of a social account for the login and for linking', () => {
  const test = useSharedApp({ people: 10, routes: addRoutes });

  function addRoutes(app: Express, smsOtp: SmsOtp, passport: PassportStatic): void {
    // As in hackathon-starter: links the account to the user who is logged in, or finds its user.
    const social = new CustomStrategy((req, done) => {
      done(null, req.user ?? asUser(test.users.get(req.path.slice('/callback/'.length))));
    });
    passport.use('social', social);
    // Passport types its middleware as any.
    const callback = passport.authenticate('social', { session: false }) as RequestHandler;
    const stayIn: RequestHandler = async (req, res, next) => {
      await smsOtp.checkSecondFactor(req);
      if (smsOtp.hasSecondFactor(req)) return void res.json({ linked: asTestUser(req.user).id });
      next();
    };
    app.get(
      '/callback/:owner',
      callback,
      stayIn,
      smsOtp.send(),
      (req, res) => void res.json(req.smsOtp),
    );
  }

  const comeBack = async (agent: Agent, owner: TestUser): Promise<unknown> =>
    (await agent.get(`/callback/${owner.id}`)).body;

  it('leaves a logged-in user in and sends nothing, also after a while', async () => {
    const user = test.nextUser();
    const agent = await logIn(test, user);
    const { sent } = test.sim.stats();
    for (const seconds of [0, 3_600]) {
      test.clock.advanceSeconds(seconds);
      expect(await comeBack(agent, user)).toEqual({ linked: user.id });
    }
    expect(await statusOf(agent)).toMatchObject({ hasSecondFactor: true });
    expect(test.sim.stats().sent).toBe(sent);
  });

  it('asks everybody else for the code, also a user whose login has ended', async () => {
    const user = test.nextUser();
    expect(await comeBack(test.agent(), user)).toMatchObject({ sent: true });
    test.clock.advanceSeconds(61);
    const agent = await logIn(test, user);
    await test.smsOtp.logins?.revokeAll(user.id);
    test.clock.advanceSeconds(61);
    expect(await comeBack(agent, user)).toMatchObject({ sent: true });
    expect(await statusOf(agent)).toMatchObject({ hasSecondFactor: false });
  });
});
