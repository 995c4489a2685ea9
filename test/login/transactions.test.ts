import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Transaction } from 'passport-sms-otp';
import type { Response } from 'supertest';
import { ALICE, type TestApp } from '../support/test-app';
import { seen } from '../support/visit';
import { useApp } from '../support/use-app';

type Agent = ReturnType<TestApp['agent']>;

const RENT: Transaction = { amount: '950.00 EUR', payee: 'Landlord Ltd' };

describe.each(['A', 'B'] as const)('the code of a transaction, in variant %s', (variant) => {
  let agent: Agent;
  const test = useApp({
    variant,
    routes: (app, smsOtp) => {
      app.post(
        '/approve',
        smsOtp.stepUp({ transaction: (req) => req.body as Transaction }),
        (req, res) => {
          res.json(req.smsOtp);
        },
      );
    },
  });
  beforeEach(async () => {
    agent = test.agent();
    await agent.post('/login').send({ username: 'alice', password: 'right' });
    await agent.post('/login/pin').send({ pin: test.code() });
    test.clock.advanceSeconds(301);
  });

  const approve = async (transaction: object): Promise<Response> =>
    agent.post('/approve').send(transaction);
  const enter = async (): Promise<Response> => agent.post('/login/pin').send({ pin: test.code() });

  it('comes in a text that names amount and payee, and on the page', async () => {
    const asked = await approve(RENT);
    expect(asked.body).toMatchObject({ sent: true, purpose: 'transaction', transaction: RENT });
    const text = test.sim.outbox.at(-1)?.text ?? '';
    expect(text).toContain(RENT.amount);
    expect(text).toContain(RENT.payee);
    expect((await agent.get('/status')).body.pending).toMatchObject({ transaction: RENT });
  });

  it('gives back what was approved, whatever the request says', async () => {
    await approve(RENT);
    const approved = await agent
      .post('/login/pin')
      .send({ pin: test.code(), amount: '1.00 EUR', payee: 'Mallory' });
    expect(approved.body).toMatchObject({ verified: true, method: 'sms', transaction: RENT });
  });

  it('leaves the mark as old as it was, and the session gets another id', async () => {
    const { verified } = (await agent.get('/status')).body;
    expect((await agent.get('/fresh')).status).toBe(403);
    await approve(RENT);
    expect((await enter()).status).toBe(200);
    const after = (await agent.get('/status')).body;
    expect([after.verified, after.pending]).toEqual([verified, null]);
    expect((await agent.get('/fresh')).status).toBe(403);
    expect((await agent.get('/account')).status).toBe(200);
  });

  it('is good once, and for the newest transaction alone', async () => {
    await approve(RENT);
    const old = test.code();
    test.clock.advanceSeconds(31);
    await approve({ ...RENT, payee: 'Mallory' });
    expect(seen(await agent.post('/login/pin').send({ pin: old }))).toEqual([
      401,
      { error: 'invalid-code' },
    ]);
    expect((await enter()).body).toMatchObject({ transaction: { payee: 'Mallory' } });
    expect((await enter()).body).toEqual({ error: 'no-pending-login' });
  });

  it('is not sent again for a double click, but another transaction is not the same click', async () => {
    await approve(RENT);
    expect((await approve(RENT)).status).toBe(200);
    for (const other of [{ amount: '9,500.00 EUR' }, { payee: 'Mallory' }]) {
      expect(seen(await approve({ ...RENT, ...other }))).toMatchObject([
        429,
        { error: 'resend-too-soon' },
      ]);
    }
    expect(test.sim.outbox.filter(({ mobile }) => mobile === ALICE.phone)).toHaveLength(2);
  });

  it('keeps its transaction when it is sent again', async () => {
    await approve(RENT);
    test.clock.advanceSeconds(31);
    expect((await agent.post('/login/resend').send({})).body).toMatchObject({ transaction: RENT });
    expect((await enter()).body).toMatchObject({ verified: true, transaction: RENT });
  });

  it.each([
    ['nothing', {}],
    ['numbers', { amount: 950, payee: 'Landlord' }],
    ['an empty payee', { amount: '1', payee: ' ' }],
    ['a text of 1 MB', { amount: '1', payee: 'x'.repeat(1_000_000) }],
  ])('is not sent for %s', async (_what, transaction) => {
    expect((await approve(transaction)).status).toBe(500);
    const [error] = test.errors;
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/transaction must return/);
    expect(test.sim.stats().calls.generate).toBe(1);
  });
});
