import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import express4 from 'express4';
import express416 from 'express416';
import helmet from 'helmet';
import type { SmsOtpOptions } from 'passport-sms-otp';
import { smsOtpPages } from 'passport-sms-otp/pages';
import supertest from 'supertest';
import { useOwnApps } from '../support/use-app';
import { throwing } from '../support/tampered-store';
import type { TestApp } from '../support/test-app';
import type { Answer, Visit } from '../support/visit';
import {
  enterPassword,
  everything,
  FORMS,
  logIn,
  makeCodes,
  open,
  ownFactors,
  PAGES,
  submit,
} from './support/pages-app';

const ASSETS = ['pages.css', 'pages.js', 'logo.svg', 'accent.css'];
const JSON_ONLY = { accept: 'application/json' };

/** What an answer lacks. */
function findMissing({ headers, status }: Answer, isAsset = false): string[] {
  const policies = String(headers['content-security-policy']).split(', ');
  const cache = String(headers['cache-control']);
  const checks: Record<string, boolean> = {
    'Cache-Control': isAsset ? cache === 'public, max-age=3600' : cache === 'no-store',
    'frame-ancestors': policies.includes("frame-ancestors 'none'"),
    'X-Frame-Options': headers['x-frame-options'] === 'DENY',
    'Referrer-Policy': headers['referrer-policy'] === 'same-origin',
    nosniff: headers['x-content-type-options'] === 'nosniff',
  };
  return Object.entries(checks)
    .filter(([, isThere]) => !isThere)
    .map(([name]) => `${name} of ${status}`);
}

describe.each([
  ['5', express, false],
  ['5', express, true],
  ['4', express4, true],
  ['4.16', express416, false],
] as const)('the headers with Express %s', (_version, createApp, hasHelmet) => {
  const test = useOwnApps();
  const plain = everything({ accent: '#0a5' });

  const start = (options: Partial<SmsOtpOptions> = {}): Promise<TestApp> =>
    test.start({
      ...plain,
      createApp: createApp,
      isTampered: true,
      options: { ...plain.options, factors: ownFactors(new Set(['alice'])), ...options },
      routes: (app: Express, ...rest) => {
        if (hasHelmet) app.use(helmet());
        plain.routes?.(app, ...rest);
        app.use('/second-factor', (_req, res) => void res.status(404).json('not here'));
      },
    });

  async function collect(browser: Visit, headers = {}): Promise<string[]> {
    const missing: string[] = [];
    const look = (name: string, answer: Answer): void => {
      missing.push(...findMissing(answer).map((one) => `${name}: ${one}`));
    };
    for (const page of [...PAGES, 'nothing-here', 'forget-device']) {
      look(`GET ${page}`, await open(browser, page, headers));
      const head = browser.ask('get', `/second-factor/${page}`);
      head.method = 'HEAD';
      look(`HEAD ${page}`, await head);
    }
    for (const form of [...FORMS, 'nothing-here']) {
      look(`POST ${form}`, await submit(browser, form, {}, headers));
      look(`foreign ${form}`, await submit(browser, form, {}, { 'sec-fetch-site': 'cross-site' }));
      look(`JSON ${form}`, await browser.post(`/second-factor/${form}`, {}));
      look(`malformed ${form}`, await submit(browser, `${form}?%E0%A4%A`, {}, headers));
    }
    return missing;
  }

  it('are on every answer to a visitor', async () => {
    await start();
    expect(await collect(test.browser())).toEqual([]);
    expect(await collect(test.browser(), JSON_ONLY)).toEqual([]);
  });

  it('are on every answer of a pending login', async () => {
    await start();
    const browser = test.browser();
    for (const headers of [{ accept: 'text/html' }, JSON_ONLY]) {
      await enterPassword(browser);
      expect(await collect(browser, headers)).toEqual([]);
      test.clock.advanceSeconds(100);
    }
  });

  it('are on every answer after the login', async () => {
    await start();
    const browser = test.browser();
    for (const headers of [{ accept: 'text/html' }, JSON_ONLY]) {
      await logIn(test, browser);
      await makeCodes(browser);
      expect(await collect(browser, headers)).toEqual([]);
      test.clock.advanceSeconds(1000);
    }
  });

  it('are on errors of the store, as a page and as JSON', async () => {
    await start();
    const browser = test.browser();
    await logIn(test, browser);
    test.clock.advanceSeconds(60);
    for (const call of ['begin', 'find', 'charge', 'records.find', 'records.list'] as const)
      test.tampered.tamper(call, throwing);
    const page = await open(browser, 'settings');
    expect([page.status, page.type]).toEqual([503, 'text/html']);
    expect(page.text).toContain('try again in a moment');
    expect(await collect(browser)).toEqual([]);
    expect(await collect(browser, JSON_ONLY)).toEqual([]);
  });

  it('are on errors of the app', async () => {
    await start({
      loadUser: () => {
        throw new Error('the database');
      },
    });
    const browser = test.browser();
    await enterPassword(browser);
    const answer = await submit(browser, 'code', { pin: test.code() });
    expect([answer.status, findMissing(answer)]).toEqual([500, []]);
  });

  it("are on Express's own pages for what nothing answers and for errors of the app", async () => {
    const app = createApp();
    const sample = await test.start({ ...plain, createApp: createApp });
    app.use(smsOtpPages(sample.smsOtp));
    app.get('/second-factor/throws', () => {
      throw new Error('of the app');
    });
    app.set('env', 'test');
    for (const [path, status] of [
      ['nothing-here', 404],
      ['throws', 500],
    ] as const) {
      const answer = await supertest(app).get(`/second-factor/${path}`);
      expect([answer.status, findMissing(answer as Answer)]).toEqual([status, []]);
      // Express's own policy stays.
      expect(answer.headers['content-security-policy']).toMatch(/default-src '(?:none|self)'/);
    }
  });

  it('let caches keep the assets, which are the same for all', async () => {
    await start();
    for (const asset of ASSETS) {
      const answer = await open(test.browser(), asset);
      expect([asset, answer.status, findMissing(answer, true)]).toEqual([asset, 200, []]);
      expect(answer.setCookies).toEqual([]);
      const again = await open(test.browser(), asset, {
        'if-none-match': String(answer.headers.etag),
      });
      // An old Express sends no policy then: browsers keep that of the first answer.
      expect([again.status, again.headers['cache-control']]).toEqual([304, 'public, max-age=3600']);
    }
  });

  it('keep the policy of the app beside theirs', async () => {
    await start();
    const { headers } = await open(test.browser(), 'code');
    const policy = String(headers['content-security-policy']);
    const own = "frame-ancestors 'none'";
    const helmets = expect.stringContaining("default-src 'self'");
    expect(policy.split(', ')).toEqual(hasHelmet ? [helmets, own] : [own]);
  });

  it('fit a page without anything inline', async () => {
    await start({ appName: 'Harbour' });
    const browser = test.browser();
    await logIn(test, browser);
    const documents = [
      await open(browser, 'settings'),
      await open(browser, 'add-number'),
      await submit(browser, 'add-number', { phone: '+13125550177' }),
      await open(browser, 'code'),
      await open(browser, 'other-ways'),
      await open(browser, 'recovery-codes'),
      await submit(browser, 'recovery-codes', { form: 'a form' }),
      await submit(browser, 'code', {}, { 'sec-fetch-site': 'cross-site' }),
    ];
    for (const { text } of documents) {
      expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:|data:/i);
      expect(text.match(/<script[^>]*>(?!<\/script>)/g)).toBeNull();
    }
  });
});
