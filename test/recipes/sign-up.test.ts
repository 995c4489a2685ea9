import { describe, expect, it } from '@jest/globals';
import { memoryPhoneBook } from '../../docs/recipes/phone-book-memory';
import { createApp, type SignUpUsers } from '../../docs/recipes/sign-up';
import { asUser } from '../support/test-users';
import { useRecipe } from './support/recipe-site';

const PASSWORD = 'a password of her own';
const PHONE = '+12025550123';

/** Accounts that visitors make themselves. */
class NewUsers implements SignUpUsers {
  private readonly passwords = new Map<string, string>();

  create(username: string, password: string): Promise<Express.User | null> {
    if (this.passwords.has(username)) return Promise.resolve(null);
    this.passwords.set(username, password);
    return this.findById(username);
  }

  checkPassword(username: string, password: string): Promise<Express.User | null> {
    return this.passwords.get(username) === password
      ? this.findById(username)
      : Promise.resolve(null);
  }

  findById(id: string): Promise<Express.User | null> {
    return Promise.resolve(this.passwords.has(id) ? asUser({ id, phone: null }) : null);
  }

  findPhone(): Promise<null> {
    return Promise.resolve(null);
  }
}

describe('the recipe for a sign-up', () => {
  const users = new NewUsers();
  const phoneBook = memoryPhoneBook();
  const site = useRecipe('A', (parts) => createApp({ ...parts, users, phoneBook }));

  const codeAt = (phone: string): string => site.sim.lastPin(phone) ?? 'none';

  it('leads from one form over the code to the account, and asks for a code from then on', async () => {
    const agent = site.agent();
    const form = { username: 'grace', password: PASSWORD, phone: PHONE };
    const begun = await agent.post('/sign-up').send(form);
    expect([begun.status, begun.body]).toMatchObject([
      200,
      { pending: { purpose: 'enroll', isSent: true } },
    ]);
    expect((await agent.get('/account')).status).toBe(403);
    expect((await agent.post('/sign-up/pin').send({ pin: codeAt(PHONE) })).status).toBe(200);
    expect((await agent.get('/account')).body).toEqual({ id: 'grace' });
    const later = site.agent();
    const login = await later.post('/login').send({ username: 'grace', password: PASSWORD });
    expect(login.body).toMatchObject({ pending: { purpose: 'login' } });
    expect((await later.get('/account')).status).toBe(403);
    expect((await later.post('/login/pin').send({ pin: codeAt(PHONE) })).status).toBe(200);
    expect((await later.get('/account')).body).toEqual({ id: 'grace' });
  });

  it('takes another number when the first was mistyped, after the time between two texts', async () => {
    const agent = site.agent();
    await agent
      .post('/sign-up')
      .send({ username: 'henry', password: PASSWORD, phone: '+14155550188' });
    const mistyped = await agent.post('/sign-up/phone').send({ phone: 'not a number' });
    expect([mistyped.status, mistyped.body]).toEqual([400, { error: 'malformed-phone' }]);
    const soon = await agent.post('/sign-up/phone').send({ phone: '+13125550177' });
    expect([soon.status, soon.body]).toMatchObject([429, { error: 'resend-too-soon' }]);
    expect((await agent.get('/account')).status).toBe(403);
  });

  it('opens no page to an account without a number, and lets it add one after the password', async () => {
    await users.create('irene', PASSWORD);
    const agent = site.agent();
    const login = await agent.post('/login').send({ username: 'irene', password: PASSWORD });
    expect(login.body).toMatchObject({ pending: null, verified: null });
    expect((await agent.get('/account')).status).toBe(403);
    await agent.post('/sign-up/phone').send({ phone: '+13035550155' });
    expect((await agent.post('/sign-up/pin').send({ pin: codeAt('+13035550155') })).status).toBe(
      200,
    );
    expect((await agent.get('/account')).body).toEqual({ id: 'irene' });
  });

  it.each([{ toString: 1 }, 7, null, ['grace']])('makes no account of %j', async (odd) => {
    const form = { username: 'olga', password: PASSWORD, phone: '+15035550168' };
    for (const change of [{ username: odd }, { password: odd }])
      expect(
        (
          await site
            .agent()
            .post('/sign-up')
            .send({ ...form, ...change })
        ).status,
      ).toBe(400);
    expect(await users.findById('olga')).toBeNull();
  });

  it('makes no second account of one name, and texts nobody for it', async () => {
    const form = { username: 'jack', password: PASSWORD, phone: '+15035550166' };
    await site.agent().post('/sign-up').send(form);
    const { sent } = site.sim.stats();
    const answer = await site
      .agent()
      .post('/sign-up')
      .send({ ...form, phone: '+15035550167' });
    expect([answer.status, answer.body, site.sim.stats().sent]).toEqual([
      409,
      { error: 'name-taken' },
      sent,
    ]);
  });
});
