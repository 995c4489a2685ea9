import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { GatewaySimulator } from 'passport-sms-otp/simulator';
import { tellAll } from '../support/canaries';
import { testClock } from '../support/clock';
import { tamperedStore } from '../support/tampered-store';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/test-app';
import { seen, visit } from '../support/visit';

let test: TestApp;
const others: { close(): unknown }[] = [];
afterEach(async () => {
  await test.close();
  for (const other of others.splice(0)) await other.close();
});

const NOT_SENT = { error: 'not-sent', pending: true };

describe('the first factor', () => {
  it('is kept nowhere while the code is out (django-two-factor-auth CVE-2020-15105)', async () => {
    const clock = testClock();
    const tampered = tamperedStore(clock);
    test = await startTestApp({ clock, options: { store: tampered.store } });
    const visitor = visit(test);
    await visitor.login();
    const places = [
      test.sessions.dump(),
      tellAll(tampered.calls.map(({ given }) => given)),
      tellAll(test.events),
      tellAll((await visitor.status()).body),
    ];
    expect(places.join()).not.toContain('right');
    expect(JSON.parse(test.sessions.dump())).not.toEqual({});
  });

  it('renews the session, and so does the second (passport CVE-2022-25896, GHSA-v923-w3x8-wh69)', async () => {
    test = await startTestApp({
      routes: (app) => {
        app.get('/visit', (req, res) => {
          Object.assign(req.session, { basket: 'planted' });
          res.json({});
        });
      },
    });
    const agent = test.agent();
    const idOf = (cookies: unknown): string =>
      /connect\.sid=([^;]+)/.exec(String(cookies))?.[1] ?? '';
    const planted = idOf((await agent.get('/visit')).headers['set-cookie']);
    const pending = idOf(
      (await agent.post('/login').send({ username: 'alice', password: 'right' })).headers[
        'set-cookie'
      ],
    );
    const passed = idOf(
      (await agent.post('/login/pin').send({ pin: test.code() })).headers['set-cookie'],
    );
    expect(new Set([planted, pending, passed, '']).size).toBe(4);
    for (const old of [planted, pending]) {
      const fixed = await test.agent().get('/account').set('Cookie', `connect.sid=${old}`);
      expect(fixed.status).toBe(403);
    }
    expect((await agent.get('/account')).status).toBe(200);
    expect((await agent.get('/status')).body.sessionKeys).not.toContain('basket');
  });
});

describe('an error of the gateway', () => {
  it('carries neither request nor answer (auth0 CVE-2020-15125, hashi-vault-js CVE-2026-55102)', async () => {
    test = await startTestApp();
    const visitor = visit(test);
    await visitor.login();
    const code = test.code();
    for (const fault of ['html-502', 'reset'] as const) {
      test.sim.failNext('any', fault);
      await visitor.enter(code);
      test.clock.advanceSeconds(31);
      await visitor.login();
    }
    expect(test.errors.length).toBeGreaterThan(0);
    for (const error of test.errors) {
      const own = Object.keys(error as object).sort();
      expect([
        'name',
        'code',
        'status',
        'cause',
        'headers',
        'httpStatus',
        'mayHaveArrived',
        'retryAfterSeconds',
      ]).toEqual(expect.arrayContaining(own));
      expect(tellAll(error)).not.toMatch(
        /bearer|authorization|validate\/|127\.0\.0\.1|Bad Gateway/i,
      );
      expect(tellAll(error)).not.toContain(code);
    }
  });
});

describe('a redirect of the gateway', () => {
  it.each([301, 302, 303, 307, 308])(
    'to another host with HTTP %d is an error: nothing is sent there (undici CVE-2022-31151, CVE-2023-45143, CVE-2024-24758, CVE-2024-30260)',
    async (status) => {
      const elsewhere = await GatewaySimulator.start({ variant: 'A' });
      others.push(elsewhere);
      test = await startTestApp();
      const visitor = visit(test);
      const location = `${elsewhere.baseUrl}/apis/auth`;
      test.sim.failNext('auth', { kind: 'redirect', status, location });
      expect(seen(await visitor.login())).toEqual([502, NOT_SENT]);
      await visitor.login();
      test.sim.failNext('validate', { kind: 'redirect', status, location });
      expect(seen(await visitor.enterRight())).toEqual([502, { code: 'ERR_GATEWAY_RESPONSE' }]);
      expect(Object.values(elsewhere.stats().calls)).toEqual(Array(8).fill(0));
      expect(test.logins).toEqual([]);
    },
  );
});

describe('an answer in a chain of encodings', () => {
  it('is refused unread (undici CVE-2026-22036)', async () => {
    let body: Buffer = Buffer.alloc(10_000_000, ' ');
    for (let layer = 0; layer < 5; layer += 1) body = gzipSync(body);
    const headers = {
      'content-type': 'application/json',
      'content-encoding': 'gzip, gzip, gzip, gzip, gzip',
    };
    const gateway = createServer((_req, res) => res.writeHead(200, headers).end(body)).listen(
      0,
      '127.0.0.1',
    );
    await once(gateway, 'listening');
    others.push({ close: () => gateway.close() });
    // A listening TCP server has an address.
    const { port } = gateway.address() as AddressInfo;
    test = await startTestApp({ gateway: { baseUrl: `http://127.0.0.1:${port}` } });
    expect(seen(await visit(test).login())).toEqual([502, NOT_SENT]);
  });
});

describe('the page to return to', () => {
  const routes: TestAppOptions['routes'] = (app, smsOtp) => {
    app.get('/plant', (req, res) => {
      Object.assign(req.session, { returnTo: req.query.path });
      res.json({});
    });
    app.post('/pin', smsOtp.verify({ successRedirect: '/home' }));
  };

  it('is on this site, whatever it looks like (express CVE-2024-29041)', async () => {
    test = await startTestApp({ routes });
    const foreign = [
      [
        '//evil.test',
        '/\\evil.test',
        '/\t/evil.test',
        '/..//evil.test',
        '/.//evil.test',
        ' //evil.test',
      ],
      ['https://evil.test', 'http:evil.test', 'https://localhost@evil.test', '\\\\evil.test'],
      ['javascript:alert(1)', '/\u0000/evil.test', '/%\r\nLocation: //evil.test', '', 'account'],
    ].flat();
    for (const [path, location] of [
      ['/account?a=1#top', '/account?a=1#top'],
      ...foreign.map((one) => [one, '/home']),
    ]) {
      const agent = test.agent();
      await agent.get('/plant').query({ path });
      await agent.post('/login').send({ username: 'alice', password: 'right' });
      const answer = await agent.post('/pin').send({ pin: test.code() });
      expect([path, answer.status, answer.headers.location]).toEqual([path, 303, location]);
    }
  });
});
