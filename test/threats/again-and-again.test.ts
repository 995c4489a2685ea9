import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'passport-sms-otp';
import { testClock } from '../support/clock';
import { expectOneIn } from '../support/sent-twice';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps({ hasFactors: true });

describe('a right code that is sent twice', () => {
  it('is no failure: three logins a day with double clicks refuse nobody for a month', async () => {
    const test = await apps.start();
    for (let login = 0; login < 75; login += 1) {
      const alice = test.browser();
      expect((await alice.login()).status).toBe(200);
      const answers = await Promise.all([alice.enterRight(), alice.enterRight()]);
      expectOneIn(answers);
      test.clock.advanceSeconds(8 * 3_600);
    }
    expect([...test.told('guessing-slowly'), ...test.told('locked')]).toEqual([]);
  });

  it('in a step-up brings no session of before back nor one that guesses meanwhile', async () => {
    const test = await apps.start();
    for (let round = 0; round < 4; round += 1) {
      const alice = test.browser();
      await alice.logIn();
      test.clock.advanceSeconds(70);
      expect((await alice.stepUp()).status).toBe(200);
      const copy = test.browser();
      for (const [name, value] of alice.cookies) copy.cookies.set(name, value);
      test.sim.failNext('validate', { kind: 'latency', ms: 100, when: 'after' }, 3);
      const answers = await Promise.all([
        alice.enterRight(),
        alice.enterRight(),
        copy.enterWrong(),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await alice.account()).status).toBe(200);
      expect((await copy.account()).status).not.toBe(200);
      test.clock.advanceSeconds(8 * 3_600);
    }
  });
});

describe('browsers that are known no more', () => {
  it('leave no counters behind: a hundred logins without cookies fit into a small store', async () => {
    const clock = testClock();
    const store = memoryStore({ now: () => clock.now(), maxEntries: 30 });
    const test = await apps.start({ clock, options: { store } });
    for (let login = 0; login < 100; login += 1) {
      const alice = test.browser();
      expect((await alice.login()).status).toBe(200);
      expect((await alice.enterRight()).status).toBe(200);
      clock.advanceSeconds(8 * 3_600);
    }
    await expect(store.records.list({ kind: 'browser', owner: 'alice' })).resolves.toHaveLength(10);
  });

  it('are so after the same request again, where the store has failed half-way', async () => {
    const clock = testClock();
    const memory = memoryStore({ now: () => clock.now() });
    let fails = false;
    const charge: typeof memory.counters.charge = (given) =>
      fails && given.some(({ raisesTo }) => raisesTo !== undefined)
        ? Promise.reject(new Error('the store is away'))
        : memory.counters.charge(given);
    const store = { ...memory, counters: { ...memory.counters, charge } };
    const test = await apps.start({
      clock,
      options: { store },
      routes: (app, smsOtp) => {
        app.get('/known', (req, res, next) => {
          smsOtp.browserOf(req, 'alice').then(({ isKnown }) => res.json({ is: isKnown }), next);
        });
      },
    });
    const alice = test.browser();
    await alice.logIn();
    const copied = new Map(alice.cookies);
    clock.advanceSeconds(1);
    const ask = async (): Promise<unknown> => {
      const thief = test.browser();
      for (const [name, value] of copied) thief.cookies.set(name, value);
      return (await thief.get('/known')).body;
    };
    expect(await ask()).toEqual({ is: true });
    fails = true;
    await expect(test.smsOtp.unlockUser('alice', { enable: true })).rejects.toMatchObject({
      code: 'ERR_STORE',
    });
    fails = false;
    await test.smsOtp.unlockUser('alice', { enable: true });
    expect(await ask()).toEqual({ is: false });
  });
});
