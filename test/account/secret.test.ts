import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryStore, type SmsOtpOptions } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { startFactorApp, type FactorApp } from './support/factor-app';

const SECRET = 'a secret of the app, as long as it has to be';

const apps: FactorApp[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

const clock = testClock();

/** The same app before and after its account at the gateway has changed. */
async function startBoth(before: object, after: object): Promise<[FactorApp, FactorApp]> {
  const store = memoryStore({ now: () => clock.now() });
  const start = async (password: string, options: Partial<SmsOtpOptions>): Promise<FactorApp> => {
    const app = await startFactorApp({ clock, simulator: { password }, options: { ...options, store } });
    apps.push(app);
    return app;
  };
  return [await start('old', before), await start('new', after)];
}

describe('with a secret of the app', () => {
  it('recovery codes and trusted devices outlive the password of the gateway', async () => {
    const [before, after] = await startBoth({ secret: SECRET }, { secret: SECRET });
    const [code] = await before.firstCodes();
    const trusting = before.browser();
    await trusting.trust();
    const returning = after.browser();
    returning.device = trusting.device;
    expect((await returning.login()).body).toMatchObject({ verified: true, method: 'trusted-device' });
    const recovering = after.browser();
    clock.advanceSeconds(60);
    await recovering.login();
    expect((await recovering.recover(code)).status).toBe(200);
  });

  it('a number stays counted', async () => {
    const [before, after] = await startBoth({ secret: SECRET }, { secret: SECRET });
    await before.browser().login();
    const sameNumber = after.browser({ id: 'bob', phone: after.users.get('alice')?.phone ?? null });
    after.users.set('bob', { ...sameNumber.user });
    expect((await sameNumber.login()).body).toEqual({
      error: 'resend-too-soon',
      pending: true,
      retryAfterSeconds: 30,
    });
  });

  it('another secret makes codes worthless', async () => {
    const [before, after] = await startBoth({ secret: SECRET }, { secret: `${SECRET}!` });
    const [code] = await before.firstCodes();
    const browser = after.browser();
    await browser.login();
    expect((await browser.recover(code)).status).toBe(401);
  });
});
