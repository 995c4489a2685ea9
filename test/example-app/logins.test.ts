import { beforeEach, describe, expect, it } from '@jest/globals';
import { BOB_PHONE, useSite } from './site';
import { readNotice, readPin, readToken, Visitor } from './visitor';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** The ids of the logins that a visitor may end. */
async function readLoginIds(visitor: Visitor): Promise<string[]> {
  const { text } = await visitor.open('/second-factor/settings');
  return Array.from(text.matchAll(/name="loginId" value="([^"]+)"/g), ([, id = '']) => id);
}

describe('the logins of the example app', () => {
  const site = useSite();
  const [elsewhere, visitor] = [new Visitor(site), new Visitor(site, FIREFOX)];

  beforeEach(async () => {
    await elsewhere.logIn();
    site.advanceSeconds(60);
    await visitor.logIn();
  });

  async function endElsewhere(): Promise<void> {
    const [loginId = ''] = await readLoginIds(visitor);
    const answer = await visitor.submit('/account', '/second-factor/end-login', { loginId });
    expect(answer.headers.location).toBe('/second-factor/settings');
  }

  async function expectEnded(ended: Visitor, page: string, refusal: string): Promise<void> {
    expect((await ended.open(page)).headers.location).toBe(refusal);
    if (refusal !== '/login') expect((await ended.open(refusal)).headers.location).toBe('/login');
    const login = await ended.open('/login');
    expect(readNotice(login)).toBe('This login has ended. Please log in again.');
    expect(login.text).not.toContain('/logout');
  }

  it('are listed with the device of each, the newest first, and the one of this browser is marked', async () => {
    const { text } = await visitor.open('/second-factor/settings');
    const list = text.slice(text.indexOf('Where you are logged in'));
    const shown = list.match(/Firefox, Windows|This device<|Unknown device|Log out this device/g);
    expect(shown).toEqual([
      'Firefox, Windows',
      'This device<',
      'Unknown device',
      'Log out this device',
    ]);
    expect(list).toMatch(/Logged in: <time .+<br \/>\s+Last seen: <time /);
    expect(list).toContain('Log out everywhere else');
  });

  it.each([
    ['/account', '/login'],
    ['/settings', '/login'],
  ])(
    'are ended from elsewhere: the next request of %s logs out and says so',
    async (page, refusal) => {
      await endElsewhere();
      expect(await readLoginIds(visitor)).toEqual([]);
      await expectEnded(elsewhere, page, refusal);
      expect((await visitor.open('/account')).status).toBe(200);
      site.advanceSeconds(60);
      expect((await elsewhere.logIn()).headers.location).toBe(page);
    },
  );

  it('are ended while a page waits for a code: the code is not asked for again', async () => {
    site.advanceSeconds(60);
    await elsewhere.submit('/second-factor/step-up', '/second-factor/step-up');
    const _csrf = readToken(await elsewhere.open('/second-factor/code'));
    const pin = readPin(site);
    await endElsewhere();
    const answer = await elsewhere.post('/second-factor/code', { _csrf, pin });
    expect(answer.headers.location).toBe('/second-factor/code');
    await expectEnded(elsewhere, '/transfer', '/login');
  });

  it('are ended everywhere else at once, and this one stays', async () => {
    site.advanceSeconds(60);
    const third = new Visitor(site);
    await third.logIn();
    const answer = await visitor.submit('/account', '/second-factor/end-logins');
    expect(answer.headers.location).toBe('/second-factor/settings');
    const page = await visitor.open('/second-factor/settings');
    expect(page.text).not.toContain('Log out everywhere else');
    await expectEnded(elsewhere, '/account', '/login');
    await expectEnded(third, '/account', '/login');
  });

  it('end with the logout', async () => {
    expect(await readLoginIds(visitor)).toHaveLength(1);
    await elsewhere.submit('/account', '/logout');
    expect(await readLoginIds(visitor)).toEqual([]);
  });

  it('are ended with the id of one’s own login alone', async () => {
    const bob = new Visitor(site);
    await bob.logIn('bob', BOB_PHONE);
    const [loginId = ''] = await readLoginIds(visitor);
    await bob.submit('/account', '/second-factor/end-login', { loginId });
    expect((await elsewhere.open('/account')).status).toBe(200);
  });

  it('are not ended by a browser whose code is too old', async () => {
    const [loginId = ''] = await readLoginIds(visitor);
    const _csrf = readToken(await visitor.open('/settings'));
    site.advanceSeconds(301);
    for (const action of ['/second-factor/end-login', '/second-factor/end-logins'])
      expect((await visitor.post(action, { _csrf, loginId })).headers.location).toBe(
        '/second-factor/confirm',
      );
    expect((await elsewhere.open('/account')).status).toBe(200);
  });

  it('are known as long as they last: the page of the login leads to the account', async () => {
    site.advanceSeconds(3_600);
    expect((await visitor.open('/login')).headers.location).toBe('/account');
    expect((await visitor.open('/account')).status).toBe(200);
  });

  it('of a user without a number end as well', async () => {
    const carol = new Visitor(site);
    await carol.givePassword('carol');
    const _csrf = readToken(await carol.open('/second-factor/add-number'));
    const other = new Visitor(site);
    await other.givePassword('carol');
    await other.submit('/second-factor/add-number', '/second-factor/add-number', {
      phone: '+12025550130',
    });
    await other.answerCode(readPin(site, '+12025550130'));
    const sent = site.simulator.outbox.length;
    await expectEnded(carol, '/account', '/login');
    const refused = await carol.post('/second-factor/add-number', { _csrf, phone: '+12025550131' });
    expect(refused.status).toBe(303);
    expect(site.simulator.outbox).toHaveLength(sent);
  });
});
