import { describe, expect, it } from '@jest/globals';
import type { SmsOtp } from 'passport-sms-otp';
import { type PagesOptions, smsOtpPages } from 'passport-sms-otp/pages';
import { useOwnApps, useSharedApp } from '../support/use-app';
import type { TestApp } from '../support/test-app';
import type { Answer } from '../support/visit';
import {
  enterPassword,
  everything,
  logIn,
  makeCodes,
  open,
  ownFactors,
  submit,
} from './support/pages-app';

const apps = useOwnApps();

describe('a wrong option of smsOtpPages', () => {
  const test = useSharedApp(() => everything());
  const make = (options: object): unknown => smsOtpPages(test.smsOtp, options);

  const ADDRESSES = [
    ...['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'http://x.example/a'],
    ...['//evil.example/a', '/\\evil.example/a', '\\\\evil.example', '/\t/evil.example/a'],
    ...['/\n/evil.example', ' /a', 'a.svg', '', '#', 'https://', 'https:x', 'ftp://x.example/a'],
    ...['blob:https://x.example/1', 5, null, {}, ['/a']],
  ];
  it.each<[string, unknown]>(
    ['logo', 'stylesheet', 'help'].flatMap((name) =>
      ADDRESSES.map((value): [string, unknown] => [name, value]),
    ),
  )('%s: %j is refused', (name, value) => {
    expect(() => make({ [name]: value })).toThrow(TypeError);
    expect(() => make({ [name]: value })).toThrow(`smsOtpPages: ${name} must be`);
  });

  it.each(['/a', '/a/b.svg?v=1#x', 'https://cdn.example/a.svg', 'HTTPS://cdn.example/a'])(
    'is none where an address is a path or https: %s',
    (address) => {
      expect(() => make({ logo: address, stylesheet: address, help: address })).not.toThrow();
    },
  );

  it.each<[string, object, string]>([
    ...['red', 'red;}', '#12', '#12345', '#1234567', '#gggggg', ' #0a5', '#0a5;}', 'url(x)', 5].map(
      (accent): [string, object, string] => ['accent', { accent }, 'accent must be'],
    ),
    ['layout', { layout: '<html>' }, 'layout must be a function'],
    ['csrf', { csrf: true }, 'csrf must be'],
    ['csrf without a token', { csrf: { field: '_csrf' } }, 'csrf.token must be a function'],
    ['csrf without a field', { csrf: { token: () => '' } }, 'csrf.field must be'],
    ['an empty field', { csrf: { field: '', token: () => '' } }, 'csrf.field must not be empty'],
    ['csrf with more', { csrf: { field: 'f', token: () => '', name: 1 } }, 'option csrf.name'],
    ['locale', { locale: 'xx' }, 'locale must be a function, or one of en'],
    ['locale', { locale: 5 }, 'locale must be a function, or one of en'],
    ['locale', { locale: '' }, 'locale must be a function, or one of en'],
    ['texts', { texts: 'de' }, 'texts must be'],
    ['texts of an unknown locale', { texts: { xx: {} } }, 'option texts.xx: the locales are'],
    [
      'an unknown sentence',
      { texts: { en: { 'code.tilte': 'x' } } },
      'option texts.en["code.tilte"]',
    ],
    [
      'a sentence that is none',
      { texts: { en: { 'code.label': 5 } } },
      'texts.en["code.label"] must',
    ],
    ['replace', { replace: () => '' }, 'replace must be'],
    ['an unknown page', { replace: { pin: () => '' } }, 'option replace.pin: the pages are code,'],
    ['a replacement that is none', { replace: { code: '<p>' } }, 'replace.code must be a function'],
    ['origins', { origins: 'https://x.example' }, 'origins must be a list of origins'],
    ...[
      ...['x.example', 'https://x.example/', 'https://x.example/a', '*', 'null'],
      ...['https://X.example', 'https://x.example:443', 'https://*.x.example', 5],
    ].map((one): [string, object, string] => [
      'an origin',
      { origins: [one] },
      'origins[0] must be',
    ]),
    ['an unknown option', { colour: '#fff' }, 'unknown option colour'],
    ['options that are none', null as never, 'options must be an object'],
    ['a list of options', [] as never, 'options must be an object'],
  ])('%s: %j names it', (_title, options, message) => {
    expect(() => make(options)).toThrow(TypeError);
    expect(() => make(options)).toThrow(message);
  });

  it('is told without what was given', () => {
    const secret = 'javascript:canary';
    const given = { logo: secret, help: secret, csrf: { field: 'f', token: secret } };
    for (const [name, value] of Object.entries(given))
      expect(() => make({ [name]: value })).not.toThrow('canary');
  });

  it.each([undefined, null, {}, 'x', () => undefined])(
    'is not what createSmsOtp returned: %j',
    (given) => {
      expect(() => smsOtpPages(given as never)).toThrow(TypeError);
      expect(() => smsOtpPages(given as never)).toThrow('smsOtpPages(smsOtp) needs');
    },
  );

  it('without paths names the option of createSmsOtp', async () => {
    const { smsOtp } = await apps.start();
    expect(() => smsOtpPages(smsOtp)).toThrow("paths: { login: '/login', home: '/' }");
  });

  it.each(['logo', 'accent', 'stylesheet', 'layout', 'csrf', 'help', 'locale', 'texts'])(
    'is none where %s is undefined',
    (name) => {
      expect(() => make({ [name]: undefined })).not.toThrow();
    },
  );
});

const start = (pages: PagesOptions): Promise<TestApp> =>
  apps.start(everything(pages, { factors: ownFactors(new Set(['alice'])) }));

/** Pages before and after the login. */
async function openAll(test: TestApp, headers = {}): Promise<Record<string, Answer>> {
  const browser = test.browser();
  await enterPassword(browser);
  const pages: Record<string, Answer> = {};
  for (const page of ['code', 'other-ways', 'recovery-code', 'factor-totp', 'factor-passkey'])
    pages[page] = await open(browser, page, headers);
  await submit(browser, 'code', { pin: test.code(), trustDevice: 'on' });
  for (const page of ['settings', 'add-number', 'recovery-codes', 'step-up'])
    pages[page] = await open(browser, page, headers);
  return pages;
}

const localeOf = ({ text }: Answer): string => /<html lang="([^"]+)"/.exec(text)?.[1] ?? '';

describe('the option', () => {
  it('csrf is in every form, with the token of the request', async () => {
    let count = 0;
    const token = (): string => `"token" ${(count += 1)}`;
    const test = await start({ csrf: { field: '_csrf', token } });
    const pages = await openAll(test);
    for (const [page, { text }] of Object.entries(pages)) {
      const forms = Array.from(text.matchAll(/<form[\s\S]*?<\/form>/g), ([form]) => form);
      expect([page, forms.length > 0]).toEqual([page, true]);
      for (const form of forms) expect(form).toMatch(/name="_csrf" value="&quot;token&quot; \d+"/);
    }
    expect(count).toBe(Object.keys(pages).length);
  });

  it('csrf that throws or gives no string is an error for the app, and no page without it', async () => {
    for (const token of [
      () => {
        throw new Error('no session');
      },
      () => undefined,
    ] as unknown as readonly (() => never)[]) {
      const test = await start({ csrf: { field: '_csrf', token } });
      const browser = test.browser();
      await enterPassword(browser);
      for (const page of ['code', 'other-ways', 'recovery-code', 'factor-totp']) {
        const { status, text } = await open(browser, page);
        expect([page, status, text.includes('<form')]).toEqual([page, 500, false]);
      }
      // A refusal needs no token.
      const foreign = { 'sec-fetch-site': 'cross-site' };
      expect((await submit(browser, 'code', {}, foreign)).status).toBe(403);
      expect(test.errors).toHaveLength(4);
      await test.close();
    }
  });

  it('help is linked on every page', async () => {
    const pages = await openAll(await start({ help: 'https://help.example/?a=1&b=2' }));
    for (const [page, { text }] of Object.entries(pages)) {
      const links = text.split('href="https://help.example/?a=1&amp;b=2"').length - 1;
      expect([page, links]).toEqual([page, 1]);
    }
  });

  it('logo, accent and stylesheet are in every page, the stylesheet last', async () => {
    const pages = await openAll(
      await start({ logo: '/my.svg', accent: '#aa0000', stylesheet: 'https://c.example/x.css' }),
    );
    for (const { text } of Object.values(pages)) {
      expect(text).toContain('src="/my.svg"');
      expect(Array.from(text.matchAll(/rel="stylesheet" href="([^"]+)"/g), ([, at]) => at)).toEqual(
        ['pages.css', 'accent.css', 'https://c.example/x.css'],
      );
    }
  });

  it('texts replaces sentences of one locale', async () => {
    const test = await start({ texts: { de: { 'code.login.title': 'Her mit dem <Code>' } } });
    const browser = test.browser();
    await enterPassword(browser);
    const german = await open(browser, 'code', { 'accept-language': 'de' });
    expect(german.text).toContain('Her mit dem &lt;Code&gt;');
    expect((await open(browser, 'code')).text).toContain('Enter your code');
  });

  it('replace changes the body of one page, and gets what ours gets', async () => {
    const seen: unknown[] = [];
    const test = await start({
      replace: {
        code: (page, req) => {
          seen.push([page.state, page.digits, req.path]);
          return '<p id="mine">mine</p>';
        },
      },
    });
    const browser = test.browser();
    await enterPassword(browser);
    const { text } = await open(browser, 'code');
    expect(text).toContain('<p id="mine">mine</p>');
    expect(text).toContain('<title>Enter your code – Harbour</title>');
    expect(text).not.toContain('<form');
    expect(seen).toEqual([['sent', '23', '/code']]);
    expect((await open(browser, 'other-ways')).text).not.toContain('mine');
  });

  it.each([
    ['replace', { replace: { code: () => undefined } }, 'replace.code must return a string'],
    [
      'replace',
      { replace: { code: () => Promise.resolve('x') } },
      'replace.code must return a string',
    ],
    ['layout', { layout: () => undefined }, 'layout must return a string'],
    ['layout', { layout: () => Promise.resolve('x') }, 'layout must return a string'],
  ])('%s that returns no string says so', async (_name, pages, message) => {
    // As an app without types writes it.
    const test = await start(pages as unknown as PagesOptions);
    const browser = test.browser();
    await enterPassword(browser);
    expect((await open(browser, 'code')).status).toBe(500);
    expect(String(test.errors[0])).toContain(message);
  });

  it('layout gets title, body and page, and makes the document', async () => {
    const test = await start({
      layout: ({ title, body, page }) => `<main data-page="${page.name}">${title}|${body}</main>`,
      replace: { message: () => 'my message' },
    });
    const pages = await openAll(test);
    for (const [name, { text, headers }] of Object.entries(pages)) {
      expect(text).toMatch(/^<main data-page="[a-z-]+">[^|]+\|[\s\S]*<h1>/);
      expect([name, headers['x-frame-options']]).toEqual([name, 'DENY']);
    }
    const foreign = { 'sec-fetch-site': 'cross-site' };
    const refused = await submit(test.browser(), 'code', {}, foreign);
    expect(refused.text).toContain('|my message</main>');
  });
});

describe('the locale', () => {
  const askIn = async (pages: PagesOptions, header?: string): Promise<string> => {
    const test = await start(pages);
    const browser = test.browser();
    await enterPassword(browser);
    const page = await open(
      browser,
      'code',
      header === undefined ? {} : { 'accept-language': header },
    );
    expect(page.status).toBe(200);
    await test.close();
    return localeOf(page);
  };

  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9', 'de'],
    ['xx, fr;q=0.5', 'fr'],
    ['fr;q=0.5, de;q=0.9', 'de'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-Hans-SG', 'zh-Hans'],
    ['zh-TW', 'en'],
    ['zh-TW, ja;q=0.5', 'ja'],
    ['zh-Hant', 'en'],
    ['zh-HK', 'en'],
    ['PT-br', 'pt'],
    ['ar', 'ar'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['*', 'en'],
    ['', 'en'],
    ['xx', 'en'],
    [';;;=,,, q', 'en'],
    ['<script>', 'en'],
    ['d'.repeat(5000), 'en'],
    ['__proto__, constructor', 'en'],
    [undefined, 'en'],
  ])('of Accept-Language %j is %s', async (header, locale) => {
    expect(await askIn({}, header)).toBe(locale);
  });

  it.each<[string, PagesOptions['locale'], string]>([
    ['fixed', 'ja', 'ja'],
    ['a function', () => 'fr', 'fr'],
    ['a function with a region', () => 'fr-CA', 'fr'],
    ['a function with a locale that we have not', () => 'xx', 'en'],
    ['a function with traditional Chinese', () => 'zh-TW', 'en'],
    ['a function that leaves it to the browser', () => undefined, 'de'],
    ['a function that leaves it to the browser by null', () => null, 'de'],
    ['a function that leaves it to the browser by nothing', () => '', 'de'],
    ['a function of the request', (req) => String(req.headers.host).slice(0, 0) + 'it', 'it'],
  ])('as %s', async (_title, locale, expected) => {
    expect(await askIn({ locale }, 'de')).toBe(expected);
  });

  it('by a function that throws is an error for the app', async () => {
    const test = await start({
      locale: () => {
        throw new Error('no profile');
      },
    });
    const browser = test.browser();
    await enterPassword(browser);
    expect((await open(browser, 'code')).status).toBe(500);
    await logIn(test, browser);
    expect((await open(browser, 'settings')).status).toBe(500);
    expect((await submit(browser, 'code', {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      500,
    );
    expect(test.errors.map(String)).toContain('Error: no profile');
  });

  it('is one of those of the messages', async () => {
    const test = await apps.start(
      everything({}, { messages: { locales: ['en', 'de'], defaultLocale: 'de' } }),
    );
    const browser = test.browser();
    await enterPassword(browser);
    const seen = [];
    for (const header of ['fr', 'en', 'de-CH'])
      seen.push(localeOf(await open(browser, 'code', { 'accept-language': header })));
    expect(seen).toEqual(['de', 'en', 'de']);
  });
});

describe('the pages', () => {
  it('show recovery codes with every option', async () => {
    const test = await start({
      locale: 'ar',
      accent: '#123',
      csrf: { field: 'c', token: () => 't' },
    });
    const browser = test.browser();
    await logIn(test, browser);
    expect(await makeCodes(browser)).toHaveLength(10);
  });

  it('take what createSmsOtp returned, and nothing that looks like it', () => {
    const looks = { settings: { paths: undefined } } as unknown as SmsOtp;
    expect(() => smsOtpPages(looks)).toThrow(TypeError);
  });
});
