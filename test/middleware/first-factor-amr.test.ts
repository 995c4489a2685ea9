import { describe, expect, it } from '@jest/globals';
import type { Express, RequestHandler } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { asUser, type TestUser } from '../support/test-app';
import { giveCode, givePassword, statusOf, type Agent } from './support/steps';
import { useSharedApp } from '../support/use-app';

describe('req.authInfo.amr after a first factor', () => {
  const test = useSharedApp({ people: 40, routes: addRoutes });

  /** A first factor of the app's own, such as a provider's, with the info that the body names. */
  function addRoutes(app: Express, smsOtp: SmsOtp): void {
    const firstFactor: RequestHandler = (req, _res, next) => {
      const { id, info } = req.body as { readonly id: string; readonly info: object };
      req.user = asUser(test.users.get(id)) || undefined;
      req.authInfo = info;
      next();
    };
    app.post('/provider', firstFactor, smsOtp.send(), (req, res) => {
      res.json(req.smsOtp);
    });
  }

  async function enter(info: object): Promise<{ agent: Agent; user: TestUser }> {
    const user = test.nextUser();
    const agent = test.agent();
    expect((await agent.post('/provider').send({ id: user.id, info })).body).toMatchObject({
      sent: true,
    });
    return { agent, user };
  }

  it('begins with its own', async () => {
    const { agent, user } = await enter({ amr: ['hwk', 'user'] });
    expect((await giveCode(test, agent, user)).body.authInfo).toMatchObject({
      amr: ['hwk', 'user', 'sms'],
    });
  });

  it('begins with it after a second text, and in a step-up long after', async () => {
    const { agent, user } = await enter({ amr: ['fed'] });
    test.clock.advanceSeconds(61);
    expect((await agent.post('/login/resend')).body).toMatchObject({ sent: true });
    expect((await giveCode(test, agent, user)).body.authInfo).toMatchObject({
      amr: ['fed', 'sms'],
    });
    test.clock.advanceSeconds(3_600);
    for (const _again of [1, 2]) {
      test.clock.advanceSeconds(301);
      expect((await agent.post('/step-up')).body).toMatchObject({ sent: true });
      expect((await giveCode(test, agent, user)).body.authInfo).toMatchObject({
        amr: ['fed', 'sms'],
      });
    }
  });

  it('is forgotten by the next login in the same browser', async () => {
    const { agent, user } = await enter({ amr: ['fed'] });
    await giveCode(test, agent, user);
    test.clock.advanceSeconds(61);
    await givePassword(agent, user);
    expect((await giveCode(test, agent, user)).body.authInfo).toMatchObject({
      amr: ['pwd', 'sms'],
    });
  });

  it.each([[{}], [{ amr: 'fed' }], [{ amr: [] }], [{ amr: ['fed', 1] }], [{ amr: null }]])(
    'begins with pwd after %j, of which the session keeps nothing',
    async (info) => {
      const { agent, user } = await enter(info);
      expect((await giveCode(test, agent, user)).body.authInfo).toMatchObject({
        amr: ['pwd', 'sms'],
      });
      expect((await statusOf(agent)).session).not.toHaveProperty('amr');
    },
  );
});
