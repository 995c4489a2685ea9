import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { useApp, useOwnApps } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import type { Answer, Visit } from '../support/visit';
import { enterPassword, everything, FORMS, logIn, open, ownFactors } from './support/pages-app';

const HOST = 'Shop.example:8080';
const OWN = 'http://shop.example:8080';

const ORIGINS = [
  ['no Origin', undefined, true],
  ['its own Origin', OWN, true],
  ['the Origin of another site', 'https://evil.example', false],
  ['the Origin of a subdomain', 'http://sub.shop.example:8080', false],
  ['the Origin of another port', 'http://shop.example:8081', false],
  ['the Origin without the port', 'http://shop.example', false],
  ['the Origin of a sandboxed frame', 'null', false],
  ['an Origin that is none', 'shop.example:8080', false],
] as const;

const SITES = [
  ['cross-site', false],
  ['same-site', false],
  ['same-origin', true],
  ['none', true],
  ['same-origin, cross-site', false],
  ['', false],
  [undefined, null],
] as const;

/** Every pair, and whether the form is answered: `Sec-Fetch-Site` decides where it is there. */
const PAIRS = SITES.flatMap(([site, bySite]) =>
  ORIGINS.map(([name, origin, byOrigin]) => ({
    title: `Sec-Fetch-Site ${site ?? 'absent'}, ${name}`,
    headers: {
      host: HOST,
      ...(site !== undefined && { 'sec-fetch-site': site }),
      ...(origin !== undefined && { origin }),
    },
    isOwn: bySite ?? byOrigin,
  })),
);

const FIELDS = {
  pin: '000000',
  response: '{}',
  recoveryCode: 'aaaa-bbbb-cccc-dddd',
  phone: '+13125550177',
  phoneId: 'any',
  form: 'a form',
  deviceId: 'all',
  loginId: 'any',
};

const send = (browser: Visit, form: string, headers: object): Promise<Answer> =>
  Promise.resolve(
    browser
      .ask('post', form.startsWith('/') ? form : `/second-factor/${form}`)
      .set({ accept: 'text/html', ...headers })
      .type('form')
      .send(FIELDS),
  );

/** Everything that a request may change. */
const countEffects = (test: TestApp): object => ({
  messages: test.sim.outbox.length,
  checks: test.sim.stats().calls.validate,
  events: test.events.length,
  storeCalls: test.tampered.calls.length,
  sessions: test.sessions.dump(),
  written: test.sessions.writes.length,
});

const isRefused = ({ status, text }: Answer): boolean =>
  status === 403 && text.includes('The form did not come from this website');

let warnings: { readonly message: string; readonly code: unknown }[];
beforeEach(() => {
  warnings = [];
  jest.spyOn(process, 'emitWarning').mockImplementation(((message: string, options: object) => {
    warnings.push({ message, code: (options as { readonly code?: unknown }).code });
  }) as never);
});
afterEach(() => void jest.restoreAllMocks());
const countForeign = (): number =>
  warnings.filter(({ code }) => code === 'SMS_OTP_FOREIGN_FORM').length;

const withEverything = (pages = {}): ReturnType<typeof everything> => ({
  ...everything(pages, { factors: ownFactors(new Set(['alice'])) }),
  isTampered: true,
});

describe('a form of the pages', () => {
  const test = useApp(() => withEverything());

  it.each(FORMS)('%s is answered only if a page of this site sent it', async (form) => {
    const browser = test.browser();
    await enterPassword(browser);
    // A wrong code leaves a notice, which no foreign form may use up.
    await send(browser, 'code', { 'sec-fetch-site': 'same-origin' });
    const before = countEffects(test);
    const answers = new Map<string, unknown>();
    for (const { title, headers } of PAIRS.filter(({ isOwn }) => !isOwn)) {
      const answer = await send(browser, form, headers);
      answers.set(title, [isRefused(answer), answer.setCookies, answer.type]);
    }
    expect(new Set(Array.from(answers.values(), (one) => JSON.stringify(one)))).toEqual(
      new Set(['[true,[],"text/html"]']),
    );
    expect(countEffects(test)).toEqual(before);
    for (const { title, headers } of PAIRS.filter(({ isOwn }) => isOwn)) {
      const answer = await send(test.browser(), form, headers);
      expect([title, isRefused(answer)]).toEqual([title, false]);
    }
  });

  it.each(FORMS)('%s is refused after the login as well', async (form) => {
    const browser = test.browser();
    await logIn(test, browser);
    const before = countEffects(test);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]) {
      const answer = await send(browser, form, headers);
      expect([isRefused(answer), answer.setCookies]).toEqual([true, []]);
      // The page leads on to the home page, and not to a login.
      expect(answer.text).toContain('href="/home"');
    }
    expect(countEffects(test)).toEqual(before);
  });

  it('is refused by every method but GET and HEAD', async () => {
    const browser = test.browser();
    for (const method of ['put', 'patch', 'delete', 'options'] as const) {
      const asked = browser.ask('post', '/second-factor/code');
      asked.method = method.toUpperCase();
      expect((await asked.set('sec-fetch-site', 'cross-site')).status).toBe(403);
    }
  });

  it('is refused once with a warning that names the three cures', async () => {
    const browser = test.browser();
    for (let time = 0; time < 3; time += 1) await send(browser, 'code', { origin: 'https://x.y' });
    expect(countForeign()).toBe(1);
    const { message = '' } = warnings.find(({ code }) => code === 'SMS_OTP_FOREIGN_FORM') ?? {};
    for (const cure of ['keep Host', "app.set('trust proxy'", 'X-Forwarded-Host', 'origins: ['])
      expect(message).toContain(cure);
    expect(message).toContain('sec-fetch-site: missing, origin: "https://x.y"');
    expect(message).toContain('docs/troubleshooting.md#sms_otp_foreign_form');
  });

  it('is not warned of where it is its own', async () => {
    await send(test.browser(), 'code', { host: HOST, origin: OWN });
    expect(countForeign()).toBe(0);
  });

  it('leaves the notice of the last request to the next page', async () => {
    const browser = test.browser();
    await enterPassword(browser);
    await send(browser, 'code', { 'sec-fetch-site': 'same-origin' });
    const refused = await send(browser, 'code', { 'sec-fetch-site': 'cross-site' });
    expect(refused.text).not.toContain('That code is not correct');
    expect((await open(browser, 'code')).text).toContain('That code is not correct');
  });
});

describe('a form behind a proxy', () => {
  const test = useOwnApps();
  const start = (trustProxy: boolean | number | string | undefined, pages = {}): Promise<TestApp> =>
    test.start({ ...withEverything(pages), ...(trustProxy !== undefined && { trustProxy }) });
  const ask = async (headers: object): Promise<boolean> =>
    !isRefused(await send(test.browser(), 'code', { host: 'inner:3000', ...headers }));
  const origin = 'https://shop.example';

  it.each([
    ['the host that a trusted proxy names', 1, 'shop.example', true],
    ['that host in another case', true, 'SHOP.example', true],
    ['that host with the port of https', 'loopback', 'shop.example:443', true],
    ['the first of several', true, 'shop.example, inner', true],
    ['another host', true, 'evil.example', false],
    ['the second of several', true, 'inner, shop.example', false],
    ['nothing', true, undefined, false],
    ['something empty', true, '', false],
    ['a host that no proxy is trusted for', false, 'shop.example', false],
    ['a host, and nothing is said of proxies', undefined, 'shop.example', false],
    ['a host of a proxy that is not trusted', '10.0.0.0/8', 'shop.example', false],
  ])('goes by %s', async (_title, trustProxy, forwarded, isAnswered) => {
    await start(trustProxy);
    expect(
      await ask({ origin, ...(forwarded !== undefined && { 'x-forwarded-host': forwarded }) }),
    ).toBe(isAnswered);
  });

  it('does not lose its own Host by X-Forwarded-Host', async () => {
    await start(true);
    expect(await ask({ origin: 'http://inner:3000', 'x-forwarded-host': 'else' })).toBe(true);
  });

  it('goes by the Host with the usual port that nginx writes', async () => {
    await start(undefined);
    expect(await ask({ origin, host: 'shop.example:443' })).toBe(true);
    expect(await ask({ origin: 'http://shop.example', host: 'shop.example:80' })).toBe(true);
    expect(await ask({ origin, host: 'shop.example:8443' })).toBe(false);
  });

  it.each([
    ['one of origins', 'https://shop.example', true],
    ['none of them', 'https://sub.shop.example', false],
    ['one of them by another scheme', 'http://shop.example', false],
  ])('is answered by %s', async (_title, given, isAnswered) => {
    await start(undefined, { origins: ['https://other.example', 'https://shop.example'] });
    expect(await ask({ origin: given })).toBe(isAnswered);
    // An option for old browsers opens nothing in others.
    expect(await ask({ origin: given, 'sec-fetch-site': 'same-site' })).toBe(false);
  });

  it('is of its own in a sub-app, which has the setting of the app around it', async () => {
    const plain = everything();
    await test.start({
      ...plain,
      trustProxy: true,
      routes: (app, smsOtp, passport, options) => {
        const sub = express();
        plain.routes?.(sub, smsOtp, passport, options);
        app.use(sub);
      },
    });
    expect(await ask({ origin, 'x-forwarded-host': 'shop.example' })).toBe(true);
    expect(await ask({ origin, 'x-forwarded-host': 'evil.example' })).toBe(false);
  });
});
