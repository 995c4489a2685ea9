import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { LOCALES, TEXTS } from '../../example-app/i18n';
import { useSharedSite } from './site';
import { Visitor } from './visitor';

const KEYS = Object.keys(TEXTS.en) as (keyof typeof TEXTS.en)[]; // an object of these keys alone

function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/\{\w+\}/g), ([name]) => name).sort();
}

describe.each(LOCALES)('the texts of the example app in %s', (locale) => {
  it('are complete, each with what is to be filled in, and nothing else', () => {
    expect(Object.keys(TEXTS[locale])).toEqual(KEYS);
    for (const key of KEYS) {
      const text = TEXTS[locale][key];
      expect(text.trim()).not.toBe('');
      expect([key, namesIn(text)]).toEqual([key, namesIn(TEXTS.en[key])]);
    }
  });

  it('are no copy of the English ones', () => {
    const copies = KEYS.filter((key) => TEXTS[locale][key] === TEXTS.en[key]);
    expect(copies.length).toBeLessThan(locale === 'en' ? Infinity : 6);
  });
});

describe('the language of the example app', () => {
  const site = useSharedSite();

  it.each([
    ['de-AT', '<html lang="de" dir="ltr">', 'Anmelden'],
    ['ar-EG,en;q=0.5', '<html lang="ar" dir="rtl">', 'تسجيل الدخول'],
    ['tlh, ja;q=0.8', '<html lang="ja" dir="ltr">', 'ログイン'],
    ['zh-CN', '<html lang="en" dir="ltr">', 'Log in'],
    ['*', '<html lang="en" dir="ltr">', 'Log in'],
    ['', '<html lang="en" dir="ltr">', 'Log in'],
  ])('is what the browser asks for: %s', async (wanted, html, word) => {
    const { text } = await request(site.app).get('/login').set('Accept-Language', wanted);
    expect(text).toContain(html);
    expect(text).toContain(`<h1>${word}</h1>`);
  });

  it('is what was chosen, on every page and in the text message, and leads back', async () => {
    const visitor = new Visitor(site);
    const { headers } = await visitor.open('/language/ja?back=%2Flogin%3Fout-of-date');
    expect(headers.location).toBe('/login?out-of-date');
    expect((await visitor.open('/login')).text).toContain('ユーザー名');
    await visitor.givePassword();
    expect((await visitor.open('/second-factor/code')).text).toContain(
      '<html lang="ja" dir="ltr">',
    );
    expect(site.simulator.outbox.at(-1)?.text).toContain('他人に教えないでください');
    expect((await visitor.open('/no-such-page')).text).toContain('このページはありません');
  });

  it.each([
    '//evil.example',
    '//evil.example/account',
    'https://evil.example/',
    '/\\evil.example',
    '/..//evil.example',
    'login',
  ])('leads to this site alone: %s', async (back) => {
    const { headers } = await request(site.app).get('/language/de').query({ back });
    expect(headers.location).toBe('/');
  });

  it.each(['xx', 'constructor', 'de%0d%0aSet-Cookie:a=b'])(
    'is none but those there are: %s',
    async (locale) => {
      const { headers } = await request(site.app).get(`/language/${locale}`);
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers.location).toBe('/');
    },
  );

  it('costs no session', async () => {
    const { headers } = await request(site.app).get('/language/de');
    expect(String(headers['set-cookie'])).toMatch(
      /^harbour-language=de; [^,]*, [^,]*HttpOnly; SameSite=Lax$/,
    );
  });
});
