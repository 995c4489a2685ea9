import { describe, expect, it } from '@jest/globals';
import type { ChallengeFactor } from 'passport-sms-otp';
import { countBefore } from '../support/count-before';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { useApp, useOwnApps } from '../support/use-app';
import { ALICE } from '../support/test-app';
import { type Visit, visitOverTls } from '../support/visit';

const HOUR = 3_600;

/** A passkey whose right answer is `{ answer: 'right' }`. */
const key: ChallengeFactor = {
  name: 'key',
  amr: 'hwk',
  field: 'response',
  isAvailable: () => true,
  createOptions: ({ challenge }) => ({ challenge }),
  checkResponse: ({ response }) => (response as { answer?: unknown }).answer === 'right',
};

describe.each(['A', 'B'] as const)('somebody with the password alone, variant %s', (variant) => {
  let preferred = 'key';
  const test = useOwnApps({
    variant,
    trustProxy: true,
    options: { factors: [key], preferredFactor: () => preferred },
    routes: (app, { optionsWith, verifyWith }) => {
      if (optionsWith) app.post('/key/options', optionsWith('key'));
      if (verifyWith)
        app.post('/login/key', verifyWith('key'), (req, res) => void res.json(req.smsOtp));
    },
  });
  const from = (address: string): Visit =>
    visitOverTls(test, ALICE, { 'x-forwarded-for': address });

  async function answer(browser: Visit, given: string): Promise<number> {
    await browser.post('/key/options');
    return (await browser.post('/login/key', { response: { answer: given } })).status;
  }

  /** A browser in which Alice has logged in before. */
  async function ownBrowser(address: string): Promise<Visit> {
    const own = from(address);
    await own.login();
    expect(await answer(own, 'right')).toBe(200);
    own.leave();
    return own;
  }

  it('locks nothing and disables nobody with fifty answers that are garbage', async () => {
    await test.start();
    for (let login = 0; login < 10; login += 1) {
      const guesser = from(`203.0.113.${login}`);
      await guesser.login();
      for (let time = 0; time < 5; time += 1) expect(await answer(guesser, 'x')).toBe(401);
      test.clock.advanceSeconds(HOUR / 2);
    }
    const newDevice = from('198.51.100.7');
    expect((await newDevice.login()).status).toBe(200);
    expect(await answer(newDevice, 'right')).toBe(200);
    preferred = 'sms';
    const texted = from('198.51.100.8');
    expect((await texted.login()).body).toMatchObject({ sent: true });
    expect((await texted.enterRight()).status).toBe(200);
    preferred = 'key';
    expect([test.told('locked'), test.told('disabled')]).toEqual([[], []]);
  });

  it('is refused at its own address after ten wrong answers a day, and at no other', async () => {
    await test.start();
    const statuses: number[] = [];
    for (let login = 0; login < 3; login += 1) {
      const guesser = from('203.0.113.66');
      await guesser.login();
      for (let time = 0; time < 5; time += 1) statuses.push(await answer(guesser, 'x'));
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(5).fill(429)]);
    const elsewhere = from('203.0.113.67');
    await elsewhere.login();
    expect(await answer(elsewhere, 'right')).toBe(200);
  });

  it('uses up no login without a text that a known browser behind the same address needs', async () => {
    await test.start({ isTampered: true });
    await countBefore(test, 'sends:all:others:alice', 19);
    const own = await ownBrowser('198.51.100.1');
    for (let login = 0; login < 30; login += 1) await from('198.51.100.1').login();
    expect((await own.login()).body).toMatchObject({ sent: false, pending: true });
    expect(await answer(own, 'right')).toBe(200);
  });

  it('begins no more logins without a text in a /48 than ten times those of a /64', async () => {
    await test.start({ isTampered: true, options: { limits: { withoutText: { max: 2 } } } });
    await countBefore(test, 'sends:all:others:alice', 19);
    let begun = 0;
    for (let network = 0; network < 40; network += 1) {
      const { body } = await from(`2001:db8:7:${network}::1`).login();
      if (body.sent === false && body.error === undefined) begun += 1;
    }
    expect(begun).toBe(20);
  });

  it('is told the true time, and a step-up after a text says what the first one said', async () => {
    await test.start();
    const own = from('198.51.100.1');
    await own.login();
    expect(await answer(own, 'right')).toBe(200);
    expect((await own.stepUp()).body).toMatchObject({ sent: false, pending: true });
    expect((await own.resend()).body).toMatchObject({ sent: true });
    expect((await own.stepUp()).body).toMatchObject({ sent: true });
    expect((await own.enterRight()).status).toBe(200);
  });
});

describe.each(VARIANTS_OF_LONG_RUNS)('somebody with one IPv6 /48, variant %s,', (variant) => {
  // The first recovery codes are made by a user who has no second factor yet.
  let hasKey = false;
  const test = useApp({
    variant,
    hasFactors: true,
    trustProxy: 1,
    options: { factors: [{ ...key, isAvailable: () => hasKey }], preferredFactor: () => 'key' },
    routes: (app, { optionsWith, verifyWith }) => {
      if (optionsWith) app.post('/key/options', optionsWith('key'));
      if (verifyWith)
        app.post('/login/key', verifyWith('key'), (req, res) => void res.json(req.smsOtp));
    },
  });
  const from = (address: string): Visit =>
    visitOverTls(test, ALICE, { 'x-forwarded-for': address });

  it.each([
    {
      what: 'recovery codes',
      guess: async (browser: Visit) => browser.recover('Z'.repeat(24)),
      pass: async (browser: Visit, codes: readonly string[]) => browser.recover(codes[0]),
    },
    {
      what: 'answers to a challenge',
      guess: async (browser: Visit) => {
        await browser.post('/key/options');
        return browser.post('/login/key', { response: { answer: 'x' } });
      },
      pass: async (browser: Visit) => {
        await browser.post('/key/options');
        return browser.post('/login/key', { response: { answer: 'right' } });
      },
    },
  ])('has ten times the $what a day that a /64 has', async ({ guess, pass }) => {
    hasKey = false;
    const codes = await test.firstCodes();
    hasKey = true;
    const judged: number[] = [];
    for (let network = 0; network < 12; network += 1) {
      // Challenges have a limit of their own for each user, which is not the one that is tried here.
      await test.smsOtp.unlockUser(ALICE.id);
      const statuses: number[] = [];
      for (let login = 0; login < 3; login += 1) {
        // Another address of the same /64 each time.
        const browser = from(`2001:db8:7:${network}::${login + 1}`);
        await browser.login();
        for (let time = 0; time < 5 && !statuses.includes(429); time += 1)
          statuses.push((await guess(browser)).status);
      }
      judged.push(statuses.filter((status) => status === 401).length);
    }
    expect(judged).toEqual([...Array<number>(10).fill(10), 0, 0]);
    const neighbour = from('2001:db8:8::1');
    await neighbour.login();
    expect((await pass(neighbour, codes)).status).toBe(200);
  });
});
