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
      expect((await visitor.open(path)).headers.location).toBe('/enroll');
    expect((await visitor.open('/settings')).headers.location).toBe('/step-up');
    expect((await visitor.open('/step-up')).headers.location).toBe('/enroll');
    expect((await visitor.open('/enroll')).status).toBe(200);
  });

  it('opens the account with the code of the first number', async () => {
    expect(
      (await visitor.submit('/enroll', '/enroll', { phone: CAROL_PHONE })).headers.location,
    ).toBe('/login/pin');
    expect((await visitor.open('/login/pin')).text).toContain('Confirm your number');
    expect((await visitor.answerCode(readPin(site, CAROL_PHONE))).headers.location).toBe(
      '/settings?confirmed',
    );
    expect((await visitor.open('/account')).text).toContain('Hello, Carol');
    expect((await visitor.open('/enroll')).headers.location).toBe('/settings');
    const again = new Visitor(site);
    expect((await again.logIn('carol', CAROL_PHONE)).headers.location).toBe('/account');
  });

  it('goes on to the page that was wanted', async () => {
    await visitor.open('/transfer');
    await visitor.submit('/enroll', '/enroll', { phone: CAROL_PHONE });
    expect((await visitor.answerCode(readPin(site, CAROL_PHONE))).headers.location).toBe(
      '/transfer',
    );
  });

  it.each([
    ['en', 'By sending your number you agree to get codes', 'How we use your number'],
    ['de', 'Mit dem Absenden stimmen Sie zu', 'Wie wir Ihre Nummer verwenden'],
    ['ar', 'بإرسال رقمك توافق', 'كيف نستخدم رقمك'],
    ['ja', '同意したことになります', '電話番号の利用について'],
  ])('says in %s beside the field what is agreed to, with a link', async (locale, words, title) => {
    visitor.setCookie('harbour-language', locale);
    const { text } = await visitor.open('/enroll');
    const [, consent = ''] = /<p class="hint" id="phone-consent">(.*?)<\/p>/.exec(text) ?? [];
    expect(consent).toContain(words);
    expect(consent).toContain(`<a href="/privacy">${title}</a>`);
    expect(text).toContain('aria-describedby="phone-hint phone-consent"');
    const page = await visitor.open('/privacy');
    expect([page.status, page.text.includes(`<h1>${title}</h1>`)]).toEqual([200, true]);
  });

  it('says what is wrong with a number', async () => {
    await visitor.submit('/enroll', '/enroll', { phone: 'call me' });
    const page = await visitor.open('/enroll');
    // How a number is written says the hint, which takes more than the library's sentence does.
    expect(readNotice(page)).toBe('That doesn’t look like a phone number. Check it and try again.');
    expect(page.text).toContain('For example 202\u00a0555\u00a00188, or +1');
  });

  it('offers no page that does not open yet', async () => {
    const links = async (path: string): Promise<readonly string[]> =>
      [...(await visitor.open(path)).text.matchAll(/<a[^>]* href="(\/[^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => /^\/(account|transfer|settings|enroll)$/.test(href));
    expect(await links('/enroll')).toEqual([]);
    expect(await links('/')).toEqual(['/enroll', '/transfer', '/settings']);
    await visitor.submit('/enroll', '/enroll', { phone: CAROL_PHONE });
    expect(await links('/login/pin')).toEqual([]);
    await visitor.answerCode(readPin(site, CAROL_PHONE));
    expect(await links('/account')).toEqual(expect.arrayContaining(['/transfer', '/settings']));
    expect(await links('/')).toContain('/account');
  });

  it('needs a code once another session has confirmed a number', async () => {
    const other = new Visitor(site);
    await other.givePassword('carol');
    await other.submit('/enroll', '/enroll', { phone: CAROL_PHONE });
    const form = await visitor.open('/enroll');
    await other.answerCode(readPin(site, CAROL_PHONE));
    const sent = site.simulator.outbox.length;
    await visitor.post('/enroll', { _csrf: readToken(form), phone: '+12025550141' });
    expect(site.simulator.outbox).toHaveLength(sent);
    expect((await visitor.open('/account')).headers.location).toBe('/login');
  });
});
