import { describe, expect, it } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import type { EnrollOptions, SmsOtp } from 'passport-sms-otp';
import { useOwnApps } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import { NEW } from '../support/test-users';
import { type Answer, seen, type Visit, visit } from '../support/visit';
import { waitUntil } from '../support/wait-until';

const apps = useOwnApps({ hasPhones: true });
const failureRedirect = '/settings';

/** The app's own page of a refusal: what was typed, and what became of it. */
const showRefusal = (req: Request, res: Response): void =>
  void res.status(422).json({ typed: (req.body as { phone: unknown }).phone, ...req.smsOtp });

function start(options: EnrollOptions = {}): Promise<TestApp> {
  return apps.start({
    routes: (app: Express, { phones }: SmsOtp) => {
      app.post('/own/enroll', phones?.enroll({ failureRedirect, showRefusal, ...options }) ?? []);
    },
  });
}

const submit = async (browser: Visit, phone: string): Promise<Answer> =>
  browser.ask('post', '/own/enroll').type('form').send({ phone });

describe('a refusal that the app shows', () => {
  it('has the reason, and writes nothing into the session', async () => {
    const test = await start();
    const alice = visit(test);
    await alice.logIn();
    const before = test.sessions.calls.set;
    const answer = await submit(alice, 'call me');
    expect(seen(answer)).toEqual([
      422,
      { typed: 'call me', sent: false, reason: 'malformed-phone' },
    ]);
    expect(test.sessions.calls.set).toBe(before);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((await alice.status()).body.notice).toBeNull();
  });

  it('says how long to wait', async () => {
    const test = await start();
    const alice = visit(test);
    await alice.logIn();
    expect((await alice.enroll(NEW)).status).toBe(200);
    expect((await submit(alice, '+12125550177')).body).toMatchObject({
      reason: 'resend-too-soon',
      retryAfterSeconds: expect.any(Number),
    });
  });

  it.each([
    ['JSON', undefined, [400, { error: 'malformed-phone' }]],
    ['a redirect', failureRedirect, [303, {}]],
  ])('is %s for a request that asks for JSON, as without it', async (_what, page, expected) => {
    const test = await start({ failureRedirect: page });
    const alice = visit(test);
    await alice.logIn();
    expect(seen(await alice.post('/own/enroll', { phone: 'call me' }))).toEqual(expected);
  });

  it.each(['before the request', 'while the code is sent'])(
    'leads to the page for failures if the login has ended %s',
    async (when) => {
      const test = await start();
      const alice = visit(test);
      await alice.logIn();
      const end = async (): Promise<unknown> => test.smsOtp.logins?.revokeAll('alice');
      test.sim.failNext('generate', { kind: 'latency', ms: 300 });
      if (when === 'before the request') await end();
      const asked = submit(alice, NEW);
      if (when !== 'before the request') {
        await waitUntil(() => test.book.list('alice').length === 2);
        await end();
      }
      expect([(await asked).status, (await asked).location]).toEqual([303, failureRedirect]);
      expect((await alice.status()).body.notice).toBe('login-ended');
    },
  );

  it('is an error of the app if its page fails', async () => {
    const test = await start({ showRefusal: () => Promise.reject(new Error('no such view')) });
    const alice = visit(test);
    await alice.logIn();
    expect((await submit(alice, 'call me')).status).toBe(500);
    expect(test.errors).toEqual([new Error('no such view')]);
  });
});
