import { beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../example-app/config';
import { BROWSER_COOKIE } from '../../example-app/limit-passwords';
import { openUsers } from '../../example-app/users';
import { useSite } from './site';
import { readNotice, readPin, readToken, Visitor } from './visitor';

describe('the password step of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);

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
    expect((await visitor.givePassword('bob')).headers.location).toBe('/second-factor/code');
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

  /** Someone behind an address that proxies report. */
  const from = async (address: string): Promise<(password: string) => Promise<number>> => {
    const attacker = new Visitor(site);
    const _csrf = readToken(await attacker.open('/login'));
    return async (password) =>
      (await attacker.post('/login', { _csrf, username: 'alice', password }, address)).status;
  };
  const times = async (count: number, guess: () => Promise<number>): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, guess));
  const isIn = async (browser: Visitor, address?: string): Promise<boolean> => {
    const { headers } = await browser.givePassword('alice', 'demo-password', address);
    return headers.location === '/second-factor/code';
  };
  /** A browser in which Alice has logged in, and then out. */
  const knownBrowser = async (): Promise<Visitor> => {
    const browser = new Visitor(site);
    expect((await browser.logIn()).headers.location).toBe('/account');
    await browser.submit('/account', '/logout');
    site.advanceSeconds(301);
    return browser;
  };

  describe('behind a proxy', () => {
    beforeEach(() => site.start({ environment: { TRUST_PROXY: '1' } }));

    it('lets a known browser in after twenty wrong passwords from one address, its own', async () => {
      const browser = await knownBrowser();
      const guess = await from('192.0.2.1');
      await times(20, () => guess('wrong'));
      expect(await guess('demo-password')).toBe(429);
      expect(await isIn(browser, '192.0.2.1')).toBe(true);
    });

    it('lets known and other browsers in after a wrong password each from twenty addresses', async () => {
      const browser = await knownBrowser();
      for (let address = 1; address <= 20; address += 1)
        expect(await (await from(`192.0.2.${address}`))('wrong')).toBe(303);
      expect(await isIn(browser, '198.51.100.1')).toBe(true);
      site.advanceSeconds(31);
      expect(await isIn(new Visitor(site), '198.51.100.1')).toBe(true);
    });

    it('checks a hundred wrong passwords of a name an hour from all other browsers', async () => {
      const browser = await knownBrowser();
      for (let address = 1; address <= 5; address += 1) {
        const guess = await from(`2001:db8:${address}::1`);
        expect(await times(20, () => guess('wrong'))).toEqual(new Array(20).fill(303));
      }
      const other = new Visitor(site);
      const answer = await other.givePassword('alice', 'demo-password', '2001:db8:6::1');
      expect(answer.status).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3500);
      expect(await isIn(browser, '2001:db8:6::1')).toBe(true);
    });

    it('counts an IPv6 household as one address', async () => {
      const [one, next] = [await from('2001:db8:1:1::1'), await from('2001:db8:1:1:2::1')];
      await times(20, () => one('wrong'));
      expect(await next('demo-password')).toBe(429);
    });

    it('checks twenty of sixty passwords that come at once', async () => {
      const guess = await from('192.0.2.1');
      const answers = await times(60, () => guess('wrong'));
      expect(answers.filter((status) => status === 303)).toHaveLength(20);
    });

    it('checks twenty wrong passwords of a known browser, wherever its cookie is copied to', async () => {
      const [browser, other] = [await knownBrowser(), await knownBrowser()];
      const cookie = browser.cookie(BROWSER_COOKIE) ?? '';
      let checked = 0;
      for (let address = 1; address <= 25; address += 1) {
        const thief = new Visitor(site);
        const forged = String.fromCharCode(64 + address) + cookie.slice(1);
        thief.setCookie(BROWSER_COOKIE, `${forged}~${cookie}`);
        const { status } = await thief.givePassword('alice', 'wrong', `192.0.2.${address}`);
        if (status === 303) checked += 1;
      }
      expect(checked).toBe(20);
      expect(await isIn(browser, '198.51.100.1')).toBe(false);
      expect(await isIn(other, '198.51.100.1')).toBe(true);
      site.advanceSeconds(31);
      expect(await isIn(new Visitor(site), '198.51.100.1')).toBe(true);
    });
  });

  it('counts no right password', async () => {
    for (let time = 1; time <= 21; time += 1) {
      expect((await new Visitor(site).givePassword('carol')).headers.location).toBe(
        '/second-factor/add-number',
      );
    }
  });

  it('keeps the user name after a wrong password, once, and never the password', async () => {
    await visitor.givePassword('alice', 'canary-password');
    const page = await visitor.open('/login');
    expect(page.text).toMatch(/<input id="username"[^>]* value="alice"/);
    expect(page.text).toMatch(/<input id="password"[^>]* autofocus/);
    expect(page.text).not.toContain('canary');
    expect((await visitor.open('/login')).text).not.toContain('value="alice"');
  });
});

describe('the pages of the example app', () => {
  const site = useSite();
  const visitor = new Visitor(site);

  it('say that the ten minutes are over, to those who had begun alone', async () => {
    expect(readNotice(await visitor.open('/login'))).toBeNull();
    await visitor.givePassword();
    site.advanceSeconds(601);
    const over = await visitor.open('/second-factor/code');
    expect(over.text).toContain('or the login has ended');
    expect(over.text).toContain('class="button" href="/login"');
    expect(readNotice(await visitor.open('/login'))).toContain('ten minutes');
  });

  it('understand a national number where one country alone is texted', async () => {
    await visitor.logIn();
    await visitor.submit('/account', '/second-factor/add-number', { phone: '(202) 555-0130' });
    expect(site.simulator.outbox.at(-1)?.mobile).toBe('+12025550130');
  });

  it('make recovery codes once for one form: a reload makes no second set', async () => {
    await visitor.logIn();
    const page = await visitor.open('/second-factor/recovery-codes');
    expect(page.text).toContain('your trusted devices will ask for a code again');
    const name = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const form = { _csrf: readToken(page), form: name };
    const made = await visitor.post('/second-factor/recovery-codes', form);
    const [code = ''] = /(?:[0-9A-Z]{4}-){5}[0-9A-Z]{4}/.exec(made.text) ?? [];
    const again = await visitor.post('/second-factor/recovery-codes', form);
    expect([again.status, again.text]).toEqual([200, expect.stringContaining(code)]);
    site.advanceSeconds(61);
    const late = await visitor.post('/second-factor/recovery-codes', form);
    expect([late.status, late.text]).toEqual([409, expect.not.stringContaining(code)]);
    const other = new Visitor(site);
    await other.givePassword();
    const answer = await other.submit('/second-factor/code', '/second-factor/recovery-code', {
      recoveryCode: code,
    });
    expect(answer.headers.location).toBe('/account');
  });

  it('say one thing to those who are locked out: no page asks for a code', async () => {
    for (let codes = 1; codes <= 2; codes += 1) {
      await visitor.givePassword();
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await visitor.submit('/second-factor/code', '/second-factor/code', {
          pin: readPin(site) === '000000' ? '111111' : '000000',
        });
      }
      await visitor.submit('/second-factor/code', '/second-factor/cancel');
      site.advanceSeconds(130);
    }
    const { location = '' } = (await visitor.givePassword()).headers;
    const page = await visitor.open(location);
    expect(readNotice(page)).toMatch(
      /^Too many wrong codes were entered for this account\. You can try again in \d+ minutes\.$/,
    );
    expect(page.text).not.toContain('name="pin"');
    expect(page.text).not.toContain('action="resend"');
    expect(page.text).not.toContain('Enter it');
  });
});

it('the demo users are refused in production', async () => {
  const config = { ...readConfig({}), isProduction: true };
  await expect(openUsers(config)).rejects.toThrow(
    'NODE_ENV=production: the password of the demo users is public.',
  );
});
