import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ChallengeFactor } from 'passport-sms-otp';
import { ALICE } from '../support/test-app';
import { useApp } from '../support/use-app';
import { type Visit, visitOverTls } from '../support/visit';

describe.each(['A', 'B'] as const)('the options of a factor, variant %s', (variant) => {
  let made = 0;
  let hasKey = true;
  const key: ChallengeFactor = {
    name: 'key',
    field: 'response',
    isAvailable: () => hasKey,
    createOptions: ({ challenge }) => {
      made += 1;
      return { challenge };
    },
    checkResponse: ({ response }) => (response as { answer?: unknown }).answer === 'right',
  };
  const test = useApp({
    variant,
    hasFactors: true,
    trustProxy: 1,
    options: { factors: [key], preferredFactor: () => 'key' },
    routes: (app, { optionsWith, verifyWith }) => {
      if (optionsWith) app.post('/key/options', optionsWith('key'));
      if (verifyWith)
        app.post('/login/key', verifyWith('key'), (req, res) => void res.json(req.smsOtp));
    },
  });
  beforeEach(() => {
    made = 0;
  });

  const from = (address: string): Visit =>
    visitOverTls(test, ALICE, { 'x-forwarded-for': address });

  const ask = (browser: Visit) => browser.post('/key/options');

  async function answerRight(browser: Visit): Promise<number> {
    await ask(browser);
    return (await browser.post('/login/key', { response: { answer: 'right' } })).status;
  }

  /** A browser in which Alice has logged in before. */
  async function ownBrowser(): Promise<Visit> {
    const own = from('198.51.100.7');
    await own.login();
    expect(await answerRight(own)).toBe(200);
    own.leave();
    return own;
  }

  /** Asks twenty times in each of so many logins, from an address of its own each. */
  async function askInLogins(logins: number): Promise<Visit> {
    let attacker = from('203.0.113.0');
    for (let login = 0; login < logins; login += 1) {
      attacker = from(`203.0.113.${login}`);
      await attacker.login();
      for (let time = 0; time < 20; time += 1) await ask(attacker);
      test.clock.advanceSeconds(600);
    }
    return attacker;
  }

  it('are made 100 times for an attacker with the password who asks 1,000 times a day', async () => {
    await askInLogins(50);
    expect(made).toBe(100);
    const limits = test.told('denied').map(({ limit, reason }) => `${limit}: ${reason}`);
    expect(new Set(limits)).toEqual(new Set(['per-user: send-limit']));
  });

  it('are left to known browsers, whatever an attacker with the password asks for', async () => {
    const own = await ownBrowser();
    await askInLogins(10);
    await own.login();
    expect(await answerRight(own)).toBe(200);
  });

  it('are made again after a day, and after unlockUser', async () => {
    await askInLogins(6);
    const attacker = from('192.0.2.1');
    await attacker.login();
    const refused = await ask(attacker);
    expect(refused).toMatchObject({ status: 429, body: { error: 'send-limit' } });
    const seconds = Number(refused.headers['retry-after']);
    expect(refused.body.retryAfterSeconds).toBe(seconds);
    expect(seconds).toBe(86_400 - 6 * 600);

    await test.smsOtp.unlockUser('alice');
    expect((await ask(attacker)).status).toBe(200);
    await askInLogins(6);
    test.clock.advanceSeconds(86_400);
    const later = from('192.0.2.2');
    await later.login();
    expect((await ask(later)).status).toBe(200);
  });

  it('are made 20 times in one login, which can be passed all the same', async () => {
    hasKey = false;
    const codes = await test.firstCodes();
    hasKey = true;
    const browser = from('203.0.113.1');
    await browser.login();
    const answers = [];
    for (let time = 0; time < 22; time += 1) answers.push((await ask(browser)).status);
    expect(answers).toEqual([...Array<number>(20).fill(200), 429, 429]);
    expect(made).toBe(20);
    const refused = await ask(browser);
    expect(refused.body).toMatchObject({ error: 'send-limit' });
    // When another login can begin in its place.
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(600);
    expect(test.told('denied').at(-1)).toMatchObject({ limit: 'per-login', reason: 'send-limit' });

    // The last challenge is good, and so is every other factor.
    expect((await browser.recover(codes[0])).status).toBe(200);
    const next = from('203.0.113.1');
    test.clock.advanceSeconds(31);
    await next.login();
    expect(await answerRight(next)).toBe(200);
  });

  it('are made 20 times for a hundred requests at once', async () => {
    const browser = from('203.0.113.1');
    await browser.login();
    await Promise.all(Array.from({ length: 100 }, () => ask(browser)));
    expect(made).toBe(20);
  });
});
