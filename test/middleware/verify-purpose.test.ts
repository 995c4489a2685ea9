import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/test-app';
import { seen } from '../support/visit';
import { useApp } from '../support/use-app';

const RENT = { amount: '950.00 EUR', payee: 'Landlord Ltd' };
const REFUSED = [401, { error: 'no-pending-login' }];

describe('verify({ purpose })', () => {
  let agent: ReturnType<TestApp['agent']>;
  const test = useApp({
    routes: (app, smsOtp) => {
      app.post('/pay', smsOtp.stepUp({ transaction: () => RENT }), (req, res) =>
        res.json(req.smsOtp),
      );
      app.post('/pay/confirm', smsOtp.verify({ purpose: 'transaction' }), (req, res) =>
        res.json(req.smsOtp),
      );
      app.post('/only-login', smsOtp.verify({ purpose: 'login' }), (req, res) =>
        res.json(req.smsOtp),
      );
    },
  });
  beforeEach(async () => {
    agent = test.agent();
    await agent.post('/login').send({ username: 'alice', password: 'right' });
    await agent.post('/only-login').send({ pin: test.code() }).expect(200);
    test.clock.advanceSeconds(301);
  });

  it('refuses the code of another purpose, which stays good where it belongs', async () => {
    await agent.post('/step-up').expect(200);
    const validations = test.sim.stats().calls.validate;
    for (let attempt = 0; attempt < 6; attempt += 1) {
      expect(seen(await agent.post('/pay/confirm').send({ pin: test.code() }))).toMatchObject(
        REFUSED,
      );
    }
    expect(test.sim.stats().calls.validate).toBe(validations);
    await agent.post('/login/pin').send({ pin: test.code() }).expect(200);
  });

  it('verifies the code of its own', async () => {
    await agent.post('/pay').expect(200);
    expect(seen(await agent.post('/only-login').send({ pin: test.code() }))).toMatchObject(REFUSED);
    const confirmed = await agent.post('/pay/confirm').send({ pin: test.code() }).expect(200);
    expect(confirmed.body).toMatchObject({ verified: true, transaction: RENT });
  });

  it('refuses a session that waits for nothing', async () => {
    expect(seen(await agent.post('/pay/confirm').send({ pin: '123456' }))).toMatchObject(REFUSED);
  });
});
