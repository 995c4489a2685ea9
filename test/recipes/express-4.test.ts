import { describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/express-4';
import { wrongCode } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

describe('the recipe for Express 4', () => {
  const site = useRecipe('B', createApp);

  async function logIn(id: string) {
    const agent = site.agent();
    await agent.post('/login').type('form').send(passwordOf(id));
    await agent
      .post('/login/pin')
      .type('form')
      .send({ pin: site.code(id) });
    return agent;
  }

  it('leads from the password over the code to the account', async () => {
    const agent = site.agent();
    const password = await agent.post('/login').type('form').send(passwordOf('alice'));
    expect([password.status, password.headers.location]).toEqual([303, '/login/pin']);
    const wrong = await agent
      .post('/login/pin')
      .type('form')
      .send({ pin: wrongCode(site.code()) });
    expect([wrong.status, wrong.headers.location]).toEqual([303, '/login/pin']);
    expect((await agent.get('/account')).status).toBe(403);
    const right = await agent.post('/login/pin').type('form').send({ pin: site.code() });
    expect([right.status, right.headers.location]).toEqual([303, '/account']);
    expect((await agent.get('/account')).body).toEqual({ phone: '+12025550123' });
  });

  it('answers 401 to a wrong password and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const answer = await site
      .agent()
      .post('/login')
      .type('form')
      .send({ username: 'bob', password: 'no' });
    expect([answer.status, site.sim.stats().sent]).toEqual([401, sent]);
  });

  it('answers when a handler of the app fails, where a bare async handler would hang and end the process', async () => {
    const agent = await logIn('carol');
    const findPhone = site.users.findPhone.bind(site.users);
    site.users.findPhone = () => Promise.reject(new Error('the database is away'));
    expect((await agent.get('/account').timeout(5_000)).status).toBe(500);
    site.users.findPhone = findPhone;
    expect((await agent.get('/account')).status).toBe(200);
  });

  it('goes on to the page of the code when the gateway fails, and lets nobody in', async () => {
    const agent = site.agent();
    site.sim.failNext('generate', 'html-502');
    expect(
      (await agent.post('/login').type('form').send(passwordOf('dave')).timeout(5_000)).status,
    ).toBe(303);
    expect((await agent.get('/account')).status).toBe(403);
  });
});
