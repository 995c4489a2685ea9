import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../example-app/config';
import { openUsers } from '../../example-app/users';
import { startSite, type Site } from './site';
import { readNotice, readPin, readToken, Visitor } from './visitor';

describe('the password step of the example app', () => {
  let site: Site;
  let visitor: Visitor;

  beforeEach(async () => {
    site = await startSite();
    visitor = new Visitor(site);
  });

  afterEach(() => site.close());

  it('refuses a user name after twenty wrong passwords, the right one too, says for how long, and lets others in', async () => {
    const _csrf = readToken(await visitor.open('/login'));
    const guess = { _csrf, username: 'alice', password: 'wrong' };
    for (let time = 1; time <= 20; time += 1)
      expect((await visitor.post('/login', guess)).status).toBe(303);
    const answer = await visitor.post('/login', {
      ...guess,
      username: 'Alice',
      password: 'demo-password',
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(800);
    expect(readNotice(answer)).toBe('Too many wrong passwords. Try again in 15 min.');
    expect(answer.text).toContain('value="Alice"');
    expect((await visitor.givePassword('bob')).headers.location).toBe('/login/pin');
    expect(site.simulator.outbox).toHaveLength(1);
  });

  it('refuses an address after thirty wrong passwords, whatever the names', async () => {
    const _csrf = readToken(await visitor.open('/login'));
    for (let time = 1; time <= 30; time += 1) {
      expect(
        (await visitor.post('/login', { _csrf, username: `name-${time}`, password: 'wrong' }))
          .status,
      ).toBe(303);
    }
    expect((await visitor.givePassword()).status).toBe(429);
  });

  it('counts no right password', async () => {
    for (let time = 1; time <= 21; time += 1) {
      expect((await new Visitor(site).givePassword('carol')).headers.location).toBe('/account');
    }
  });

  it('keeps the user name after a wrong password, once, and never the password', async () => {
    await visitor.givePassword('alice', 'canary-password');
    const page = await visitor.open('/login?wrong-password');
    expect(page.text).toMatch(/<input id="username"[^>]* value="alice"/);
    expect(page.text).toMatch(/<input id="password"[^>]* autofocus/);
    expect(page.text).not.toContain('canary');
    expect((await visitor.open('/login')).text).not.toContain('value="alice"');
  });
});

describe('the pages of the example app', () => {
  let site: Site;
  let visitor: Visitor;

  beforeEach(async () => {
    site = await startSite();
    visitor = new Visitor(site);
  });

  afterEach(() => site.close());

  it('say that the ten minutes are over, to those who had begun alone', async () => {
    expect((await visitor.open('/login/pin')).headers.location).toBe('/login');
    await visitor.givePassword();
    site.advanceSeconds(601);
    expect((await visitor.open('/login/pin')).headers.location).toBe('/login?timed-out');
    expect(readNotice(await visitor.open('/login?timed-out'))).toContain('ten minutes');
  });

  it('understand a national number where one country alone is texted', async () => {
    await visitor.logIn();
    await visitor.submit('/settings', '/settings/phones', { phone: '(202) 555-0130' });
    expect(site.simulator.outbox.at(-1)?.mobile).toBe('+12025550130');
  });

  it('make recovery codes once for one form: a reload makes no second set', async () => {
    await visitor.logIn();
    const page = await visitor.open('/settings/recovery-codes');
    expect(page.text).toContain('all trusted devices will ask for a code again');
    const formId = /name="formId" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = { _csrf: readToken(page), formId };
    const made = await visitor.post('/settings/recovery-codes', form);
    const [code = ''] = /(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}/.exec(made.text) ?? [];
    expect((await visitor.post('/settings/recovery-codes', form)).headers.location).toBe(
      '/settings?codes-shown',
    );
    site.advanceSeconds(60);
    const other = new Visitor(site);
    await other.givePassword();
    const answer = await other.submit('/login/pin', '/login/recover', { recoveryCode: code });
    expect(answer.headers.location).toBe('/account');
  });

  it('say one thing to those who are locked out: no page asks for a code', async () => {
    for (let codes = 1; codes <= 2; codes += 1) {
      await visitor.givePassword();
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await visitor.submit('/login/pin', '/login/pin', {
          pin: readPin(site) === '000000' ? '111111' : '000000',
        });
      }
      await visitor.submit('/login/pin', '/login/cancel');
      site.advanceSeconds(130);
    }
    const { location = '' } = (await visitor.givePassword()).headers;
    const page = await visitor.open(location);
    expect(readNotice(page)).toMatch(
      /^Too many wrong codes were entered for this account\. You can try again in \d+ minutes\.$/,
    );
    expect(page.text).not.toContain('name="pin"');
    expect(page.text).not.toContain('/login/pin/resend');
    expect(page.text).not.toContain('Enter it');
  });
});

it('the demo users are refused in production', async () => {
  const config = { ...readConfig({}), isProduction: true };
  await expect(openUsers(config)).rejects.toThrow(
    'NODE_ENV=production: everyone knows the demo users’ password.',
  );
});
