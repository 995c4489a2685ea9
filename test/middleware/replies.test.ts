import { describe, expect, it } from '@jest/globals';
import { REASONS } from 'passport-sms-otp';
import { REPLIES } from '../../src/middleware/replies';
import { giveCode, givePassword, giveWrongCode, logIn } from './support/steps';
import { useOwnApps } from '../support/use-app';

const apps = useOwnApps();

/** Every reason with its reply, by hand: status, then what the body calls the error. */
const DOCUMENTED: Record<string, [number, string]> = {
  'malformed-code': [400, 'malformed-code'],
  'wrong-password': [401, 'wrong-password'],
  'wrong-code': [401, 'invalid-code'],
  'too-many-attempts': [401, 'invalid-code'],
  expired: [401, 'expired'],
  'no-pending-login': [401, 'no-pending-login'],
  'already-verified': [409, 'already-verified'],
  'user-gone': [401, 'no-pending-login'],
  unconfirmed: [401, 'no-pending-login'],
  denied: [403, 'denied'],
  'country-not-allowed': [403, 'country-not-allowed'],
  'malformed-phone': [400, 'malformed-phone'],
  'last-phone': [403, 'last-phone'],
  'unsuitable-phone': [403, 'unsuitable-phone'],
  'unknown-range': [403, 'unknown-range'],
  'no-phone': [403, 'no-phone'],
  disabled: [403, 'disabled'],
  'not-required': [403, 'not-required'],
  'second-factor-required': [403, 'second-factor-required'],
  'second-factor-too-old': [403, 'second-factor-too-old'],
  'login-ended': [401, 'login-ended'],
  locked: [429, 'locked'],
  'resend-too-soon': [429, 'resend-too-soon'],
  'send-limit': [429, 'send-limit'],
  'not-sent': [503, 'not-sent'],
};

describe('the reasons', () => {
  it('are a closed list', () => {
    expect([...REASONS].sort()).toEqual(Object.keys(DOCUMENTED).sort());
  });

  it.each(REASONS)('%s has the reply it is documented with', (reason) => {
    expect([REPLIES[reason].status, REPLIES[reason].error]).toEqual(DOCUMENTED[reason]);
  });
});

describe('the answer to a code that is not accepted', () => {
  it('is one body, whether the code is wrong, used, superseded or one too many', async () => {
    const test = await apps.start();
    const agent = test.agent();
    const invalid = { status: 401, body: { error: 'invalid-code' } };
    await givePassword(agent);
    const first = test.code();
    for (const _attempt of [1, 2, 3, 4, 5]) {
      expect(await giveWrongCode(test, agent)).toMatchObject(invalid);
    }
    expect(await giveCode(test, agent)).toMatchObject(invalid);
    test.clock.advanceSeconds(60);
    await agent.post('/login/resend');
    expect(await agent.post('/login/pin').send({ pin: first })).toMatchObject(invalid);
    expect((await giveCode(test, agent)).status).toBe(200);
  });

  it('is not to be stored', async () => {
    const test = await apps.start();
    const answer = await test.agent().post('/login/pin').send({ pin: '123456' });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-type']).toContain('application/json');
  });

  it('has Retry-After when the user is locked, and none when the code is wrong', async () => {
    const test = await apps.start({ options: { limits: { failures: { max: 2 } } } });
    const agent = test.agent();
    await givePassword(agent);
    const wrong = await giveWrongCode(test, agent);
    expect([wrong.status, wrong.headers['retry-after']]).toEqual([401, undefined]);
    for (const give of [giveWrongCode, giveCode]) {
      const { status, body, headers } = await give(test, agent);
      const told = { error: 'locked', retryAfterSeconds: 1800 };
      expect([status, body, headers['retry-after']]).toEqual([429, told, '1800']);
    }
  });

  it('has Retry-After when the gateway was too busy to be asked, and costs no attempt', async () => {
    const test = await apps.start({ gateway: { connections: 1, queueLimit: 0 } });
    const [first, second] = [test.agent(), test.agent()];
    await givePassword(first);
    await second.post('/login').send({ username: 'bob', password: 'right' });
    test.sim.failNext('validate', { kind: 'latency', ms: 300 });
    const answers = await Promise.all([
      giveCode(test, first),
      giveCode(test, second, test.users.get('bob')),
    ]);
    const busy = answers.find(({ status }) => status === 503);
    expect(busy?.body).toEqual({ code: 'ERR_GATEWAY_BUSY' });
    expect(Number(busy?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

it.each([
  [{ deny: 'send-limit', retryAfterSeconds: 60 }, 429, '60'],
  [{ deny: 'send-limit' }, 429, undefined],
  [{ deny: 'denied', retryAfterSeconds: 60 }, 403, undefined],
] as const)(
  'Retry-After is for 429 alone, and where the seconds are known: %j',
  async (decision, status, header) => {
    const policies = [{ name: 'own', stage: 'send', check: () => decision } as const];
    const test = await apps.start({ options: { policies } });
    const refused = await givePassword(test.agent());
    expect([refused.status, refused.headers['retry-after']]).toEqual([status, header]);
  },
);

it('Retry-After comes with the 503 of a text that has not left, when another may be asked for', async () => {
  const test = await apps.start();
  test.sim.failNext('generate', { kind: 'error', code: 2121 });
  const pending = await givePassword(test.agent());
  expect([pending.status, pending.headers['retry-after']]).toEqual([503, '30']);
  expect(pending.body).toEqual({ error: 'not-sent', pending: true, retryAfterSeconds: 30 });
});

it('a payment that is denied tells no seconds: waiting does not help', async () => {
  const check = ({ purpose }: { purpose: string }) =>
    purpose === 'transaction' ? ({ deny: 'denied', retryAfterSeconds: 60 } as const) : 'allow';
  const policies = [{ name: 'own', stage: 'send', check } as const];
  const transaction = () => ({ amount: '5.00', payee: 'Bob' });
  const test = await apps.start({
    options: { policies },
    routes: (app, smsOtp) => void app.post('/pay', smsOtp.stepUp({ transaction })),
  });
  const refused = await (await logIn(test)).post('/pay');
  expect([refused.status, refused.body]).toEqual([403, { error: 'denied' }]);
});
