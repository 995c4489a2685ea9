import { afterEach, describe, expect, it } from '@jest/globals';
import { memoryStore, type SmsOtpOptions } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { startTestApp, type TestApp } from '../support/test-app';

const SECRET = 'a secret of the app, as long as it has to be';

const apps: TestApp[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

const clock = testClock();

/** An app of one store. */
type Start = (options: Partial<SmsOtpOptions>, password?: string) => Promise<TestApp>;

function onOneStore(): Start {
  const store = memoryStore({ now: () => clock.now() });
  return async (options, password = 'old') => {
    const app = await startTestApp({
      hasFactors: true,
      clock,
      simulator: { password },
      options: { ...options, store },
    });
    apps.push(app);
    return app;
  };
}

/** The same app before and after its account at the gateway has changed. */
async function startBoth(before: object, after: object): Promise<[TestApp, TestApp]> {
  const start = onOneStore();
  return [await start(before), await start(after, 'new')];
}

describe('with a secret of the app', () => {
  it('recovery codes and trusted devices outlive the password of the gateway', async () => {
    const [before, after] = await startBoth({ secret: SECRET }, { secret: SECRET });
    const [code] = await before.firstCodes();
    const trusting = before.browser();
    await trusting.trust();
    const returning = after.browser();
    returning.device = trusting.device;
    expect((await returning.login()).body).toMatchObject({
      verified: true,
      method: 'trusted-device',
    });
    const recovering = after.browser();
    clock.advanceSeconds(60);
    await recovering.login();
    expect((await recovering.recover(code)).status).toBe(200);
  });

  it('of a list the first makes recovery codes and devices, and all are read', async () => {
    const start = onOneStore();
    const before = await start({ secret: SECRET });
    const [spent, code] = await before.firstCodes();
    const trusting = before.browser();
    await trusting.trust();

    const between = await start({ secret: [`${SECRET}!`, SECRET] });
    const [returning, recovering] = [between.browser(), between.browser()];
    returning.device = trusting.device;
    expect((await returning.login()).body).toMatchObject({
      verified: true,
      method: 'trusted-device',
    });
    clock.advanceSeconds(60);
    await recovering.login();
    expect((await recovering.recover(spent)).body).toMatchObject({ verified: true });
    await recovering.login();
    expect((await recovering.recover(spent)).status).toBe(401);
    expect(await between.recoveryCodes.count('alice')).toBe(9);
    clock.advanceSeconds(60);
    const fresh = between.browser();
    await fresh.trust();

    const after = await start({ secret: `${SECRET}!` });
    const [again, late] = [after.browser(), after.browser()];
    again.device = fresh.device;
    expect((await again.login()).body).toMatchObject({ verified: true, method: 'trusted-device' });
    clock.advanceSeconds(60);
    await late.login();
    expect((await late.recover(code)).status).toBe(401);
    const { codes } = (await fresh.post('/codes')).body as { codes: string[] };
    expect(await between.recoveryCodes.count('alice')).toBe(10);
    // New codes have ended the pending logins in other browsers.
    clock.advanceSeconds(67);
    await late.login();
    expect((await late.recover(codes[0])).body).toMatchObject({ verified: true });
  });

  it('a number stays counted', async () => {
    const limits = { perNumber: { maxPerDay: 1 } };
    const [before, after] = await startBoth({ secret: SECRET, limits }, { secret: SECRET, limits });
    await before.browser().login();
    const sameNumber = after.browser({ id: 'bob', phone: after.users.get('alice')?.phone ?? null });
    after.users.set('bob', { ...sameNumber.user });
    expect((await sameNumber.login()).body).toMatchObject({ error: 'send-limit' });
  });

  it('another secret makes codes worthless', async () => {
    const [before, after] = await startBoth({ secret: SECRET }, { secret: `${SECRET}!` });
    const [code] = await before.firstCodes();
    const browser = after.browser();
    await browser.login();
    expect((await browser.recover(code)).status).toBe(401);
  });
});
