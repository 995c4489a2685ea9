import { beforeEach, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import type { Response } from 'supertest';
import { useSite } from './site';
import { readNotice, readPin, readToken, readWrongPin, Visitor } from './visitor';

const PAGE = '/settings/authenticator-app';

describe('the authenticator app of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);
  beforeEach(() => visitor.logIn());

  const show = (key: string): string =>
    new TOTP({ secret: key }).generate({ timestamp: site.now() });
  const wrong = (key: string): string =>
    String((Number(show(key)) + 1) % 1_000_000).padStart(6, '0');

  function readKey({ text }: Response): string {
    return (/<p class="key" dir="ltr"><code>([^<]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '');
  }

  async function setUp(who = visitor): Promise<string> {
    const key = readKey(await who.open(PAGE));
    expect((await who.submit(PAGE, PAGE, { pin: show(key) })).headers.location).toBe(
      '/settings?app-added',
    );
    site.advanceSeconds(60);
    return key;
  }

  /** Gives the password in another browser. */
  async function begin(username = 'alice'): Promise<Visitor> {
    const other = new Visitor(site);
    await other.givePassword(username);
    return other;
  }

  const give = (who: Visitor, pin: string): Promise<Response> =>
    who.submit('/second-factor/code', '/second-factor/factor-totp', { pin });

  it('is set up by one right code; until then logins are texted', async () => {
    const page = await visitor.open(PAGE);
    const key = readKey(page);
    expect(key).toMatch(/^[A-Z2-7]{32}$/);
    expect(page.text).toContain(`secret=${key}`);
    expect(page.text).toMatch(/<svg [^>]*viewBox/);
    const refused = await visitor.submit(PAGE, PAGE, { pin: wrong(key) });
    expect(refused.headers.location).toBe(`${PAGE}?wrong-code`);
    const again = await visitor.open(`${PAGE}?wrong-code`);
    expect(readNotice(again)).toContain('That code is not correct.');
    expect(readKey(again)).toBe(key);
    site.advanceSeconds(60);
    await begin();
    expect(site.simulator.outbox).toHaveLength(2);
    expect((await visitor.submit(PAGE, PAGE, { pin: show(key) })).headers.location).toBe(
      '/settings?app-added',
    );
    const settings = await visitor.open('/settings?app-added');
    expect(readNotice(settings)).toBe('Your authenticator app is set up.');
    expect(settings.text).not.toContain(key);
    expect((await visitor.open(PAGE)).headers.location).toBe('/settings');
  });

  it('logs in without a text, and the account says by what', async () => {
    const key = await setUp();
    const other = await begin();
    expect(site.simulator.outbox).toHaveLength(1);
    const page = await other.open('/second-factor/code');
    expect(page.text).toContain('href="factor-totp">Use your authenticator app</a>');
    expect(page.text).not.toContain('Code from the text message');
    expect(
      (await give(other, ` ${show(key).slice(0, 3)} ${show(key).slice(3)}`)).headers.location,
    ).toBe('/account');
    expect((await other.open('/account')).text).toContain('Password and authenticator app');
    expect((await other.open('/settings')).status).toBe(200);
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('opens nothing twice with one code, nor with the one that set it up', async () => {
    const key = readKey(await visitor.open(PAGE));
    const code = show(key);
    await visitor.submit(PAGE, PAGE, { pin: code });
    const other = await begin();
    const refused = await give(other, code);
    expect(refused.headers.location).toBe('/second-factor/factor-totp');
    const page = await other.open('/second-factor/factor-totp');
    expect(readNotice(page)).toContain('That code is not correct.');
    expect(page.text).not.toContain('Attempts left');
    site.advanceSeconds(30);
    expect((await give(other, show(key))).headers.location).toBe('/account');
    const another = await begin();
    expect((await give(another, show(key))).headers.location).toBe('/second-factor/factor-totp');
  });

  it('opens nothing for another user', async () => {
    const key = await setUp();
    const bob = await begin('bob');
    expect((await bob.open('/second-factor/code')).text).not.toContain(
      '/second-factor/factor-totp',
    );
    expect((await give(bob, show(key))).headers.location).toBe('/second-factor/factor-totp');
    expect((await bob.open('/account')).headers.location).toBe('/second-factor/code');
  });

  it('leaves the text to those who ask for one, and its form beside the other', async () => {
    const key = await setUp();
    const other = await begin();
    await other.submit('/second-factor/code', '/second-factor/resend');
    expect(site.simulator.outbox).toHaveLength(2);
    const page = await other.open('/second-factor/code');
    expect(page.text).toContain('Code from the text message');
    expect((await other.open('/second-factor/other-ways')).text).toContain('href="factor-totp"');
    expect((await other.giveCode(readWrongPin(site))).headers.location).toBe('/second-factor/code');
    expect((await other.open('/second-factor/code')).text).toContain('Attempts left: 4.');
    expect((await give(other, wrong(key))).headers.location).toBe('/second-factor/factor-totp');
    const refused = await other.open('/second-factor/factor-totp');
    expect(readNotice(refused)).toContain('That code is not correct.');
    expect((await other.giveCode(readPin(site))).headers.location).toBe('/account');
  });

  it('opens the settings again when the last code is too old', async () => {
    const key = await setUp();
    site.advanceSeconds(301);
    expect((await visitor.open('/settings')).headers.location).toBe('/second-factor/step-up');
    expect((await visitor.open('/second-factor/step-up')).text).toContain(
      'confirm once more that it’s you',
    );
    expect(
      (await visitor.submit('/second-factor/step-up', '/second-factor/step-up')).headers.location,
    ).toBe('/second-factor/code');
    expect((await give(visitor, show(key))).headers.location).toBe('/settings');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('does not approve a transfer', async () => {
    const key = await setUp();
    await visitor.submit('/transfer', '/transfer', { payee: 'Marina Books', amount: '25.00' });
    expect(site.simulator.outbox).toHaveLength(2);
    const page = await visitor.open('/transfer/code');
    expect(page.text).not.toContain('factor-totp');
    const forced = { _csrf: readToken(page), pin: show(key) };
    const answer = await visitor.post('/second-factor/factor-totp', forced);
    expect(answer.headers.location).toBe('/second-factor/factor-totp');
    expect((await visitor.open('/account')).text).not.toContain('Marina Books');
  });

  it('is set up and removed behind a fresh code alone', async () => {
    const key = readKey(await visitor.open(PAGE));
    const stranger = await begin('bob');
    expect((await stranger.open(PAGE)).headers.location).toBe('/second-factor/code');
    expect(
      (await stranger.submit('/second-factor/code', PAGE, { pin: show(key) })).headers.location,
    ).toBe('/settings');
    await setUp();
    site.advanceSeconds(301);
    const removal = await visitor.submit('/account', `${PAGE}/remove`);
    expect(removal.headers.location).toBe('/settings');
    expect((await visitor.open(PAGE)).headers.location).toBe('/second-factor/step-up');
    await begin();
    expect(site.simulator.outbox).toHaveLength(2);
  });

  it('is removed, which logs out the other browsers, and from then on logins are texted', async () => {
    const key = await setUp();
    const other = await begin();
    await give(other, show(key));
    const answer = await visitor.submit('/settings', `${PAGE}/remove`);
    expect(answer.headers.location).toBe('/settings?app-removed');
    expect(readNotice(await visitor.open('/settings?app-removed'))).toContain('has been removed');
    expect((await other.open('/account')).headers.location).toBe('/login');
    site.advanceSeconds(60);
    const another = await begin();
    expect(site.simulator.outbox).toHaveLength(2);
    expect((await give(another, show(key))).headers.location).toBe('/second-factor/factor-totp');
    expect(readKey(await visitor.open(PAGE))).not.toBe(key);
  });

  it('is closed after five wrong codes of one login', async () => {
    const key = await setUp();
    const other = await begin();
    for (let attempt = 0; attempt < 5; attempt += 1) await give(other, wrong(key));
    const page = await other.open('/second-factor/factor-totp');
    expect(readNotice(page)).not.toBeNull();
    expect((await give(other, show(key))).headers.location).toBe('/second-factor/factor-totp');
    expect((await other.open('/account')).headers.location).toBe('/second-factor/code');
  });
});
