import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Transaction } from 'passport-sms-otp';
import type supertest from 'supertest';
import { createApp } from '../../docs/recipes/transaction';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const FLOWERS = { amount: 49.9, payee: 'Fresh Flowers Ltd' };
const APPROVED: Transaction = { amount: '49.90 USD', payee: 'Fresh Flowers Ltd' };

describe('the recipe for transactions', () => {
  const paid: (readonly [userId: string | undefined, payment: Transaction])[] = [];
  const payments = {
    execute: (userId: string | undefined, payment: Transaction) => {
      paid.push([userId, payment]);
      return Promise.resolve();
    },
  };
  const site = useRecipe('A', (parts) => createApp({ ...parts, payments }));
  beforeEach(() => void paid.splice(0));

  async function logIn(id: string): Promise<ReturnType<typeof supertest.agent>> {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf(id));
    await agent.post('/login/pin').send({ pin: site.code(id) });
    return agent;
  }

  it('pays what the text message has shown, whatever the second request says', async () => {
    const agent = await logIn('alice');
    const asked = await agent.post('/payments').send(FLOWERS);
    expect(asked.body.pending).toMatchObject({ purpose: 'transaction', transaction: APPROVED });
    const answer = await agent
      .post('/payments/pin')
      .send({ pin: site.code(), amount: 1_000_000, payee: 'Mallory' });
    expect([answer.status, answer.body]).toEqual([200, { paid: APPROVED }]);
    expect(paid).toEqual([['alice', APPROVED]]);
    expect((await agent.post('/payments/pin').send({ pin: site.code() })).status).toBe(401);
    expect(paid).toHaveLength(1);
  });

  it('shows amount and payee in the text message', async () => {
    const agent = await logIn('bob');
    await agent.post('/payments').send(FLOWERS);
    expect(site.sim.outbox.at(-1)?.text).toMatch(/49\.90 USD to Fresh Flowers Ltd/);
  });

  it('refuses what is no payment, and sends nothing', async () => {
    const agent = await logIn('erin');
    const sent = site.sim.outbox.length;
    for (const odd of [
      undefined,
      {},
      { ...FLOWERS, payee: { toString: 1 } },
      { ...FLOWERS, payee: ' ' },
      { ...FLOWERS, amount: { valueOf: 1, toString: 1 } },
      { ...FLOWERS, amount: 'much' },
      { ...FLOWERS, amount: -5 },
      { ...FLOWERS, amount: 0.001 },
      { ...FLOWERS, amount: 1e21 },
    ]) {
      const { status, body } = await agent.post('/payments').send(odd);
      expect([odd, status, body]).toEqual([odd, 400, { error: 'no-payment' }]);
    }
    expect(site.sim.outbox).toHaveLength(sent);
  });

  it('pays nothing with the code of a step-up', async () => {
    const agent = await logIn('carol');
    expect((await agent.post('/step-up')).status).toBe(200);
    const answer = await agent.post('/payments/pin').send({ pin: site.code('carol') });
    expect([answer.status, answer.body, paid]).toEqual([401, { error: 'no-pending-login' }, []]);
    expect((await agent.post('/step-up/pin').send({ pin: site.code('carol') })).status).toBe(200);
  });

  it("takes a transaction's code nowhere else", async () => {
    const agent = await logIn('dave');
    await agent.post('/payments').send(FLOWERS);
    expect((await agent.post('/step-up/pin').send({ pin: site.code('dave') })).status).toBe(401);
    expect((await agent.post('/payments/pin').send({ pin: site.code('dave') })).body).toEqual({
      paid: APPROVED,
    });
  });

  it('pays nothing without a code, or without a login', async () => {
    const agent = await logIn('erin');
    expect((await agent.post('/payments/pin').send({ pin: '123456' })).status).toBe(401);
    expect((await site.agent().post('/payments').send(FLOWERS)).status).toBe(403);
    expect(paid).toEqual([]);
  });
});
