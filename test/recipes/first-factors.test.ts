import { describe, expect, it } from '@jest/globals';
import { createApp as createCallbackApp } from '../../docs/recipes/custom-callback';
import { createApp as createPagesApp } from '../../docs/recipes/custom-callback-pages';
import { createApp as createOwnPasswordApp } from '../../docs/recipes/own-password';
import { wrongCode } from '../support/visit';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';

describe("the recipe for Passport's custom callback", () => {
  const site = useRecipe('A', createCallbackApp);

  it('leads from the password over the code to the account, in JSON', async () => {
    const agent = site.agent();
    const sent = await agent.post('/api/login').send(passwordOf('alice'));
    expect([sent.status, sent.body]).toMatchObject([
      200,
      { pending: { purpose: 'login', isSent: true } },
    ]);
    expect((await agent.get('/api/account')).status).toBe(403);
    const wrong = await agent.post('/api/login/pin').send({ pin: wrongCode(site.code()) });
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid-code' }]);
    const right = await agent.post('/api/login/pin').send({ pin: site.code() });
    expect([right.status, right.body]).toMatchObject([200, { verified: { method: 'sms' } }]);
    expect((await agent.get('/api/account')).body).toEqual({ id: 'alice' });
  });

  it('answers a wrong password in the words of the app, and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const answer = await site.agent().post('/api/login').send({ username: 'bob', password: 'no' });
    expect([answer.status, answer.body]).toEqual([401, { error: 'wrong-password' }]);
    expect(site.sim.stats().sent).toBe(sent);
  });

  it('hands an error of the database to Express, and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const checkPassword = site.users.checkPassword.bind(site.users);
    site.users.checkPassword = () => Promise.reject(new Error('the database is away'));
    expect((await site.agent().post('/api/login').send(passwordOf('carol'))).status).toBe(500);
    site.users.checkPassword = checkPassword;
    expect(site.sim.stats().sent).toBe(sent);
  });
});

describe("the recipe for Passport's custom callback with pages", () => {
  const site = useRecipe('A', createPagesApp);

  it('leads from a public page over password and code back to it, with a sentence', async () => {
    const agent = site.agent();
    await agent.get('/articles/locks').expect(200);
    const password = await agent.post('/login').type('form').send(passwordOf('alice'));
    expect([password.status, password.headers.location]).toEqual([303, '/login/pin']);
    await agent.get('/account').expect(303);
    const right = await agent.post('/login/pin').type('form').send({ pin: site.code() });
    expect([right.status, right.headers.location]).toEqual([303, '/articles/locks']);
    const page = await agent.get('/articles/locks');
    expect(page.body).toMatchObject({
      sentences: ['You are logged in.'],
      verified: { method: 'sms' },
    });
    expect((await agent.get('/account')).body).toMatchObject({ page: '/account', sentences: [] });
  });

  it('leads to the account where there was no public page', async () => {
    const agent = site.agent();
    await agent.post('/login').type('form').send(passwordOf('bob'));
    const right = await agent
      .post('/login/pin')
      .type('form')
      .send({ pin: site.code('bob') });
    expect([right.status, right.headers.location]).toEqual([303, '/account']);
  });

  it('shows a sentence for a wrong password once, and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const agent = site.agent();
    const wrong = { username: 'carol', password: 'no' };
    await agent.post('/login').type('form').send(wrong).expect(303);
    expect((await agent.get('/login')).body).toMatchObject({
      sentences: ['Wrong user name or password.'],
    });
    expect((await agent.get('/login')).body).toMatchObject({ sentences: [] });
    expect(site.sim.stats().sent).toBe(sent);
  });
});

describe('the recipe for an own password check', () => {
  const site = useRecipe('B', createOwnPasswordApp);

  it('leads from the password over the code to the account', async () => {
    const agent = site.agent();
    const password = await agent.post('/login').type('form').send(passwordOf('alice'));
    expect([password.status, password.headers.location]).toEqual([303, '/login/pin']);
    expect((await agent.get('/account')).status).toBe(403);
    const right = await agent.post('/login/pin').type('form').send({ pin: site.code() });
    expect([right.status, right.headers.location]).toEqual([303, '/account']);
    expect((await agent.get('/account')).body).toEqual({ id: 'alice' });
  });

  it('leads back from a wrong password, and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const answer = await site
      .agent()
      .post('/login')
      .type('form')
      .send({ username: 'bob', password: 'no' });
    expect([answer.status, answer.headers.location]).toEqual([303, '/login']);
    expect(site.sim.stats().sent).toBe(sent);
  });
});
