import { describe, expect, it } from '@jest/globals';
import { useSite } from './site';
import { readNotice, readPin, Visitor } from './visitor';

describe('what the example app refuses', () => {
  const site = useSite();
  const visitor = new Visitor(site);

  it.each([
    ['a wrong password', 'alice', 'wrong'],
    ['an unknown user', 'mallory', 'demo-password'],
    ['no user name', '', 'demo-password'],
    ['no password', 'alice', ''],
  ])('says the same about %s, and texts nobody', async (_what, username, password) => {
    const answer = await visitor.givePassword(username, password);
    expect(answer.headers.location).toBe('/login');
    const page = await visitor.open('/login');
    expect(readNotice(page)).toBe('Wrong user name or password.');
    expect(site.simulator.outbox).toHaveLength(0);
  });

  it('takes a password that came twice for a wrong one', async () => {
    const page = await visitor.submit('/login', '/login?password=x&password=y', {
      username: 'alice',
    });
    expect(page.headers.location).toBe('/login');
  });

  it('texts no second code within the resend gap', async () => {
    await visitor.givePassword();
    expect(
      (await visitor.submit('/second-factor/code', '/second-factor/resend')).headers.location,
    ).toBe('/second-factor/code');
    expect(readNotice(await visitor.open('/second-factor/code'))).toContain(
      'too soon to send another message',
    );
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('texts a second code after the gap, which then is the one that counts', async () => {
    await visitor.givePassword();
    site.advanceSeconds(60);
    await visitor.submit('/second-factor/code', '/second-factor/resend');
    expect(site.simulator.outbox).toHaveLength(2);
    expect((await visitor.giveCode(readPin(site))).headers.location).toBe('/account');
  });

  it('says when no further code can be sent', async () => {
    await visitor.givePassword();
    for (let sends = 2; sends <= 3; sends += 1) {
      site.advanceSeconds(130);
      await visitor.submit('/second-factor/code', '/second-factor/resend');
    }
    const page = await visitor.open('/second-factor/code');
    expect(page.text).toContain('We can’t send you any more messages this time.');
    expect(page.text).not.toContain('action="resend"');
  });

  it('knows an expired code, and does not take it', async () => {
    await visitor.givePassword();
    const pin = readPin(site);
    site.advanceSeconds(301);
    expect((await visitor.giveCode(pin)).headers.location).toBe('/second-factor/code');
    expect(readNotice(await visitor.open('/second-factor/code'))).toContain('expired');
    expect((await visitor.open('/account')).status).toBe(303);
  });

  it('forgets the login at cancel', async () => {
    await visitor.givePassword();
    expect(
      (await visitor.submit('/second-factor/code', '/second-factor/cancel')).headers.location,
    ).toBe('/login');
    expect((await visitor.open('/second-factor/code')).text).toContain('the login has ended');
  });

  it('sends those without a code to the page they need', async () => {
    expect((await visitor.open('/second-factor/code')).text).toContain('href="/login"');
    expect((await visitor.open('/second-factor/step-up')).headers.location).toBe('/login');
    expect((await visitor.open('/account')).headers.location).toBe('/login');
    await visitor.logIn();
    expect((await visitor.open('/login')).headers.location).toBe('/account');
    expect((await visitor.open('/second-factor/code')).text).toContain(
      'class="button" href="/account"',
    );
  });

  it('asks for a login and then opens the page that was wanted', async () => {
    await visitor.open('/transfer');
    expect((await visitor.logIn()).headers.location).toBe('/transfer');
  });

  it('closes the account at logout', async () => {
    await visitor.logIn();
    expect((await visitor.submit('/account', '/logout')).headers.location).toBe('/?logged-out');
    expect(readNotice(await visitor.open('/?logged-out'))).toBe('You are logged out.');
    expect((await visitor.open('/account')).headers.location).toBe('/login');
  });
});
