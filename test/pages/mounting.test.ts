import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import express416 from 'express416';
import session from 'express-session';
import type { PassportStatic } from 'passport';
import * as smsOtpPackage from 'passport-sms-otp';
import type { SmsOtp, SmsOtpOptions } from 'passport-sms-otp';
import { type PagesOptions, smsOtpPages } from 'passport-sms-otp/pages';
import type * as Pages from 'passport-sms-otp/pages';
import supertest from 'supertest';
import { useOwnApps } from '../support/use-app';
import { asTestUser, asUser, type TestApp, type TestAppOptions } from '../support/test-app';
import { ALICE } from '../support/test-users';
import {
  addSample,
  enterPassword,
  everything,
  logIn,
  makeCodes,
  open,
  ownFactors,
  PAGES,
  PATHS,
  submit,
} from './support/pages-app';

const apps = useOwnApps();

type CreateApp = typeof express;

/** The pages of the package beside another Express, as in an app that has installed that one. */
function loadPages(createApp: CreateApp, entry = 'passport-sms-otp/pages'): typeof Pages {
  let loaded: typeof Pages | undefined;
  jest.isolateModules(() => {
    jest.doMock('express', () => createApp);
    jest.doMock('passport-sms-otp', () => smsOtpPackage);
    loaded = jest.requireActual<typeof Pages>(entry);
  });
  jest.dontMock('express');
  jest.dontMock('passport-sms-otp');
  if (loaded === undefined) throw new Error('nothing was loaded');
  return loaded;
}

describe.each([
  ['5', express],
  ['4', express4],
  ['4.16', express416],
] as const)('the pages with Express %s', (_version, version) => {
  const createApp = version;
  const start = (options: Partial<SmsOtpOptions> = {}): Promise<TestApp> => {
    const { smsOtpPages: makePages } = loadPages(createApp);
    return apps.start({
      ...everything({}, { factors: ownFactors(new Set(['alice'])), ...options }),
      createApp,
      routes: (app, smsOtp) => {
        app.use(makePages(smsOtp, { accent: '#0a5' }));
        app.post('/in', smsOtp.firstFactor('local'), smsOtp.send());
        app.get('/in', (req, res) => void res.json(smsOtp.status(req).notice));
        app.get('/home', smsOtp.requireSecondFactor(), (_req, res) => void res.json('home'));
        app.post('/out', smsOtp.logout());
      },
    });
  };

  it('lead through a login, the settings and a step-up', async () => {
    const test = await start();
    const browser = test.browser();
    await enterPassword(browser);
    for (const page of PAGES.slice(0, 5)) expect((await open(browser, page)).status).toBe(200);
    expect((await submit(browser, 'code', { pin: '000000' })).location).toBe('/second-factor/code');
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe('/home');
    for (const page of ['settings', 'add-number', 'recovery-codes', 'step-up'])
      expect([page, (await open(browser, page)).status]).toEqual([page, 200]);
    expect(await makeCodes(browser)).toHaveLength(10);
    test.clock.advanceSeconds(400);
    expect((await submit(browser, 'end-logins')).location).toBe('/second-factor/confirm');
    expect((await open(browser, 'confirm')).location).toBe('/second-factor/step-up');
    expect((await submit(browser, 'step-up')).location).toBe('/second-factor/code');
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe(
      '/second-factor/confirm',
    );
    const refused = await submit(browser, 'code', {}, { 'sec-fetch-site': 'cross-site' });
    expect([refused.status, refused.type]).toEqual([403, 'text/html']);
    expect((await submit(browser, '/out')).location).toBe('/in');
  });

  it('serve their assets and leave unknown paths to the app', async () => {
    const test = await start();
    const types = [];
    for (const asset of ['pages.css', 'pages.js', 'logo.svg', 'accent.css', 'assets.ts', '../x'])
      types.push((await open(test.browser(), asset)).type);
    expect(types).toEqual([
      ...['text/css', expect.stringContaining('javascript'), 'image/svg+xml', 'text/css'],
      ...['text/html', 'text/html'],
    ]);
    expect((await open(test.browser(), 'assets.ts')).status).toBe(404);
  });
});

describe('the pages in a folder whose name begins with a dot, as pnpm has it,', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), '.pnpm-'));
    cpSync(join(__dirname, '../../src/pages'), folder, { recursive: true });
    symlinkSync(join(__dirname, '../../node_modules'), join(folder, 'node_modules'), 'dir');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('have their assets', async () => {
    const made = jest.requireActual(join(folder, 'assets.ts'));
    const { serveAssets: serve } = made as { serveAssets?: (accent: undefined) => RequestHandler };
    const app = express().use(serve?.(undefined) ?? []);
    expect((await supertest(app).get('/pages.css')).status).toBe(200);
  });
});

/** An app in which the sample is mounted in its own way. */
const mount = (
  add: (app: Express, addTo: (to: Express) => void) => void,
  options: Partial<SmsOtpOptions> = {},
  more: Partial<TestAppOptions> = {},
): Promise<TestApp> => {
  const plain = everything({}, options);
  return apps.start({
    ...plain,
    ...more,
    routes: (app, ...rest) => add(app, (to) => plain.routes?.(to, ...rest)),
  });
};

async function expectWalk(test: TestApp, prefix: string, shown = prefix): Promise<void> {
  const browser = test.browser();
  const at = (page: string): string => `${prefix}/second-factor/${page}`;
  const password = { username: ALICE.id, password: 'right' };
  const sent = await submit(browser, `${prefix}/in`, password);
  expect(sent.location).toBe(`${shown}/second-factor/code`);
  const page = await open(browser, at('code'));
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('href="pages.css"')]);
  expect((await open(browser, at('pages.css'))).status).toBe(200);
  const done = await submit(browser, at('code'), { pin: test.code() });
  expect(done.location).toBe(`${shown}/home`);
  const settings = await open(browser, at('settings'));
  expect([settings.status, settings.text]).toEqual([
    200,
    expect.stringContaining(`href="${shown}/home"`),
  ]);
  test.clock.advanceSeconds(400);
  expect((await submit(browser, at('end-logins'))).location).toBe(`${shown}/second-factor/confirm`);
  expect((await open(browser, at('confirm'))).location).toBe(`${shown}/second-factor/step-up`);
}

const below = (prefix: string): NonNullable<SmsOtpOptions['paths']> => ({
  login: `${prefix}/in`,
  home: `${prefix}/home`,
  code: `${prefix}/second-factor/code`,
  stepUp: `${prefix}/second-factor/step-up`,
  settings: `${prefix}/second-factor/settings`,
});

describe('the pages work', () => {
  it('behind a proxy that strips a prefix', async () => {
    const test = await mount((app, addTo) => addTo(app), { paths: below('/shop') });
    await expectWalk(test, '', '/shop');
  });

  it('in a sub-app', async () => {
    const test = await mount(
      (app, addTo) => {
        const sub = express();
        addTo(sub);
        app.use('/shop', sub);
      },
      { paths: below('/shop') },
    );
    await expectWalk(test, '/shop');
  });

  it.each([
    ['code', { code: '/shop/second-factor/code' }],
    ['step-up', { stepUp: '/shop/second-factor/step-up' }],
    ['settings', { settings: '/shop/second-factor/settings' }],
  ])('behind a prefix that only the path of the page %s has', async (_page, paths) => {
    const test = await mount((app, addTo) => addTo(app), {
      paths: { login: '/shop/in', home: '/shop/home', ...paths },
    });
    await expectWalk(test, '', '/shop');
  });

  it('in a router', async () => {
    const test = await mount(
      (app, addTo) => {
        const router = express.Router();
        // A router has what the sample needs of an app.
        addTo(router as unknown as Express);
        app.use('/a/b', router);
      },
      { paths: below('/a/b') },
    );
    await expectWalk(test, '/a/b');
  });

  it('with strict and case sensitive routing', async () => {
    const test = await mount((app, addTo) => {
      app.enable('strict routing').enable('case sensitive routing');
      addTo(app);
    });
    await expectWalk(test, '');
  });

  const sessions = (passport: PassportStatic): RequestHandler[] => [
    session({ secret: 'x', resave: false, saveUninitialized: false }),
    passport.session() as RequestHandler,
  ];

  it.each([
    ['without any parser', []],
    ['with a parser of JSON alone', [express.json()]],
    ['with a parser that knows no lists', [express.urlencoded({ extended: false })]],
    ['with a parser that knows lists and objects', [express.urlencoded({ extended: true })]],
  ])('in an app %s', async (_title, parsers) => {
    let passportOfTest: PassportStatic | undefined;
    const test = await apps.start({
      ...everything(),
      routes: (_app, _smsOtp, passport) => void (passportOfTest = passport),
    });
    if (passportOfTest === undefined) throw new Error('no passport');
    const app = express();
    app.use(...sessions(passportOfTest), ...parsers);
    app.post('/in', (req, _res, next) => {
      req.body = { ...req.body, username: ALICE.id, password: 'right' };
      next();
    });
    addSample()(app, test.smsOtp);
    const agent = supertest.agent(app);
    expect((await agent.post('/in').type('form').send({})).headers.location).toBe(
      '/second-factor/code',
    );
    const wrong = await agent.post('/second-factor/code').type('form').send({ pin: '000000' });
    expect(wrong.headers.location).toBe('/second-factor/code');
    const right = await agent.post('/second-factor/code').type('form').send({ pin: test.code() });
    expect(right.headers.location).toBe('/home');
    const large = await agent
      .post('/second-factor/add-number')
      .type('form')
      .send({ phone: '1'.repeat(300_000) });
    // By the parser of the app, or by that of the pages.
    expect(large.status).toBe(413);
    expect(await test.smsOtp.phones?.list(asUser(ALICE))).toHaveLength(1);
  });

  it('twice in an app, for two kinds of users', async () => {
    let passport: PassportStatic | undefined;
    let given: SmsOtpOptions | undefined;
    const other: { smsOtp?: SmsOtp } = {};
    const test = await apps.start({
      ...everything(),
      routes: (app, smsOtp, passportOfTest, options) => {
        [passport, given] = [passportOfTest, options];
        addSample()(app, smsOtp);
        const paths = below('/staff');
        other.smsOtp = smsOtpPackage.createSmsOtp({
          ...{ ...given, passport, paths, strategyName: 'staff', appName: 'Staff' },
        });
        const sub = express();
        addSample()(sub, other.smsOtp);
        app.use('/staff', sub);
      },
    });
    await expectWalk(test, '');
    test.clock.advanceSeconds(100);
    await expectWalk(test, '/staff');
    await other.smsOtp?.close();
  });
});

describe('a path that the app serves itself', () => {
  const serve = (paths: SmsOtpOptions['paths'], add: (app: Express) => void): Promise<TestApp> =>
    mount(
      (app, addTo) => {
        addTo(app);
        add(app);
      },
      { paths: { ...PATHS, ...paths } },
    );
  const own = (path: string) => (app: Express) =>
    void app.get(path, (_req, res) => void res.json('the own page'));

  it.each([
    ['code', { code: '/pin' }, '/pin'],
    ['step-up', { stepUp: '/prove' }, '/prove'],
    ['settings', { settings: '/me' }, '/me'],
    ['code', { code: 'https://id.example/pin' }, 'https://id.example/pin'],
    ['code', { code: '/second-factor/pin' }, '/second-factor/pin'],
  ])('takes the page %s away: %j', async (page, paths, path) => {
    const test = await serve(paths, own(path.startsWith('/') ? path : '/pin'));
    const browser = test.browser();
    await logIn(test, browser);
    test.clock.advanceSeconds(60);
    // The old address leads there, as the links of our other pages do.
    expect((await open(browser, page)).location).toBe(path);
    if (!path.startsWith('/')) return;
    expect((await open(browser, path)).body).toBe('the own page');
  });

  it('leaves the forms of the pages, and the other pages', async () => {
    const test = await serve({ code: '/pin' }, own('/pin'));
    const browser = test.browser();
    expect((await enterPassword(browser)).location).toBe('/pin');
    expect((await open(browser, 'other-ways')).status).toBe(200);
    expect((await submit(browser, 'code', { pin: '000000' })).location).toBe('/pin');
    expect((await submit(browser, 'code', { pin: test.code() })).location).toBe('/home');
  });

  it.each([['/second-factor/code/'], ['/Second-Factor/Code']])(
    'never leads in a circle: %s',
    async (code) => {
      const test = await serve({ code }, () => undefined);
      const browser = test.browser();
      await enterPassword(browser);
      let page = '/second-factor/code';
      for (let hop = 0; hop < 3; hop += 1) page = (await open(browser, page)).location ?? 'shown';
      expect(page).toBe('shown');
    },
  );

  it.each(['/second-factor/code?from=login', '/a/second-factor/code#top'])(
    'cannot be a page of ours with more behind it: %s',
    async (code) => {
      await expect(serve({ code }, () => undefined)).rejects.toThrow('paths.code has a query');
    },
  );

  it('is not mixed up with pages in two places', () => {
    const make = (paths: SmsOtpOptions['paths']): unknown =>
      mount((app, addTo) => addTo(app), { paths: { ...PATHS, ...paths } });
    return expect(make({ ...below('/a'), settings: '/b/second-factor/settings' })).rejects.toThrow(
      "two folders: /a/second-factor/ and /b/second-factor/. Write settings: '/a/second-factor/settings'",
    );
  });
});

describe('the router', () => {
  const OUTSIDE = ['/', '/code', '/settings', '/pages.css', '/second-factors/code', '/x'];

  it('serves nothing outside of its folder and sets no header there', async () => {
    const test = await apps.start(everything());
    for (const path of OUTSIDE) {
      const answer = await open(test.browser(), path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers).not.toHaveProperty('x-frame-options');
    }
    // Nor does it look at forms of the app.
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await submit(test.browser(), '/x', {}, foreign)).status).toBe(404);
  });

  it.each(['/second-factor', '/second-factor/', '/second-factor?from=mail'])(
    'leads from %s to the settings',
    async (path) => {
      const test = await apps.start(everything());
      const browser = test.browser();
      await logIn(test, browser);
      const answer = await open(browser, path);
      expect([answer.status, answer.location]).toEqual([303, '/second-factor/settings']);
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  it('lets an unknown path below the folder through to the app', async () => {
    const plain = everything();
    const test = await apps.start({
      ...plain,
      routes: (app, ...rest) => {
        plain.routes?.(app, ...rest);
        app.all('/second-factor/own', (_req, res) => void res.json(asTestUser(asUser(ALICE)).id));
      },
    });
    expect((await open(test.browser(), 'own')).body).toBe('alice');
    expect((await submit(test.browser(), 'own')).body).toBe('alice');
  });

  it.each(['code/', 'Code', 'settings/', 'pages.css/', 'SETTINGS'])(
    'has no second address %s for a page, where its links would lead nowhere',
    async (page) => {
      const test = await apps.start(everything());
      const browser = test.browser();
      await logIn(test, browser);
      expect((await open(browser, page)).status).toBe(404);
    },
  );

  it('serves a factor page only of factors that are there', async () => {
    const test = await apps.start(everything());
    const browser = test.browser();
    await enterPassword(browser);
    expect((await open(browser, 'factor-totp')).status).toBe(404);
    expect((await submit(browser, 'factor-totp')).status).toBe(404);
  });

  it('has no page of a feature that is off', async () => {
    const pages: PagesOptions = {};
    const test = await apps.start({
      options: { paths: PATHS, logins: false },
      routes: (app, smsOtp) => {
        app.post('/in', smsOtp.firstFactor('local'), smsOtp.send());
        app.use(smsOtpPages(smsOtp, pages));
      },
    });
    const browser = test.browser();
    await enterPassword(browser);
    expect((await open(browser, 'code')).text).not.toContain('recovery');
    await submit(browser, 'code', { pin: test.code() });
    const found = [];
    for (const page of ['settings', 'add-number', 'recovery-codes', 'recovery-code', 'confirm'])
      found.push((await open(browser, page)).status);
    expect(found).toEqual([404, 404, 404, 404, 404]);
    expect((await open(browser, '/second-factor')).location).toBe('/home');
    expect((await open(browser, 'step-up')).text).not.toContain('/second-factor/settings');
  });
});
