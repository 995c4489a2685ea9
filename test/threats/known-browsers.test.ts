import { afterEach, describe, expect, it } from '@jest/globals';
import { testClock } from '../support/clock';
import { ALICE, asTestUser } from '../support/test-app';
import { allStores, type OpenStore } from './support/stores';
import { VARIANTS_OF_LONG_RUNS } from '../support/complete-run';
import { visitOverTls, type Visit } from '../support/visit';
import { useOwnApps } from '../support/use-app';

const ATTACKER = '203.0.113.66';
const APP_CODE = '246810';

const isApp = (code: string): boolean => code === APP_CODE;

const test = useOwnApps({
  hasFactors: true,
  trustProxy: true,
  options: {
    factors: [
      {
        name: 'app',
        isAvailable: (user) => asTestUser(user).phone !== null,
        check: ({ code }) => isApp(code),
      },
    ],
  },
  routes: (app, { verifyWith }) => {
    if (verifyWith)
      app.post('/login/app', verifyWith('app'), (req, res) => void res.json(req.smsOtp));
  },
});
let opened: OpenStore | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/** A browser in which Alice has logged in before. */
async function ownBrowser(): Promise<Visit> {
  const browser = visitOverTls(test, ALICE, { 'x-forwarded-for': '198.51.100.1' });
  await browser.login();
  expect((await browser.enterRight()).status).toBe(200);
  browser.leave();
  return browser;
}

interface Attack {
  readonly logins: number;
  readonly guesses: number;
  readonly recoveryGuesses: number;
}

/**
 * Somebody who knows the password, from fresh browsers: asks for texts, guesses codes and recovery
 * codes.
 */
async function attack({ logins, guesses, recoveryGuesses }: Attack): Promise<void> {
  for (let login = 0; login < logins; login += 1) {
    const browser = visitOverTls(test, ALICE, { 'x-forwarded-for': ATTACKER });
    // As if the time between two texts had passed, which no test can do to Redis or PostgreSQL.
    await opened?.store.counters.unlock(['sends:gap:others:alice']);
    await browser.login();
    for (let guess = 0; guess < guesses; guess += 1) await browser.enterWrong();
    for (let guess = 0; guess < recoveryGuesses; guess += 1) await browser.recover('0'.repeat(24));
  }
}

/** Codes of Alice that the gateway was asked about and called wrong. */
const judgedWrong = (): number =>
  Object.values(test.sim.stats().validatesById).reduce((sum, count) => sum + count, 0) -
  test.told('verified').filter(({ method }) => method === 'sms').length;

for (const { name, describe: describeStore, open } of allStores()) {
  describeStore(`whoever knows the password alone, with the store ${name}`, () => {
    it.each(VARIANTS_OF_LONG_RUNS)(
      'cannot refuse, lock or end anything in a known browser (variant %s)',
      async (variant) => {
        const clock = testClock();
        opened = await open(clock);
        await test.start({ variant, clock, options: { store: opened.store } });
        const own = await ownBrowser();
        expect((await own.login()).status).toBe(200);
        const code = test.code();
        await attack({ logins: 25, guesses: 5, recoveryGuesses: 3 });
        expect(judgedWrong()).toBeLessThanOrEqual(10);
        // The code that was texted before all that is still good.
        expect((await own.enterRight({ pin: code })).body).toMatchObject({ verified: true });
        own.leave();
        expect((await own.login()).status).toBe(200);
        expect((await own.enterRight()).status).toBe(200);
      },
    );

    it.each(VARIANTS_OF_LONG_RUNS)(
      'cannot keep the owner out on a new device: a recovery code and the app let in (variant %s)',
      async (variant) => {
        const clock = testClock();
        opened = await open(clock);
        const options = { store: opened.store, limits: { failures: { max: 5 } } };
        await test.start({ variant, clock, options });
        const [code] = await test.firstCodes();
        await attack({ logins: 1, guesses: 5, recoveryGuesses: 0 });
        expect(test.told('locked')).toHaveLength(1);
        await attack({ logins: 19, guesses: 5, recoveryGuesses: 5 });
        const byApp = visitOverTls(test, ALICE, { 'x-forwarded-for': '198.51.100.2' });
        expect((await byApp.login()).body).toMatchObject({ error: 'locked', pending: true });
        const byCode = visitOverTls(test, ALICE, { 'x-forwarded-for': '198.51.100.3' });
        await byCode.login();
        expect(test.told('sent')).toHaveLength(1);
        expect((await byApp.post('/login/app', { pin: APP_CODE })).body).toMatchObject({
          verified: true,
        });
        await attack({ logins: 3, guesses: 5, recoveryGuesses: 5 });
        expect((await byCode.recover(code)).body).toMatchObject({
          verified: true,
          method: 'recovery-code',
        });
      },
    );
  });
}

describe.each(VARIANTS_OF_LONG_RUNS)(
  'for a day, whoever knows the password alone in variant %s',
  (variant) => {
    it('is judged within the limits, and the owner is refused nothing in a known browser', async () => {
      const clock = testClock();
      await test.start({ variant, clock });
      const own = await ownBrowser();
      const answers: number[] = [];
      for (let minute = 0; minute < 24 * 60; minute += 10) {
        const isTime = minute % 180 === 0;
        if (isTime) answers.push((await own.login()).status);
        const code = test.code();
        await attack({ logins: 1, guesses: 5, recoveryGuesses: 1 });
        if (isTime) {
          answers.push((await own.enterRight({ pin: code })).status);
          own.leave();
        }
        clock.advanceSeconds(600);
      }
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(judgedWrong()).toBeGreaterThan(40);
      expect(judgedWrong()).toBeLessThanOrEqual(60);
      expect(test.told('sent').length).toBeLessThanOrEqual(answers.length / 2 + 1 + 20);
    });

    it('is judged 60 times and then once a day, over a month, and the event says that somebody guesses', async () => {
      const clock = testClock();
      await test.start({ variant, clock });
      const own = await ownBrowser();
      for (let day = 0; day < 30; day += 1) {
        for (let hour = 0; hour < 24; hour += 6) {
          await attack({ logins: 1, guesses: 4, recoveryGuesses: 0 });
          await own.login();
          expect((await own.enterRight()).status).toBe(200);
          own.leave();
          clock.advanceSeconds(6 * 3_600);
        }
      }
      expect(test.told('guessing-slowly')).toHaveLength(1);
      expect(judgedWrong()).toBeGreaterThan(60);
      expect(judgedWrong()).toBeLessThanOrEqual(60 + 30);
    });

    it('cannot disable the other side: the owner gets in by recovery code while others are disabled', async () => {
      const clock = testClock();
      await test.start({ variant, clock });
      const [code] = await test.firstCodes();
      for (let hour = 0; hour < 60; hour += 1) {
        await attack({ logins: 1, guesses: 5, recoveryGuesses: 2 });
        clock.advanceSeconds(3_600);
      }
      expect(test.told('disabled')).toHaveLength(1);
      expect(judgedWrong()).toBe(50);
      const owner = visitOverTls(test, ALICE, { 'x-forwarded-for': '198.51.100.4' });
      expect((await owner.login()).body).toMatchObject({ error: 'disabled', pending: true });
      expect((await owner.recover(code)).body).toMatchObject({ verified: true });
      owner.leave();
      expect((await owner.login()).status).toBe(200);
      expect((await owner.enterRight()).status).toBe(200);
    });
  },
);
