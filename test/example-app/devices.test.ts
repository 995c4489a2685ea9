import { beforeEach, describe, expect, it } from '@jest/globals';
import { useSite } from './site';
import { readPin, readToken, Visitor } from './visitor';

const COOKIE = '__Host-sms-otp-device';
const DAY_SECONDS = 86_400;

describe('the trusted devices of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);

  beforeEach(async () => {
    await visitor.givePassword();
    const page = await visitor.open('/second-factor/code');
    const form = { _csrf: readToken(page), pin: readPin(site), trustDevice: 'on' };
    await visitor.post('/second-factor/code', form);
    site.advanceSeconds(60);
  });

  async function comeBack(): Promise<string | undefined> {
    await visitor.submit('/account', '/logout');
    return (await visitor.givePassword()).headers.location;
  }

  it('ask for the password alone, as long as the page of the code has said', async () => {
    expect(visitor.cookie(COOKIE)).toBeDefined();
    expect(await comeBack()).toBe('/account');
    expect((await visitor.open('/account')).text).toContain('Password on a trusted device');
    expect(site.simulator.outbox).toHaveLength(1);
    site.advanceSeconds(30 * DAY_SECONDS);
    // The login has ended by then as well.
    expect((await visitor.open('/account')).headers.location).toBe('/login');
    expect((await visitor.givePassword()).headers.location).toBe('/second-factor/code');
  });

  it('are not those on which nobody has asked for it', async () => {
    const other = new Visitor(site);
    await other.logIn();
    expect(other.cookie(COOKIE)).toBeUndefined();
  });

  it('open the account and not the settings', async () => {
    await comeBack();
    expect((await visitor.open('/settings')).headers.location).toBe('/second-factor/step-up');
    await visitor.submit('/second-factor/step-up', '/second-factor/step-up');
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/settings');
  });

  it('are listed and forgotten in the settings', async () => {
    const page = await visitor.open('/second-factor/settings');
    const deviceId = /name="deviceId" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect(page.text).toContain('Trusted since ');
    const answer = await visitor.submit('/account', '/second-factor/forget-device', { deviceId });
    expect(answer.headers.location).toBe('/second-factor/settings');
    expect((await visitor.open('/second-factor/settings')).text).toContain('None yet.');
    expect(await comeBack()).toBe('/second-factor/code');
  });

  it('are forgotten all at once', async () => {
    await visitor.submit('/account', '/second-factor/forget-device', { deviceId: 'all' });
    expect(await comeBack()).toBe('/second-factor/code');
  });

  it('are trusted no more after a change of numbers', async () => {
    await visitor.submit('/settings', '/second-factor/add-number', { phone: '+12025550130' });
    await visitor.answerCode(readPin(site, '+12025550130'));
    site.advanceSeconds(60);
    expect(await comeBack()).toBe('/second-factor/code');
  });

  it('are worth nothing once their cookie was copied and used', async () => {
    const thief = new Visitor(site);
    thief.setCookie(COOKIE, visitor.cookie(COOKIE) ?? '');
    await comeBack();
    site.advanceSeconds(60);
    expect((await thief.givePassword()).headers.location).toBe('/second-factor/code');
    expect((await visitor.open('/account')).headers.location).toBe('/login');
  });
});
