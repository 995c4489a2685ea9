import { describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import type { SmsOtp } from 'passport-sms-otp';
import { givePassword, sessionIdOf } from './support/steps';
import { useSharedApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const THIRTY_DAYS_MS = 30 * 86_400_000;

describe('a renewed session (expressjs/session 935)', () => {
  const test = useSharedApp({ people: 40, routes: addRoutes });

  function addRoutes(app: Express, smsOtp: SmsOtp): void {
    app.post('/pin/beside', smsOtp.verify(), (req, res) => {
      test.sessions.put(req.sessionID, { ...test.sessions.rest(req.sessionID), beside: true });
      res.json({});
    });
    app.post('/pin/changed', smsOtp.verify(), (req, res) => {
      Object.assign(req.session, { cart: ['book'] });
      res.json({});
    });
    app.post('/pin/remember', smsOtp.verify(), (req, res) => {
      req.session.cookie.maxAge = THIRTY_DAYS_MS;
      res.json({});
    });
  }

  async function submit(path: string): Promise<Record<string, unknown> | undefined> {
    const user = test.nextUser();
    const agent = test.agent();
    await givePassword(agent, user);
    test.sessions.resetCalls();
    const answer = await agent.post(path).send({ pin: test.code(user) });
    return test.sessions.rest(String(sessionIdOf(answer)));
  }

  it('is not written again at the end of the response: what another request wrote meanwhile stays', async () => {
    expect(await submit('/pin/beside')).toMatchObject({ beside: true, passport: {} });
    expect(test.sessions.calls.set).toBe(1);
  });

  it('is written again when the app has changed it', async () => {
    expect(await submit('/pin/changed')).toMatchObject({ cart: ['book'], passport: {} });
    expect(test.sessions.calls.set).toBe(2);
  });

  it('is written again when the app has given its cookie another life', async () => {
    const session = await submit('/pin/remember');
    // express-session computes it from the moment at which the cookie ends.
    const { originalMaxAge } = session?.cookie as { originalMaxAge: number };
    expect(Math.abs(originalMaxAge - THIRTY_DAYS_MS)).toBeLessThan(1_000);
  });
});

describe('a renewed session whose cookie has a life', () => {
  it('is written once, although the expiry of the cookie moves with the clock', async () => {
    const test = await apps.start({ cookie: { maxAge: 600_000 } });
    const agent = test.agent();
    await givePassword(agent);
    test.sessions.resetCalls();
    await agent.post('/login/pin').send({ pin: test.code() });
    expect(test.sessions.calls.set).toBe(1);
  });
});
