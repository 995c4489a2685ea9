import { beforeEach, describe, expect, it } from '@jest/globals';
import { memoryStore } from 'passport-sms-otp';
import { tellAll } from '../support/canaries';
import { testClock } from '../support/clock';
import { ALICE, asUser } from '../support/test-app';
import { type Visit, type Answer, visitOverTls } from '../support/visit';
import { useApp, useOwnApps } from '../support/use-app';

const apps = useOwnApps();

const AGES = { second: 1, eternity: 1e308, ever: Infinity };
const TOO_OLD = [403, { error: 'second-factor-too-old' }];

function brief({ status, body }: Answer): unknown[] {
  return [status, body];
}

describe.each(['A', 'B'] as const)('a login by trusted device, variant %s', (variant) => {
  const test = useApp({
    hasFactors: true,
    variant,
    routes: (app, smsOtp) => {
      for (const [name, maxAgeSeconds] of Object.entries(AGES)) {
        app.get(`/within/${name}`, smsOtp.requireSecondFactor({ maxAgeSeconds }), (_req, res) =>
          res.json({}),
        );
        app.get(`/is-within/${name}`, (req, res) =>
          res.json({ is: smsOtp.hasSecondFactor(req, { maxAgeSeconds }) }),
        );
      }
    },
  });
  const alice = visitOverTls(test);
  beforeEach(async () => {
    await alice.trust();
    alice.leave();
    test.clock.advanceSeconds(301);
    await alice.login();
  });

  it('is never fresh: not at once, and not for any age that is given', async () => {
    expect((await alice.get('/account')).status).toBe(200);
    for (const name of Object.keys(AGES)) {
      expect(brief(await alice.get(`/within/${name}`))).toEqual(TOO_OLD);
      expect((await alice.get(`/is-within/${name}`)).body).toEqual({ is: false });
    }
  });

  it('is fresh after a step-up, which asks for a code as of anybody', async () => {
    expect((await alice.post('/step-up')).body).toMatchObject({ sent: true, purpose: 'step-up' });
    expect(brief(await alice.get('/within/second'))).toEqual(TOO_OLD);
    expect((await alice.enterRight({ trustDevice: 'on' })).status).toBe(200);
    expect((await alice.get('/within/second')).status).toBe(200);
    expect((await alice.get('/status')).body).toMatchObject({ verified: { method: 'sms' } });
  });

  it('is the user’s own: logging in as somebody else ends it', async () => {
    await alice.post('/login', { username: 'bob', password: 'right' });
    expect((await alice.get('/account')).status).toBe(403);
  });
});

describe('a trusted device', () => {
  const test = useApp({ hasFactors: true });
  const alice = visitOverTls(test);

  /** Two logins with five wrong codes each. */
  async function guess(browser: Visit): Promise<void> {
    for (let login = 1; login <= 2; login += 1) {
      test.clock.advanceSeconds(301);
      expect((await browser.login()).status).toBe(200);
      for (let time = 0; time < 5; time += 1) await browser.enterWrong();
    }
    browser.leave();
  }

  it('is not closed by a lock of other browsers', async () => {
    await alice.trust();
    alice.leave();
    await guess(test.browser());
    expect(test.told('locked')).toHaveLength(1);
    expect((await alice.login()).body.method).toBe('trusted-device');
  });

  it('is no way around a lock once ten wrong codes have made its browser unknown, and is trusted again after it', async () => {
    await alice.trust();
    alice.leave();
    const { device } = alice;
    alice.device = undefined;
    await guess(alice);
    expect(test.told('browser-unknown')).toHaveLength(1);
    await guess(test.browser());
    alice.device = device;
    expect(brief(await alice.login())).toEqual([
      429,
      { error: 'locked', retryAfterSeconds: expect.any(Number) },
    ]);
    expect((await alice.get('/account')).status).toBe(403);
    expect(alice.device).toBe(device);
    test.clock.advanceSeconds(1_800);
    expect((await alice.login()).body.method).toBe('trusted-device');
  });

  it('is no way in for a user whom loadUser does not give any more', async () => {
    let isDisabled = false;
    const loadUser = (): Express.User | null => (isDisabled ? null : asUser({ ...ALICE }));
    const own = await apps.start({ hasFactors: true, options: { loadUser } });
    const browser = own.browser();
    await browser.trust();
    isDisabled = true;
    browser.leave();
    own.clock.advanceSeconds(301);
    expect((await browser.login()).body.sent).toBe(true);
    expect(brief(await browser.enterRight())).toEqual([401, { error: 'no-pending-login' }]);
  });

  it('clears no failures: whoever has it cannot guess codes for ever', async () => {
    await alice.trust();
    const guesser = test.browser();
    test.clock.advanceSeconds(301);
    await guesser.login();
    for (let time = 0; time < 4; time += 1) await guesser.enterWrong();
    alice.leave();
    expect((await alice.login()).body.method).toBe('trusted-device');
    await guesser.enterWrong();
    expect(test.told('failure-count-changed').at(-1)).toMatchObject({ failures: 5 });
  });

  it('leaves no token in events, errors, sessions and answers', async () => {
    const values: string[] = [];
    const answers: unknown[] = [];
    const visit = async (): Promise<void> => {
      values.push(...(alice.device ?? '').split('.').slice(1));
      alice.leave();
      test.clock.advanceSeconds(301);
      const { body } = await alice.login();
      answers.push(body, (await alice.get('/status')).body);
    };
    await alice.trust();
    const first = alice.device;
    await visit();
    await visit();
    alice.device = first;
    await visit();
    answers.push(await test.trustedDevices.list('alice'));
    const said = tellAll([
      test.events,
      test.errors,
      test.sessions.dump(),
      test.sessions.writes,
      answers,
    ]);
    expect(values).toHaveLength(6);
    for (const value of values) expect(said).not.toContain(value);
  });

  it('rests in the store as a hash of its token', async () => {
    const store = memoryStore();
    const own = await apps.start({ hasFactors: true, options: { store } });
    const browser = own.browser();
    await browser.trust();
    const [device] = await store.records.list({ kind: 'device', owner: 'alice' });
    const [deviceId, token = '', seal = ''] = (browser.device ?? '').split('.');
    expect(device?.id).toBe(deviceId);
    expect(JSON.stringify(device)).not.toContain(token);
    expect(JSON.stringify(device)).not.toContain(seal);
    expect(JSON.stringify(device)).not.toContain('5550123');
  });

  it('lets nobody in while its store fails, and everybody once it is back', async () => {
    const store = memoryStore();
    let isBroken = false;
    const records = new Proxy(store.records, {
      get: (target, name): unknown => (isBroken ? fail : Reflect.get(target, name)),
    });
    const own = await apps.start({ hasFactors: true, options: { store: { ...store, records } } });
    const browser = own.browser();
    await browser.trust();
    browser.leave();
    isBroken = true;
    expect(brief(await browser.login())).toEqual([503, { code: 'ERR_STORE' }]);
    expect((await browser.get('/account')).status).toBe(403);
    expect(own.told('store-failing')).toMatchObject([{ operation: 'records.find' }]);
    isBroken = false;
    expect((await browser.login()).body.method).toBe('trusted-device');
  });

  it('is trusted in the step that lets its user in, or not at all', async () => {
    const clock = testClock();
    const store = memoryStore({ now: () => clock.now() });
    let isBroken = true;
    const finish: typeof store.finish = (pendingId, options) =>
      isBroken ? fail() : store.finish(pendingId, options);
    const options = { store: { ...store, finish } };
    const own = await apps.start({ hasFactors: true, clock, options });
    const browser = own.browser();
    const answer = await browser.trust();
    expect([answer.status, answer.deviceCookie]).toEqual([503, undefined]);
    expect((await browser.get('/account')).status).toBe(403);
    isBroken = false;
    clock.advanceSeconds(301);
    expect((await browser.trust()).deviceCookie).toBeDefined();
  });

  it.each([[undefined], [''], [12]])(
    'needs a version of the password: %p is refused',
    async (version) => {
      const getPasswordVersion = (): string => version as string;
      const own = await apps.start({
        hasFactors: true,
        options: { trustedDevices: { getPasswordVersion } },
      });
      const answer = await own.browser().trust();
      expect([answer.status, answer.deviceCookie]).toEqual([500, undefined]);
      const told = 'getPasswordVersion must return a string that is not empty';
      expect(own.errors).toEqual([new TypeError(told)]);
    },
  );
});

function fail(): Promise<never> {
  return Promise.reject(new Error('canary: the store says something secret'));
}
