import { describe, expect, it } from '@jest/globals';
import type { FactorCheck } from 'passport-sms-otp';
import { type Answer, visitOverTls } from '../support/visit';
import { useApp } from '../support/use-app';

const INVALID = [401, { error: 'invalid-code' }];
const LOCKED = [429, { error: 'locked', retryAfterSeconds: expect.any(Number) }];

function brief({ status, body }: Answer): unknown[] {
  return [status, body];
}

describe.each(['A', 'B'] as const)('smsOtp.verifyWith, variant %s', (variant) => {
  let asked: FactorCheck[];
  let answer: () => unknown;
  const test = useApp(() => {
    asked = [];
    answer = () => true;
    const check = (claimed: FactorCheck): boolean => {
      asked.push(claimed);
      // Callbacks without types answer anything.
      return answer() as boolean;
    };
    return {
      hasFactors: true,
      variant,
      options: {
        factors: [
          { name: 'card', field: 'cardCode', isAvailable: () => true, check },
          { name: 'plain', isAvailable: () => true, check },
        ],
      },
      routes: (app, smsOtp) => {
        for (const name of ['card', 'plain']) {
          const verify = smsOtp.verifyWith?.(name);
          if (verify) app.post(`/login/${name}`, verify, (req, res) => void res.json(req.smsOtp));
        }
        const transaction = (): { amount: string; payee: string } => ({
          amount: '1 EUR',
          payee: 'Bob',
        });
        app.post('/pay', smsOtp.stepUp({ transaction }), (req, res) => void res.json(req.smsOtp));
      },
    };
  });
  const alice = visitOverTls(test);

  const enter = (cardCode: unknown = 'open sesame'): Promise<Answer> =>
    alice.post('/login/card', { cardCode });

  it('asks the callback once, with the user and the code as typed', async () => {
    await alice.login();
    expect((await enter('  Open Sesame ')).body).toMatchObject({ verified: true, method: 'card' });
    const user = { id: 'alice', phone: '+12025550123' };
    expect(asked).toEqual([
      { user, userId: 'alice', code: 'Open Sesame', address: expect.any(String) },
    ]);
    expect(test.sim.stats().calls.validate).toBe(0);
    expect((await alice.get('/status')).body).toMatchObject({ verified: { method: 'card' } });
  });

  it('asks the callback as often in one login as maxAttempts says', async () => {
    await test.close();
    await test.start({ options: { maxAttempts: 2 } });
    answer = () => false;
    await alice.login();
    for (let time = 0; time < 3; time += 1) await enter();
    expect(asked).toHaveLength(2);
    const reasons = test.told('rejected').map(({ reason }) => reason);
    expect(reasons).toEqual(['wrong-code', 'too-many-attempts']);
  });

  it('takes a code of 128 characters', async () => {
    await alice.login();
    expect((await enter('x'.repeat(128))).status).toBe(200);
  });

  it('reads the field of the factor, else that of the texted code', async () => {
    await alice.login();
    expect((await alice.post('/login/card', { pin: 'x' })).status).toBe(400);
    expect((await alice.post('/login/plain', { pin: 'x' })).status).toBe(200);
  });

  it.each([
    ['nothing', undefined],
    ['spaces', '   '],
    ['too much', 'x'.repeat(129)],
    ['a list', ['x']],
    ['a number', 1],
  ])('calls %s malformed, and asks nobody', async (_what, code) => {
    await alice.login();
    expect(brief(await alice.post('/login/card', { cardCode: code }))).toEqual([
      400,
      { error: 'malformed-code' },
    ]);
    expect(asked).toEqual([]);
  });

  it.each([false, undefined, null, 1, 'true', {}, []])('takes %p for a no', async (given) => {
    answer = () => given;
    await alice.login();
    expect(brief(await enter())).toEqual(INVALID);
    expect((await alice.get('/account')).status).toBe(403);
  });

  it('asks five times a pending login, however many codes come at once', async () => {
    answer = () => false;
    await alice.login();
    const answers = await Promise.all(Array.from({ length: 30 }, () => enter()));
    expect(answers.map(brief)).toEqual(answers.map(() => INVALID));
    expect(asked).toHaveLength(5);
    answer = () => true;
    expect(brief(await enter())).toEqual(INVALID);
  });

  it('has a lock of its own: ten wrong codes close it, and no texted codes', async () => {
    answer = () => false;
    await alice.login();
    for (let time = 1; time <= 10; time += 1) {
      expect(brief(await enter())).toEqual(time === 10 ? LOCKED : INVALID);
      if (time % 5 !== 0) continue;
      // A pending login has five attempts of each factor.
      test.clock.advanceSeconds(67);
      await alice.login();
    }
    answer = () => true;
    const before = asked.length;
    expect(brief(await enter())).toEqual(LOCKED);
    expect(asked).toHaveLength(before);
    expect((await alice.enterRight()).status).toBe(200);
  });

  it('is open while texted codes are locked', async () => {
    for (let time = 0; time < 10; time += 1) {
      if (time % 5 === 0) await alice.login();
      expect(brief(await alice.enterWrong())).toEqual(time === 9 ? LOCKED : INVALID);
      test.clock.advanceSeconds(20);
    }
    expect((await alice.login()).body).toMatchObject({ error: 'locked', pending: true });
    expect((await enter()).status).toBe(200);
  });

  it.each([
    ['throws', () => () => throwFault()],
    ['rejects', () => () => Promise.reject(new Error('the card reader is broken'))],
  ])('hands what the callback %s to the app, and counts it as an attempt', async (_what, make) => {
    answer = make();
    await alice.login();
    for (let time = 0; time < 5; time += 1) expect((await enter()).status).toBe(500);
    expect(test.errors[0]).toEqual(new Error('the card reader is broken'));
    answer = () => true;
    expect(brief(await enter())).toEqual(INVALID);
    expect(asked).toHaveLength(5);
    expect(test.told('failure-count-changed').at(-1)).toMatchObject({ failures: 5 });
  });

  it('lets in once for one pending login, when the callback says yes to many at once', async () => {
    await alice.login();
    const answers = await Promise.all([enter(), enter(), enter()]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is good for a step-up, and approves no transaction', async () => {
    await alice.login();
    await enter();
    test.clock.advanceSeconds(31);
    expect((await alice.post('/step-up')).status).toBe(200);
    expect((await enter()).status).toBe(200);
    test.clock.advanceSeconds(301);
    expect((await alice.post('/pay')).status).toBe(200);
    expect(brief(await enter())).toEqual([401, { error: 'no-pending-login' }]);
  });

  it('may trust the device', async () => {
    await alice.login();
    await alice.post('/login/card', { cardCode: 'x', trustDevice: 'on' });
    alice.leave();
    expect((await alice.login()).body).toMatchObject({ method: 'trusted-device' });
  });
});

function throwFault(): never {
  throw new Error('the card reader is broken');
}
