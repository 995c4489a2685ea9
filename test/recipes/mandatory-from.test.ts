import { describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/mandatory-from';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { OldUsers } from './support/dated-users';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

const DAY = 24 * 60 * 60 * 1000;
const FROM = Date.UTC(2027, 2, 1);
const DEADLINE = FROM + 14 * DAY;
const PHONE = '+18185550142';

describe('the recipe for a date from which it is mandatory', () => {
  const users = new OldUsers();
  const phoneBook = memoryPhoneBook();
  let time = FROM - DAY;
  const site = useRecipe('A', (parts) =>
    createApp({
      ...parts,
      ...{ users, phoneBook, mandate: { from: FROM, graceDays: 14 }, now: () => time },
    }),
  );
  type Agent = ReturnType<typeof site.agent>;

  async function login(id: string): Promise<{ agent: Agent; status: number; body: unknown }> {
    const agent = site.agent();
    const { status, body } = await agent.post('/login').send(passwordOf(id));
    return { agent, status, body: body as unknown };
  }

  it('reminds from the date on, and closes at the deadline, sessions that are open too', async () => {
    time = FROM - 1;
    const { agent } = await login('alice');
    expect((await agent.get('/account')).body).toEqual({ id: 'alice', addNumberBefore: null });
    time = FROM;
    expect((await agent.get('/account')).body).toMatchObject({ addNumberBefore: DEADLINE });
    time = DEADLINE - 1;
    expect((await agent.get('/account')).status).toBe(200);
    time = DEADLINE;
    expect((await agent.get('/account')).status).toBe(403);
    expect(await login('alice')).toMatchObject({ status: 403, body: { error: 'no-phone' } });
  });

  it('asks whoever has a number for the code, before the date as well', async () => {
    time = FROM - DAY;
    const { agent } = await login('bob');
    await agent.post('/phone').send({ phone: PHONE });
    await agent.post('/phone/pin').send({ pin: site.sim.lastPin(PHONE) });
    const again = await login('bob');
    expect(again.body).toMatchObject({ pending: { purpose: 'login' } });
    expect((await again.agent.get('/account')).status).toBe(403);
    time = DEADLINE + DAY;
    await again.agent.post('/login/pin').send({ pin: site.sim.lastPin(PHONE) });
    const { body } = await again.agent.get('/account');
    expect(body).toEqual({ id: 'bob', addNumberBefore: null });
  });

  it('gives an account that was opened later its own days', async () => {
    users.openedAt.set('carol', DEADLINE + DAY);
    time = DEADLINE + DAY;
    const { agent } = await login('carol');
    expect((await agent.get('/account')).body).toMatchObject({
      addNumberBefore: DEADLINE + 15 * DAY,
    });
    time = DEADLINE + 15 * DAY;
    expect((await login('carol')).status).toBe(403);
  });

  it('lets the thief of an old password neither in nor add a number after the deadline', async () => {
    const { sent } = site.sim.stats();
    time = DEADLINE - 1;
    const { agent: early } = await login('dave');
    time = DEADLINE;
    const { agent: late } = await login('dave');
    for (const thief of [early, late]) {
      expect((await thief.get('/account')).status).toBeGreaterThanOrEqual(401);
      expect((await thief.get('/transfers')).status).toBeGreaterThanOrEqual(401);
    }
    expect((await late.post('/phone').send({ phone: PHONE })).status).toBe(403);
    expect((await early.post('/phone').send({ phone: '+18175550143' })).status).toBe(403);
    expect([await phoneBook.list('dave'), site.sim.stats().sent]).toEqual([[], sent]);
  });

  it('gives nobody more days for logging in, and no transfer to a login without a code', async () => {
    for (const day of [0, 5, 13]) {
      time = FROM + day * DAY;
      const { agent } = await login('erin');
      expect((await agent.get('/account')).body).toMatchObject({ addNumberBefore: DEADLINE });
      expect((await agent.get('/transfers')).status).toBe(403);
    }
    time = DEADLINE;
    expect((await login('erin')).status).toBe(403);
  });
});
