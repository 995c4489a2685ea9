import { describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import { useApp } from '../support/use-app';
import { visitOverTls } from '../support/visit';

const DAY_SECONDS = 86_400;

describe.each(['A', 'B'] as const)('a trusted device with variant %s', (variant) => {
  const test = useApp({
    hasFactors: true,
    variant,
    routes: (app, smsOtp, passport) => {
      const options = { notRequiredRedirect: '/no-code', trustedDeviceRedirect: '/home' };
      const firstFactor = passport.authenticate('local', { session: false });
      app.post('/login/page', firstFactor, smsOtp.send(options));
      app.get('/orders', smsOtp.requireSecondFactor({ redirect: '/login' }), (_req, res) =>
        res.json({}),
      );
      app.post(
        '/login/info',
        firstFactor,
        smsOtp.send(),
        (req, res) => void res.json({ ...req.authInfo }),
      );
      // Passport types its middleware as any.
      app.post('/login/plain', passport.authenticate('sms-otp') as RequestHandler, (_req, res) =>
        res.json({}),
      );
      app.post('/login/once', smsOtp.verify({ session: false }), (_req, res) => res.json({}));
    },
  });
  const alice = visitOverTls(test);

  const sends = (): number => test.sim.stats().calls.generate;

  it('is asked for no code the next time, and the mark says so', async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(3_600);
    const answer = await alice.login();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      verified: true,
      method: 'trusted-device',
      at: test.clock.now(),
    });
    expect(sends()).toBe(1);
    expect((await alice.get('/account')).status).toBe(200);
    const { body } = await alice.get('/status');
    expect(body).toMatchObject({
      verified: { method: 'trusted-device' },
      pending: null,
      isAuthenticated: true,
    });
    expect(test.told('device-used')).toMatchObject([
      { userId: 'alice', label: 'Firefox, Windows' },
    ]);
  });

  it('holds a cookie that only this host can set and no script can read, until the last day', async () => {
    const { deviceCookie } = await alice.trust();
    const [pair, ...attributes] = (deviceCookie ?? '').split('; ');
    expect(pair).toMatch(/^__Host-sms-otp-device=[\w-]{22}\.[\w-]{43}\.[\w-]{43}$/);
    expect(attributes.toSorted()).toEqual([
      `Expires=${new Date(test.clock.now() + 30 * DAY_SECONDS * 1000).toUTCString()}`,
      'HttpOnly',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
  });

  it('gets another token with each use, and the same last day', async () => {
    const first = await alice.trust();
    const [device] = await test.trustedDevices.list('alice');
    alice.leave();
    test.clock.advanceSeconds(DAY_SECONDS);
    const second = await alice.login();
    const [, expiry] = /Expires=([^;]+)/.exec(first.deviceCookie ?? '') ?? [];
    expect(second.deviceCookie).toContain(`Expires=${expiry}`);
    expect(second.deviceCookie).not.toEqual(first.deviceCookie);
    const [used] = await test.trustedDevices.list('alice');
    expect(used).toEqual({ ...device, lastUsedAt: test.clock.now() });
  });

  it('is trusted no more after its last day, however often it was used', async () => {
    await alice.trust();
    for (let day = 0; day < 29; day += 1) {
      test.clock.advanceSeconds(DAY_SECONDS);
      alice.leave();
      expect((await alice.login()).body.verified).toBe(true);
    }
    const { device } = alice;
    test.clock.advanceSeconds(DAY_SECONDS);
    alice.leave();
    alice.device = device;
    const answer = await alice.login();
    expect(answer.body.sent).toBe(true);
    expect(answer.deviceCookie).toContain('Expires=Thu, 01 Jan 1970');
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
  });

  it.each(['on', 'true', '1', 'yes', 'ON', true])(
    'is what a form with %p asks for',
    async (trustDevice) => {
      await alice.login();
      expect((await alice.enterRight({ trustDevice })).deviceCookie).toBeDefined();
      expect(test.told('device-trusted')).toMatchObject([
        { userId: 'alice', label: 'Firefox, Windows' },
      ]);
    },
  );

  it.each([undefined, '', 'off', 'false', '0', 'no', false, null, 1, ['on'], { on: 'on' }])(
    'is not what a form with %p asks for',
    async (trustDevice) => {
      await alice.login();
      const answer = await alice.enterRight({ trustDevice });
      expect([answer.status, answer.deviceCookie]).toEqual([200, undefined]);
      await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
    },
  );

  it("is not made by plain passport.authenticate('sms-otp'), and the next login needs a code", async () => {
    await alice.login();
    const answer = await alice.post('/login/plain', { pin: test.code(), trustDevice: 'on' });
    expect([answer.status, answer.deviceCookie]).toEqual([200, undefined]);
    expect((await alice.account()).status).toBe(200);
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
    expect(test.told('device-trusted')).toEqual([]);
    alice.leave();
    test.clock.advanceSeconds(3_600);
    expect((await alice.login()).body.sent).toBe(true);
  });

  it('is not made by a wrong code, a step-up, a recovery code or a login without a session', async () => {
    const [code] = await test.firstCodes();
    await alice.login();
    await alice.post('/login/pin', { pin: '0000', trustDevice: 'on' });
    expect((await alice.recover(code, { trustDevice: 'on' })).status).toBe(200);
    test.clock.advanceSeconds(31);
    await alice.post('/step-up');
    expect((await alice.enterRight({ trustDevice: 'on' })).status).toBe(200);
    test.clock.advanceSeconds(3_600);
    alice.leave();
    await alice.login();
    await alice.post('/login/once', { pin: test.code(), trustDevice: 'on' });
    expect(alice.device).toBeUndefined();
    await expect(test.trustedDevices.list('alice')).resolves.toEqual([]);
  });

  it('goes to the page that was wanted, otherwise to a page of its own', async () => {
    const password = { username: 'alice', password: 'right' };
    await alice.trust();
    alice.leave();
    expect((await alice.post('/login/page', password)).location).toBe('/home');
    alice.leave();
    await alice.get('/orders?page=2');
    expect((await alice.post('/login/page', password)).location).toBe('/orders?page=2');
  });

  it('logs in to a session with another id, in which nothing of the old one is left', async () => {
    await alice.trust();
    alice.leave();
    await alice.get('/status');
    await alice.get('/orders');
    const old = alice.cookies.get('connect.sid');
    await alice.login();
    expect(alice.cookies.get('connect.sid')).not.toBe(old);
    expect((await alice.get('/status')).body.sessionKeys).toEqual(['cookie', 'smsOtp', 'passport']);
    expect(test.logins).toEqual(['alice', 'alice']);
  });

  it('counts as no second factor where factors are told', async () => {
    await alice.trust();
    alice.leave();
    const { body } = await alice.post('/login/info', { username: 'alice', password: 'right' });
    expect(body).toEqual({ amr: ['pwd'], method: 'trusted-device', at: test.clock.now() });
  });

  it('is asked nothing where no code is required, and stays trusted', async () => {
    await alice.trust();
    const { device } = alice;
    test.users.set('alice', { id: 'alice', phone: '+12025550123', isOptional: true });
    alice.leave();
    expect((await alice.login()).body).toMatchObject({ sent: false, reason: 'not-required' });
    expect(alice.device).toBe(device);
    test.users.set('alice', { id: 'alice', phone: '+12025550123' });
    alice.leave();
    expect((await alice.login()).body.method).toBe('trusted-device');
  });
});
