import { beforeEach, describe, expect, it } from '@jest/globals';
import { useSite } from './site';
import { readNotice, readPin, readToken, Visitor } from './visitor';

const CAROL_PHONE = '+12025550140';

describe('the first login of a user without a number', () => {
  const site = useSite();
  const visitor = new Visitor(site);
  beforeEach(() => visitor.givePassword('carol'));

  it('texts nobody and opens nothing but the page that asks for a number', async () => {
    expect(site.simulator.outbox).toHaveLength(0);
    for (const path of ['/account', '/transfer'])
      expect((await visitor.open(path)).headers.location).toBe('/second-factor/step-up');
    expect((await visitor.open('/settings')).headers.location).toBe('/second-factor/step-up');
    expect((await visitor.open('/second-factor/step-up')).text).toContain('href="add-number"');
    expect((await visitor.open('/second-factor/add-number')).status).toBe(200);
  });

  it('opens the account with the code of the first number', async () => {
    expect(
      (
        await visitor.submit('/second-factor/add-number', '/second-factor/add-number', {
          phone: CAROL_PHONE,
        })
      ).headers.location,
    ).toBe('/second-factor/code');
    expect((await visitor.open('/second-factor/code')).text).toContain('Confirm your number');
    expect((await visitor.answerCode(readPin(site, CAROL_PHONE))).headers.location).toBe(
      '/second-factor/settings',
    );
    expect((await visitor.open('/account')).text).toContain('Hello, Carol');
    const again = new Visitor(site);
    expect((await again.logIn('carol', CAROL_PHONE)).headers.location).toBe('/account');
  });

  it('goes on to the page that was wanted', async () => {
    await visitor.open('/transfer');
    await visitor.submit('/second-factor/add-number', '/second-factor/add-number', {
      phone: CAROL_PHONE,
    });
    expect((await visitor.answerCode(readPin(site, CAROL_PHONE))).headers.location).toBe(
      '/transfer',
    );
  });

  it.each([
    ['en', 'By sending your number you agree to get codes', 'How we use your number'],
    ['de', 'Mit dem Absenden stimmen Sie zu', 'Wie wir Ihre Nummer verwenden'],
    ['ar', 'بإرسال رقمك توافق', 'كيف نستخدم رقمك'],
    ['ja', '同意したことになります', '電話番号の利用について'],
  ])(
    'says in %s below the field what is agreed to, with a link at the foot',
    async (locale, words, title) => {
      visitor.setCookie('harbour-language', locale);
      const { text } = await visitor.open('/second-factor/add-number');
      const form = /<\/form>\s*<p class="aside">([^<]*)</.exec(text)?.[1];
      expect(form).toContain(words);
      expect(text).toContain(`<a href="/privacy">${title}</a>`);
      const page = await visitor.open('/privacy');
      expect([page.status, page.text.includes(`<h1>${title}</h1>`)]).toEqual([200, true]);
    },
  );

  it('says what is wrong with a number', async () => {
    const form = '/second-factor/add-number';
    const page = await visitor.submit(form, form, { phone: 'call me' });
    expect(readNotice(page)).toContain('That does not look like a phone number.');
    expect(page.text).toContain('Like you dial it, or with its country code.');
  });

  it('offers no page that does not open yet', async () => {
    const links = async (path: string): Promise<readonly string[]> =>
      [...(await visitor.open(path)).text.matchAll(/<a[^>]* href="(\/[^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => /^\/(account|transfer|settings|second-factor\/[\w-]+)$/.test(href));
    expect(await links('/second-factor/add-number')).toEqual(['/second-factor/settings']);
    expect((await visitor.open('/second-factor/settings')).status).toBe(200);
    expect(await links('/')).toEqual([
      '/second-factor/add-number',
      '/transfer',
      '/second-factor/settings',
    ]);
    await visitor.submit('/second-factor/add-number', '/second-factor/add-number', {
      phone: CAROL_PHONE,
    });
    expect(await links('/second-factor/code')).toEqual([]);
    await visitor.answerCode(readPin(site, CAROL_PHONE));
    expect(await links('/account')).toEqual(expect.arrayContaining(['/transfer', '/settings']));
    expect(await links('/')).toContain('/account');
  });

  it('needs a code once another session has confirmed a number', async () => {
    const other = new Visitor(site);
    await other.givePassword('carol');
    await other.submit('/second-factor/add-number', '/second-factor/add-number', {
      phone: CAROL_PHONE,
    });
    const form = await visitor.open('/second-factor/add-number');
    await other.answerCode(readPin(site, CAROL_PHONE));
    const sent = site.simulator.outbox.length;
    await visitor.post('/second-factor/add-number', {
      _csrf: readToken(form),
      phone: '+12025550141',
    });
    expect(site.simulator.outbox).toHaveLength(sent);
    expect((await visitor.open('/account')).headers.location).toBe('/login');
  });
});
