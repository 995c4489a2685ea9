import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../docs/recipes/nestjs-app';
import { useRecipe } from './support/recipe-site';
import { passwordOf } from './support/recipe-users';
import { wrongCode } from '../support/visit';

describe.each(['A', 'B'] as const)('the recipe for NestJS, variant %s', (variant) => {
  beforeAll(() => void Logger.overrideLogger(false));
  const site = useRecipe(variant, async (parts) => {
    const app = await createApp(parts);
    // Nest types it as any: underneath is Express.
    return app.getHttpAdapter().getInstance() as never;
  });

  it('leads through both guards to the account', async () => {
    const agent = site.agent();
    expect((await agent.post('/login').send(passwordOf('alice'))).body).toMatchObject({
      pending: { isSent: true },
    });
    expect((await agent.get('/account')).status).toBe(403);
    const wrong = await agent.post('/login/pin').send({ pin: wrongCode(site.code()) });
    expect([wrong.status, wrong.body]).toEqual([401, { error: 'invalid-code' }]);
    const right = await agent.post('/login/pin').send({ pin: site.code() });
    expect([right.status, right.body]).toMatchObject([
      200,
      { verified: { method: 'sms' }, pending: null },
    ]);
    expect((await agent.get('/account')).body).toEqual({ id: 'alice' });
    expect((await agent.get('/account/statements')).body).toEqual([]);
  });

  it('logs out, also a copy of the session, and answers a resend as Express does', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('carol'));
    const tooSoon = await agent.post('/login/pin/resend');
    expect([tooSoon.status, tooSoon.body.error]).toEqual([429, 'resend-too-soon']);
    const right = await agent.post('/login/pin').send({ pin: site.code('carol') });
    const [copied = ''] = /connect\.sid=[^;]+/.exec(String(right.headers['set-cookie'])) ?? [];
    expect((await site.agent().get('/account').set('Cookie', copied)).status).toBe(200);
    const out = await agent.post('/logout');
    expect([out.status, out.body]).toEqual([200, { loggedOut: true }]);
    expect((await agent.get('/account')).status).toBe(403);
    expect((await site.agent().get('/account').set('Cookie', copied)).status).toBe(403);
  });

  it('begins another session with the right code', async () => {
    const agent = site.agent();
    const before = await agent.post('/login').send(passwordOf('erin'));
    const after = await agent.post('/login/pin').send({ pin: site.code('erin') });
    const [waiting, loggedIn] = [before, after].map(
      ({ headers }) => /connect\.sid=[^;]+/.exec(String(headers['set-cookie']))?.[0],
    );
    expect(waiting).toBeDefined();
    expect(loggedIn).toBeDefined();
    expect(loggedIn).not.toBe(waiting);
  });

  it('refuses a wrong password and sends nothing', async () => {
    const { sent } = site.sim.stats();
    const answer = await site.agent().post('/login').send({ username: 'alice', password: 'no' });
    expect([answer.status, site.sim.stats().sent]).toEqual([401, sent]);
  });

  it('answers what was refused with its own status, where AuthGuard by itself would say 401', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('bob'));
    expect((await agent.post('/login/pin').send({ pin: 'no code' })).status).toBe(400);
    expect((await agent.post('/login/pin').send({})).status).toBe(400);
    // The same browser would join the first login.
    const other = site.agent().set('User-Agent', 'another browser');
    expect((await other.post('/login').send(passwordOf('bob'))).status).toBe(429);
  });

  it('answers an accident of the gateway with its own status, and lets nobody in', async () => {
    const agent = site.agent();
    await agent.post('/login').send(passwordOf('dave'));
    site.sim.failNext('validate', 'html-502');
    const answer = await agent.post('/login/pin').send({ pin: site.code('dave') });
    expect([answer.status, answer.body]).toEqual([502, { error: 'ERR_GATEWAY_RESPONSE' }]);
    expect((await agent.get('/account')).status).toBe(403);
    site.sim.failNext('generate', 'html-502');
    expect((await site.agent().post('/login').send(passwordOf('frank'))).status).toBe(502);
  });
});
